// The distribution against closed forms, plain sums and simulation. scipy and 50-digit arithmetic are in
// tests/oracle.
#include "stats/internal/poisson_binomial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using Events = std::vector<Event>;

constexpr double kNoMore = -INFINITY;

Event event(double yes) {
  return {yes, 1 - yes};
}

Events same_events(std::size_t n, double yes) {
  return Events(n, event(yes));
}

Events random_events(std::size_t n, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> between(.01, .99);
  Events events(n);
  for (Event& e : events) e = event(between(rng));
  return events;
}

/// A share of them may count twice: some as genotypes do, some in ways that no two alleles could.
Events events_some_twice(std::size_t n, double share, std::mt19937_64& rng) {
  Events events = random_events(n, rng);
  for (Event& e : events) {
    const double once = e.yes * std::uniform_real_distribution<double>(0, 1)(rng);
    if (testing::chance(share, rng)) e = {once, e.no, 1 - e.no - once};
  }
  return events;
}

double log10_choose(double n, double k) {
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(10);
}

/// Relative 1e-9 of the number behind the logarithm.
void expect_log10(double actual, double expected) {
  if (std::isinf(expected))
    EXPECT_EQ(actual, expected);
  else
    EXPECT_NEAR(actual, expected, 1e-9 / std::log(10));
}

TEST(PoissonBinomial, OfNoEventsIsZero) {
  const PoissonBinomial none(Events{});
  EXPECT_EQ(none.n(), 0u);
  EXPECT_EQ(none.log10_cdf(0), 0);
  EXPECT_EQ(none.log10_pmf(0), 0);
  EXPECT_EQ(none.log10_pmf(1), kNoMore);
  EXPECT_EQ(none.pmf(), std::vector<double>{1});
  EXPECT_EQ(none.largest_within(-1), std::nullopt);
  EXPECT_EQ(none.largest_within(0), 0u);
}

TEST(PoissonBinomial, OfCertainAndImpossibleEventsIsCertain) {
  const PoissonBinomial fixed(Events{{0, 1}, {1, 0}, {1, 0}, {0, 1}});
  EXPECT_EQ(fixed.log10_cdf(1), kNoMore);
  EXPECT_EQ(fixed.log10_cdf(2), 0);
  EXPECT_EQ(fixed.log10_pmf(3), kNoMore);
  EXPECT_EQ(fixed.pmf(), (std::vector<double>{0, 0, 1, 0, 0}));
  EXPECT_EQ(fixed.largest_within(-5), 1u);
  const PoissonBinomial shifted(Events{{1, 0}, {.25, .75}, {0, 1}});
  expect_log10(shifted.log10_cdf(1), std::log10(.75));
  EXPECT_EQ(shifted.largest_within(-.2), 0u);
  EXPECT_EQ(shifted.largest_within(-.1), 1u);
}

TEST(PoissonBinomial, EqualsTheBinomialAtEveryCount) {
  for (const double p : {.001, .3, .5, .95}) {
    const std::uint32_t n = 700;
    const PoissonBinomial counts(same_events(n, p));
    for (std::uint32_t k = 0; k <= n; ++k)
      expect_log10(counts.log10_pmf(k),
                   log10_choose(n, k) + k * std::log10(p) + (n - k) * std::log1p(-p) / std::log(10));
  }
}

/// P(count = k), added up one event after the other.
std::vector<double> plain_sums(const Events& events) {
  std::vector<double> plain(2 * events.size() + 1);
  plain[0] = 1;
  for (const auto& [yes, no, twice] : events)
    for (std::size_t k = plain.size() - 1; k < plain.size(); --k)
      plain[k] = plain[k] * no + (k > 0 ? plain[k - 1] * yes : 0) + (k > 1 ? plain[k - 2] * twice : 0);
  return plain;
}

void expect_plain_sums(const Events& events) {
  const std::vector<double> plain = plain_sums(events);
  const PoissonBinomial counts(events);
  const std::vector<double> drawn = counts.pmf(), tail = counts.log10_cdf(0, counts.n());
  double sum = 0;
  for (std::uint32_t k = 0; k <= counts.n(); ++k) {
    SCOPED_TRACE(k);
    sum += plain[k];
    expect_log10(counts.log10_pmf(k), std::log10(plain[k]));
    expect_log10(tail[k], std::min(0., std::log10(sum)));
    expect_log10(log10_tail(events, k), std::min(0., std::log10(sum)));
    EXPECT_NEAR(drawn[k], plain[k], 1e-15);
  }
}

TEST(PoissonBinomial, EqualsPlainSumsWhereTheseAreExact) {
  std::mt19937_64 rng(1);
  expect_plain_sums(random_events(300, rng));
  for (const double share : {1., .5, .01}) {
    SCOPED_TRACE(share);
    expect_plain_sums(events_some_twice(250, share, rng));
  }
}

TEST(PoissonBinomial, CountsInTwosLeaveGaps) {
  const Events pairs(140, Event{0, .4, .6});  // its characteristic function rises to 1 again
  const PoissonBinomial counts(pairs);
  EXPECT_EQ(counts.n(), 280u);
  for (std::uint32_t k = 0; k < 140; k += 5) {
    const double expected = log10_choose(140, k) + k * std::log10(.6) + (140 - k) * std::log10(.4);
    expect_log10(counts.log10_pmf(2 * k), expected);
    expect_log10(log10_tail(pairs, 2 * k), PoissonBinomial(same_events(140, .6)).log10_cdf(k));
    expect_log10(log10_tail(pairs, 2 * k + 1), PoissonBinomial(same_events(140, .6)).log10_cdf(k));
  }
}

TEST(PoissonBinomial, AnEventThatCountsAtLeastOnceIsShifted) {
  const PoissonBinomial counts(Events{{.25, 0, .75}, {0, 0, 1}});
  EXPECT_EQ(counts.n(), 4u);
  EXPECT_EQ(counts.log10_cdf(2), kNoMore);
  expect_log10(counts.log10_cdf(3), std::log10(.25));
  EXPECT_EQ(counts.log10_cdf(4), 0);
  EXPECT_NEAR(counts.mean(), 3.75, 1e-15);
}

TEST(PoissonBinomial, KnowsTailsThatNoDoubleHolds) {
  const std::uint32_t n = 100'000;
  const PoissonBinomial counts(same_events(n, .4));
  expect_log10(counts.log10_cdf(0), n * std::log10(.6));  // 1e-22185
  expect_log10(counts.log10_pmf(0), n * std::log10(.6));
  expect_log10(counts.log10_pmf(n), n * std::log10(.4));
  const double one = log10_choose(n, 1) + std::log10(.4) + (n - 1) * std::log10(.6);
  expect_log10(counts.log10_cdf(1), one + std::log10(1 + .6 / .4 / n));
  EXPECT_EQ(counts.log10_cdf(n), 0);
  EXPECT_EQ(counts.log10_cdf(n + 1), 0);
}

TEST(PoissonBinomial, TailsMeetFromStretchToStretch) {
  std::mt19937_64 rng(2);
  const PoissonBinomial counts(random_events(3000, rng));
  std::vector<double> tail = counts.log10_cdf(0, 3000);
  EXPECT_TRUE(std::ranges::is_sorted(tail));
  for (std::uint32_t k = 1; k <= 1500; ++k) {  // cdf(k) - cdf(k - 1) = pmf(k)
    const double step = counts.log10_pmf(k) - tail[k];
    EXPECT_NEAR(std::pow(10, tail[k - 1] - tail[k]) + std::pow(10, step), 1, 1e-9) << k;
  }
}

TEST(PoissonBinomial, CarriesEventsOfAnyRarity) {
  const PoissonBinomial rare(Events{{1e-300, 1}, {.5, .5}, {1, 1e-30}});
  expect_log10(rare.log10_cdf(0), std::log10(.5) - 30);
  expect_log10(rare.log10_cdf(1), std::log10(.5));
  expect_log10(rare.log10_pmf(3), std::log10(.5) - 300);
}

TEST(PoissonBinomial, LargestWithinIsTheLastThatFits) {
  std::mt19937_64 rng(3);
  const PoissonBinomial counts(random_events(800, rng));
  const std::vector<double> tail = counts.log10_cdf(0, 800);
  for (const double limit : {-400., -250.5, -100., -30., -9., -2., -.3, -1e-9}) {
    const auto past = std::ranges::upper_bound(tail, limit);
    const std::optional<std::uint32_t> expected =
        past == tail.begin() ? std::nullopt
                             : std::optional(static_cast<std::uint32_t>(past - tail.begin() - 1));
    EXPECT_EQ(counts.largest_within(limit), expected) << limit;
  }
  EXPECT_EQ(counts.largest_within(0), 800u);
}

TEST(LogTail, EqualsTheDistributionAtEveryCount) {
  std::mt19937_64 rng(5);
  for (const double scale : {1., .3, .02, 1e-4})
    for (const std::size_t n : {0u, 1u, 127u, 128u, 600u}) {
      Events events = random_events(n, rng);
      for (Event& e : events) e = event(e.yes * scale);
      const PoissonBinomial counts(events);
      for (std::uint32_t k = 0; k <= n + 1; ++k) {
        SCOPED_TRACE(k);
        expect_log10(log10_tail(events, k), counts.log10_cdf(k));
      }
    }
}

TEST(LogTail, EqualsTheDistributionOfManyEvents) {
  std::mt19937_64 rng(6);
  const Events events = random_events(20'000, rng);
  const PoissonBinomial counts(events);
  for (const std::uint32_t k :
       {0u, 1u, 2u, 50u, 1000u, 5000u, 9000u, 9700u, 9900u, 10'000u, 10'300u, 12'000u, 20'000u}) {
    SCOPED_TRACE(k);
    expect_log10(log10_tail(events, k), counts.log10_cdf(k));
  }
}

TEST(LogTail, CarriesEventsOfAnyRarity) {
  Events events(200, Event{.5, .5});
  events.insert(events.end(), {{1e-300, 1}, {1, 1e-30}, {1, 0}, {0, 1}});
  const PoissonBinomial counts(events);
  for (const std::uint32_t k : {0u, 1u, 2u, 30u, 60u, 90u})
    expect_log10(log10_tail(events, k), counts.log10_cdf(k));
  events.resize(202);
  const PoissonBinomial open(events);
  for (const std::uint32_t k : {0u, 1u, 2u, 30u, 60u, 90u})
    expect_log10(log10_tail(events, k), open.log10_cdf(k));
}

TEST(PoissonBinomial, MeanAndSpreadAreThoseOfDraws) {
  std::mt19937_64 rng(4);
  const Events events = random_events(60, rng);
  const PoissonBinomial counts(events);
  constexpr std::size_t draws = 200'000;
  double sum = 0, squares = 0;
  std::size_t low = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    std::uint32_t happened = 0;
    for (const Event& e : events) happened += testing::chance(e.yes, rng);
    sum += happened;
    squares += 1. * happened * happened;
    low += happened <= 24;
  }
  const double mean = sum / draws;
  EXPECT_NEAR(mean, counts.mean(), 3 * counts.sd() / std::sqrt(draws));
  EXPECT_NEAR(std::sqrt(squares / draws - mean * mean), counts.sd(), 3 * counts.sd() / std::sqrt(2. * draws));
  testing::expect_share(low, draws, std::pow(10, counts.log10_cdf(24)));
}

}  // namespace
}  // namespace fastid::stats
