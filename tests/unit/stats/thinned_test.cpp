// Tails with events left out, against tails of the events that remain.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/internal/poisson_binomial.hpp"

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

TEST(TailsWithEventsLeftOut, EqualThoseOfTheOthers) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t answered = 0, asked = 0;
  for (const std::size_t n : {30, 100, 1024, 3000})
    for (int repeat = 0; repeat < 16; ++repeat) {
      const Split split = random_split(n, 0.06 * unit(rng), rng, repeat % 2 == 1);
      const PoissonBinomial all(split.all), stay(split.stay);
      for (const double share : {0.0, 0.05, unit(rng), 0.9, 0.97, 1.0, 1.1, 1.9}) {
        const auto k = static_cast<std::uint32_t>(share * stay.mean());
        const auto thinned = all.log10_cdf_without(k, split.out);
        ++asked;
        if (!thinned) continue;
        ++answered;
        EXPECT_NEAR(*thinned, stay.log10_cdf(k), 1e-9) << n << " events, at most " << k;
      }
    }
  EXPECT_GT(answered, asked * 9 / 10);
}

TEST(TailsWithEventsLeftOut, AreRefusedWhereTheyWouldNotBeRight) {
  std::mt19937_64 rng(8);
  const Split split = random_split(200, 0.5, rng);
  EXPECT_EQ(PoissonBinomial(split.all).log10_cdf_without(50, split.out), std::nullopt);  // half of them
  std::vector<Event> with_certain = split.all;
  with_certain.push_back({1, 0});
  EXPECT_EQ(PoissonBinomial(with_certain).log10_cdf_without(50, {}), std::nullopt);
}

TEST(TailsWithEventsLeftOut, SurviveEvenOddsWhichCancelAFrequency) {
  const std::vector<Event> even(40, Event{0.5, 0.5});
  const auto without = PoissonBinomial(even).log10_cdf_without(10, std::span(even).first(2));
  EXPECT_NEAR(without.value_or(1), PoissonBinomial(std::span(even).subspan(2)).log10_cdf(10), 1e-9);
}

TEST(TailsWithEventsLeftOut, NothingLeftOutIsTheWhole) {
  std::mt19937_64 rng(9);
  const Split split = random_split(500, 0, rng);
  const PoissonBinomial all(split.all);
  for (std::uint32_t k = 0; k < 200; ++k)
    EXPECT_NEAR(all.log10_cdf_without(k, {}).value_or(1), all.log10_cdf(k), 1e-9) << k;
}

}  // namespace
}  // namespace fastid::stats
