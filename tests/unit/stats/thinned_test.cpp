// Tails with events left out, against tails of the events that remain.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "stats/internal/cumulants.hpp"
#include "stats/internal/identity.hpp"
#include "stats/internal/poisson_binomial.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {

/// Some events, split by chance into those that stay and those that are left out.
struct Split {
  std::vector<Event> all, stay, out;
};

/// \param twice  the events may count twice too
Split random_split(std::size_t n, double share_out, std::mt19937_64& rng, bool twice = false) {
  std::uniform_real_distribution<double> probability(0.02, rng() % 3 == 0 ? 0.98 : 0.6), unit(0, 1);
  Split split;
  for (std::size_t i = 0; i < n; ++i) {
    const double yes = probability(rng);
    const double once = twice ? yes * unit(rng) : yes;
    split.all.push_back({once, 1 - yes, yes - once});
    (unit(rng) < share_out ? split.out : split.stay).push_back(split.all.back());
  }
  return split;
}

/// Events as genotypes make them: a person of g minor copies, and another one of the same population, at
/// sites whose minor alleles have these frequencies.
std::vector<Event> genotype_events(const std::vector<double>& frequencies, std::mt19937_64& rng) {
  const PopulationModel model = testing::model_of(frequencies, 0.01);
  testing::AllelesSeen person(frequencies.size());
  for (std::size_t site = 0; site < frequencies.size(); ++site)
    person.set(site, static_cast<Shown>(testing::person(frequencies[site], rng).minor()));
  const RowView row = person.row();
  return mismatch_events(testing::by_alleles(model), row, row.called);
}

/// Frequencies down to `least`, the rare ones as many as the common ones on a logarithmic scale.
std::vector<double> rare_frequencies(std::size_t n, double least, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> frequencies(n);
  for (double& q : frequencies) q = least * std::pow(0.5 / least, unit(rng));
  return frequencies;
}

void expect_relative(double log10_actual, double log10_expected, double error) {
  EXPECT_NEAR(log10_actual, log10_expected, error / std::log(10));
}

TEST(TailsWithEventsLeftOut, EqualThoseOfTheOthers) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t answered = 0, asked = 0;
  for (const std::size_t n : {30, 100, 400, 1024, 3000})
    for (int repeat = 0; repeat < 16; ++repeat) {
      const Split split = random_split(n, 0.6 * std::pow(unit(rng), 3), rng, repeat % 2 == 1);
      const PoissonBinomial all(split.all), stay(split.stay);
      for (const double share : {0.0, 0.05, unit(rng), 0.9, 0.97, 1.0, 1.1, 1.9}) {
        const auto k = static_cast<std::uint32_t>(share * stay.mean());
        const auto thinned = all.log10_cdf_without(k, split.out);
        if (n >= 1024) ++asked, answered += thinned.has_value();
        if (thinned) expect_relative(*thinned, stay.log10_cdf(k), 2e-9);
      }
    }
  EXPECT_GT(answered, asked * 8 / 10);
}

TEST(TailsWithEventsLeftOut, AreThoseOfGenotypesDownToAnyDepth) {
  std::mt19937_64 rng(17);
  std::size_t answered = 0, asked = 0;
  double deepest = 0;
  for (const double least : {0.0001, 0.005, 0.1})
    for (const std::size_t n : {200, 1500, 8000}) {
      const std::vector<Event> events = genotype_events(rare_frequencies(n, least, rng), rng);
      const PoissonBinomial all(events);
      for (double k = 1; k < 2 * all.mean(); k = k * 1.3 + 1) {
        const auto count = static_cast<std::uint32_t>(k);
        const auto by_series = all.log10_cdf_without(count, {});
        if (n >= 1500) ++asked, answered += by_series.has_value();
        if (!by_series) continue;
        const double exact = all.log10_cdf(count);
        deepest = std::min(deepest, exact);
        expect_relative(*by_series, exact, 2e-9);
      }
    }
  EXPECT_GT(answered, asked / 2);
  EXPECT_LT(deepest, -1000);
}

TEST(TailsWithEventsLeftOut, AreOfTheSameBitsWhateverElseWasAsked) {
  std::mt19937_64 rng(18);
  const Split split = random_split(2000, 0.05, rng, true);
  const PoissonBinomial asked_often(split.all);
  for (std::uint32_t k = 1500; k > 300; k -= 100) asked_often.log10_cdf_without(k, split.out);
  for (std::uint32_t k = 350; k < 1500; k += 100)
    EXPECT_EQ(asked_often.log10_cdf_without(k, split.out),
              PoissonBinomial(split.all).log10_cdf_without(k, split.out));
}

TEST(TailsWithEventsLeftOut, AreRefusedWhereTheyWouldNotBeRight) {
  std::mt19937_64 rng(8);
  const Split split = random_split(200, 0.5, rng);
  std::vector<Event> with_certain = split.all;
  with_certain.push_back({1, 0});
  EXPECT_EQ(PoissonBinomial(with_certain).log10_cdf_without(50, {}), std::nullopt);
  std::vector<Event> nearly_certain = split.all;
  nearly_certain.push_back({1, 1e-300});
  const auto tail = PoissonBinomial(nearly_certain).log10_cdf_without(60, {});
  if (tail) expect_relative(*tail, PoissonBinomial(nearly_certain).log10_cdf(60), 2e-9);
  const std::vector<Event> few = random_split(12, 0, rng).all;
  for (std::uint32_t k = 1; k < 12; ++k)
    EXPECT_EQ(PoissonBinomial(few).log10_cdf_without(k, {}), std::nullopt) << k;
}

TEST(TailsWithEventsLeftOut, AllLeftOutIsCertain) {
  std::mt19937_64 rng(9);
  const Split split = random_split(500, 0, rng);
  EXPECT_EQ(PoissonBinomial(split.all).log10_cdf_without(0, split.all), 0);
  EXPECT_EQ(PoissonBinomial(split.all).log10_cdf_without(7, split.all), 0);
}

TEST(TailsWithEventsLeftOut, CountsInTwosLeaveGaps) {
  const std::vector<Event> pairs(600, Event{0, 0.4, 0.6});
  const PoissonBinomial by_two(std::vector<Event>(600, Event{0.6, 0.4}));
  for (std::uint32_t k = 200; k < 500; k += 50)
    for (const std::uint32_t odd : {0u, 1u})
      if (const auto tail = PoissonBinomial(pairs).log10_cdf_without(2 * k + odd, {}))
        expect_relative(*tail, by_two.log10_cdf(k), 2e-9);
}

TEST(Cumulants, AreThoseOfABinomial) {
  const double p = 0.3, tilt = 0.5, odds = p / (1 - p) * tilt, at = odds / (1 + odds);
  const std::vector<Event> events(77, Event{p, 1 - p});
  const auto series = cumulants_of(events, std::log(tilt));
  ASSERT_TRUE(series);
  EXPECT_NEAR(series->coefficients[0], 77 * std::log(1 - p + p * tilt), 1e-12);
  EXPECT_NEAR(series->mean(), 77 * at, 1e-12);
  EXPECT_NEAR(series->variance(), 77 * at * (1 - at), 1e-12);
  EXPECT_NEAR(series->spread, 77 * at * (1 - at), 1e-12);
  EXPECT_NEAR(6 * series->coefficients[3], 77 * at * (1 - at) * (1 - 2 * at), 1e-12);
  EXPECT_NEAR(24 * series->coefficients[4], 77 * at * (1 - at) * (1 - 6 * at * (1 - at)), 1e-12);
}

/// The bound on what is left out, against the orders themselves.
TEST(Cumulants, LeaveOutNoMoreThanIsSaid) {
  std::mt19937_64 rng(11);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Event event = random_split(1, 0, rng, true).all.front();
    const auto series = cumulants_of({&event, 1}, 0);
    ASSERT_TRUE(series);
    for (const double angle : {0.3, 0.7, 1.1, 1.4}) {
      const std::complex<double> turn = std::polar(1.0, angle),
                                 exact = std::log(event.no + event.yes * turn + event.twice * turn * turn);
      std::complex<double> sum = 0;
      for (std::size_t m = CumulantSeries::kTerms; m-- > 0;)
        sum = sum * std::complex<double>(0, angle) + series->coefficients[m];
      const double rest =
          series->rest * std::pow(angle, CumulantSeries::kTerms) / (1 - angle / (std::numbers::pi / 2));
      EXPECT_LE(std::abs(exact - sum), rest + 1e-13) << event.yes << " " << event.twice << " at " << angle;
    }
  }
}

TEST(FewEvents, AreCountedOneByOne) {
  std::mt19937_64 rng(12);
  for (const std::size_t n : {1, 5, 50, 700, 3000}) {
    const std::vector<Event> events = random_split(n, 0, rng, n % 2 == 1).all;
    for (const std::uint32_t k : {1u, 2u, 3u, 17u, 127u, 128u, 129u})
      expect_relative(log10_tail(events, k), PoissonBinomial(events).log10_cdf(k), 2e-9);
  }
  const std::vector<Event> rare(50, Event{1e-300, 1, 1e-305});
  expect_relative(log10_tail(rare, 3), 0, 1e-12);
  std::vector<Event> odd = random_split(300, 0, rng).all;
  odd.push_back({1, 1e-250});
  expect_relative(log10_tail(odd, 40), PoissonBinomial(odd).log10_cdf(40), 2e-9);
}

TEST(TailsWithEventsLeftOut, NothingLeftOutIsTheWhole) {
  std::mt19937_64 rng(9);
  const Split split = random_split(500, 0, rng);
  const PoissonBinomial all(split.all);
  for (std::uint32_t k = 100; k < 300; ++k)
    EXPECT_NEAR(all.log10_cdf_without(k, {}).value_or(1), all.log10_cdf(k), 1e-9) << k;
}

}  // namespace
}  // namespace fastid::stats
