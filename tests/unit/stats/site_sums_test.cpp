// Sums over sites of figures that a person's genotype chooses.
#include "stats/internal/site_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace fastid::stats {
namespace {

constexpr std::size_t kWords = 3;

/// Random planes of people, and random figures of each site.
struct DrawnFigures {
  explicit DrawnFigures(std::size_t n_people) : planes(n_people, std::vector<Word>(2 * kWords)) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> figure;
    for (std::vector<Word>& of : planes)
      for (Word& word : of) word = static_cast<Word>(random());
    for (std::size_t word = 0; word < kWords; ++word)
      for (auto& site : figures.emplace_back())
        for (Figures& of_seen : site)
          for (double& value : of_seen) value = figure(random);
  }

  /// \param n  the first so many people
  std::vector<Figures> sums(std::size_t n) const {
    std::vector<TwoPlanes> people;
    for (std::size_t i = 0; i < n; ++i)
      people.push_back({std::span(planes[i]).first(kWords), std::span(planes[i]).last(kWords)});
    std::vector<Figures> sums(n);
    const auto fill = [&](std::size_t word, WordFigures& out) {
      out = figures[word];
      return word != kSkipped;
    };
    add_sites(kWords, fill, people, sums);
    return sums;
  }

  double sum(std::size_t person, std::size_t figure) const {
    double sum = 0;
    for (std::size_t word = 0; word < kWords; ++word)
      for (std::size_t site = 0; site < kWordBits && word != kSkipped; ++site) {
        const std::size_t low = planes[person][word] >> site & 1,
                          high = planes[person][kWords + word] >> site & 1;
        sum += figures[word][site][high << 1 | low][figure];
      }
    return sum;
  }

  static constexpr std::size_t kSkipped = 1;
  std::vector<std::vector<Word>> planes;
  std::vector<WordFigures> figures;
};

TEST(SiteSums, AreThoseOfEachSite) {
  const DrawnFigures drawn(3);
  const std::vector<Figures> sums = drawn.sums(3);
  for (std::size_t person = 0; person < sums.size(); ++person)
    for (std::size_t figure = 0; figure < kFigures; ++figure)
      EXPECT_NEAR(sums[person][figure], drawn.sum(person, figure), 1e-12);
}

TEST(SiteSums, AreTheSameToTheLastBitInAnyCompany) {
  const DrawnFigures drawn(40);
  const std::vector<Figures> all = drawn.sums(40);
  for (const std::size_t n : {1, 11, 12, 13}) {
    const std::vector<Figures> some = drawn.sums(n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(some[i], all[i]) << "person " << i << " of " << n;
  }
}

TEST(SiteSums, KeepWhatIsImpossible) {
  DrawnFigures drawn(20);
  for (auto& of_seen : drawn.figures[0][5]) of_seen[2] = -std::numeric_limits<double>::infinity();
  for (const Figures& sums : drawn.sums(20)) {
    EXPECT_EQ(sums[2], -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(sums[3]));
  }
}

/// Figures that are probabilities, some of them small.
DrawnFigures drawn_factors(std::size_t n_people) {
  DrawnFigures drawn(n_people);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> unit(0, 1);
  for (WordFigures& word : drawn.figures)
    for (auto& site : word)
      for (Figures& of_seen : site)
        for (double& value : of_seen) value = std::pow(10, -18 * std::pow(unit(random), 4));
  return drawn;
}

std::vector<Figures> products_of(const DrawnFigures& drawn, std::size_t n) {
  std::vector<TwoPlanes> people;
  for (std::size_t i = 0; i < n; ++i)
    people.push_back({std::span(drawn.planes[i]).first(kWords), std::span(drawn.planes[i]).last(kWords)});
  return log10_products(
      kWords,
      [&](std::size_t word, WordFigures& out) {
        out = drawn.figures[word];
        return word != DrawnFigures::kSkipped;
      },
      people);
}

TEST(SiteProducts, AreThoseOfEachSite) {
  DrawnFigures drawn = drawn_factors(40);
  const std::vector<Figures> products = products_of(drawn, 40);
  for (WordFigures& word : drawn.figures)
    for (auto& site : word)
      for (Figures& of_seen : site)
        for (double& value : of_seen) value = std::log10(value);
  for (std::size_t person = 0; person < products.size(); ++person)
    for (std::size_t figure = 0; figure < kFigures; ++figure)
      EXPECT_NEAR(products[person][figure], drawn.sum(person, figure), 1e-11);
}

TEST(SiteProducts, AreTheSameToTheLastBitInAnyCompany) {
  const DrawnFigures drawn = drawn_factors(40);
  const std::vector<Figures> all = products_of(drawn, 40);
  for (const std::size_t n : {1, 11, 12, 13}) {
    const std::vector<Figures> some = products_of(drawn, n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(some[i], all[i]) << "person " << i << " of " << n;
  }
}

TEST(SiteProducts, AreImpossibleWhereAFactorIs) {
  DrawnFigures drawn = drawn_factors(20);
  for (auto& of_seen : drawn.figures[0][5]) of_seen[2] = 0;
  for (const Figures& products : products_of(drawn, 20)) {
    EXPECT_EQ(products[2], -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(products[3]));
  }
}

TEST(SiteProducts, TakeLeastFactorsEverywhere) {
  DrawnFigures drawn(13);
  for (WordFigures& word : drawn.figures)
    for (auto& site : word)
      for (Figures& of_seen : site) of_seen.fill(kLeastFactor);
  for (const Figures& products : products_of(drawn, 13))
    for (const double log10 : products) EXPECT_NEAR(log10, -18. * kWordBits * (kWords - 1), 1e-9);
}

TEST(WeightedRows, AreAddedUpAndToldFromUnfitOnes) {
  std::vector<Figures> rows(3);
  rows[0].fill(0.5), rows[1].fill(0.25), rows[2].fill(1);
  rows[1][6] = 0;
  const std::vector<double> weights{0.2, 0.4, 0.1}, small{0, 1e-19, 0}, large{1, 1, 1}, none{0, 0, 0};
  Figures sum;
  const auto fit = [&](const std::vector<double>& of) {
    const WeightedRows asked{of.data(), rows.data(), &sum};
    return weigh_rows({&asked, 1}, rows.size());
  };
  EXPECT_TRUE(fit(weights));
  EXPECT_NEAR(sum[0], 0.3, 1e-15);
  EXPECT_NEAR(sum[6], 0.2, 1e-15);
  EXPECT_TRUE(fit(none));
  EXPECT_FALSE(fit(small));
  EXPECT_FALSE(fit(large));
}

}  // namespace
}  // namespace fastid::stats
