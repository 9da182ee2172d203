// Sums over sites of figures that a person's genotype chooses.
#include "stats/internal/site_sums.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace fastid::stats {
namespace {

constexpr std::size_t kWords = 23;

/// Random planes of people, and random figures of each site.
struct DrawnFigures {
  explicit DrawnFigures(std::size_t n_people) : planes(n_people, std::vector<Word>(2 * kWords)) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> figure;
    for (std::vector<Word>& of : planes)
      for (Word& word : of) word = static_cast<Word>(random());
    for (std::vector<Word>& of : planes) {  // sites where everybody shows something
      of[0] |= 0x00ff5a1f;
      of[kWords / 2] |= 0x7ffffffe;
    }
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

  /// [figure][person]: some figures alone.
  std::vector<double> few(std::size_t n, std::span<const std::size_t> chosen) const {
    std::vector<std::uint32_t> places(kWords * kWordBits);
    std::iota(places.rbegin(), places.rend(), 1);  // any order will do
    std::vector<std::vector<SeenFigures>> tables(chosen.size(), std::vector<SeenFigures>(places.size() + 1));
    for (std::size_t f = 0; f < chosen.size(); ++f)
      for (std::size_t s = 0; s < places.size(); ++s)
        for (std::size_t seen = 0; seen < 4 && s / kWordBits != kSkipped; ++seen)
          tables[f][places[s]][seen] = figures[s / kWordBits][s % kWordBits][seen][chosen[f]];
    std::vector<TwoPlanes> people;
    for (std::size_t i = 0; i < n; ++i)
      people.push_back({std::span(planes[i]).first(kWords), std::span(planes[i]).last(kWords)});
    std::vector<double> sums(chosen.size() * n);
    add_figures(std::vector<std::span<const SeenFigures>>(tables.begin(), tables.end()), places, people,
                sums);
    return sums;
  }

  static constexpr std::size_t kSkipped = 1;
  std::vector<std::vector<Word>> planes;
  std::vector<WordFigures> figures;
};

TEST(LdSums, AreThoseOfEachSite) {
  const DrawnFigures drawn(3);
  const std::vector<Figures> sums = drawn.sums(3);
  for (std::size_t person = 0; person < sums.size(); ++person)
    for (std::size_t figure = 0; figure < kFigures; ++figure)
      EXPECT_NEAR(sums[person][figure], drawn.sum(person, figure), 1e-12);
}

TEST(LdSums, AreTheSameToTheLastBitInAnyCompany) {
  const DrawnFigures drawn(515);
  const std::vector<Figures> all = drawn.sums(515);
  for (const std::size_t n : {1, 11, 12, 13, 511, 512, 513}) {
    const std::vector<Figures> some = drawn.sums(n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(some[i], all[i]) << "person " << i << " of " << n;
  }
}

TEST(LdSums, OfSomeFiguresAreTheSameToTheLastBit) {
  const DrawnFigures drawn(203);
  const std::vector<Figures> all = drawn.sums(203);
  const std::array<std::size_t, 3> chosen{5, 0, 2};
  for (const std::size_t n : {0, 1, 7, 8, 9, 16, 203})
    for (const std::size_t figures : {1, 3}) {
      const std::vector<double> some = drawn.few(n, std::span(chosen).first(figures));
      for (std::size_t f = 0; f < figures; ++f)
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_EQ(some[f * n + i], all[i][chosen[f]]) << "person " << i << " of " << n;
    }
}

TEST(LdSums, KeepWhatIsImpossible) {
  DrawnFigures drawn(20);
  for (auto& of_seen : drawn.figures[0][5]) of_seen[2] = -std::numeric_limits<double>::infinity();
  for (const Figures& sums : drawn.sums(20)) {
    EXPECT_EQ(sums[2], -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(sums[3]));
  }
  const std::vector<double> few = drawn.few(20, std::array<std::size_t, 2>{2, 3});
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(few[i], -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(few[20 + i]));
  }
}

}  // namespace
}  // namespace fastid::stats
