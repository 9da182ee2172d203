// The test that kernels make of a pair (kernels/pair.h), held against Threshold::passes(): never too
// strict, and seldom too lax.
#include "opencl/kernel/comparer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/kernel_case.hpp"

namespace fastid::opencl {
namespace {

// Queries that have every site called.
struct Asked {
  Asked(engine::Comparison comparison, Encoding by, std::uint32_t sites)
      : queries(1, 1, by),
        problem{comparison, &queries, {100, sites, by}, by == Encoding::kAlleles, by},
        table(make_threshold_table(problem, 1, {})) {
    table.at(kQueryDenominator, 0) = most_denominator();
  }
  std::uint32_t most_denominator() const {
    const engine::Terms terms = engine::terms_of(problem.comparison, problem.by);
    return problem.database.n_sites * static_cast<std::uint32_t>(terms.lesser ? 1 : terms.n_denominator);
  }
  // As kernels have it, in the arithmetic that they use.
  bool may_pass(const engine::PairCounts& pair) {
    const std::uint32_t denominator = std::max(pair.denominator, 1u), ratio = table.at(kRatio, 0),
                        offset = table.at(kOffset, 0);
    if (pair.count >= table.at(kLimit, 0)) return false;
    if (!is_wide(problem))
      return static_cast<std::int32_t>(denominator * ratio + (offset << 15) - (pair.count << 15)) >= 0;
    const std::int64_t above = (std::int64_t{pair.count} - static_cast<std::int32_t>(offset)) * (1 << 29);
    return std::int64_t{denominator} * ratio - above >= 0;
  }

  ProfileRows queries;
  engine::Problem problem;
  ThresholdTable table;
};

struct Counted {
  engine::Comparison comparison;
  Encoding by;
};
constexpr Counted kCounted[] = {{engine::Comparison::kIdentity, Encoding::kMinor},
                                {engine::Comparison::kIdentity, Encoding::kAlleles},
                                {engine::Comparison::kMixture, Encoding::kAlleles},
                                {engine::Comparison::kReverseMixture, Encoding::kAlleles},
                                {engine::Comparison::kKinship, Encoding::kAlleles}};
constexpr std::uint32_t kPanelSites[] = {1, 100, 8191, 8192, 16'383, 32'767, 32'768, 500'000'000};

// Calls check(asked, threshold, pair) with many pairs around what just passes.
template <class Check>
void for_each_threshold(bool with_offsets, const Check& check) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (const auto& [comparison, by] : kCounted)
    for (const std::uint32_t sites : kPanelSites) {
      Asked asked(comparison, by, sites);
      const auto most = static_cast<std::uint32_t>(engine::most_count(asked.problem));
      const std::uint32_t largest = asked.most_denominator();
      for (int n = 0; n < 2000; ++n) {
        const engine::PairCounts pair{static_cast<std::uint32_t>(below(std::uint64_t{most} + 1)),
                                      static_cast<std::uint32_t>(below(std::uint64_t{largest} + 1)), sites};
        const std::uint32_t denominator = std::max(pair.denominator, 1u);
        engine::Threshold threshold{UINT32_MAX, pair.count, denominator};
        if (with_offsets) {
          threshold.den = static_cast<std::uint32_t>(1 + below(1 << 24));
          threshold.num = static_cast<std::uint32_t>(below(1 << 24));
          threshold.offset =
              std::int64_t{pair.count} * threshold.den - std::int64_t{denominator} * threshold.num;
        }
        asked.table.set(0, threshold);
        check(asked, threshold, pair);
        const engine::PairCounts other{static_cast<std::uint32_t>(below(std::uint64_t{most} + 1)),
                                       static_cast<std::uint32_t>(below(std::uint64_t{largest} + 1)), sites};
        check(asked, threshold, other);
      }
    }
}

TEST(DeviceThresholds, LetThroughEveryPairThatPasses) {
  std::size_t passed = 0;
  for (const bool with_offsets : {false, true})
    for_each_threshold(
        with_offsets, [&](Asked& asked, const engine::Threshold& threshold, const engine::PairCounts& pair) {
          if (!threshold.passes(pair)) return;
          ++passed;
          ASSERT_TRUE(asked.may_pass(pair))
              << pair.count << " of " << pair.denominator << ", " << asked.problem.database.n_sites
              << " sites, " << threshold.num << " / " << threshold.den << " and " << threshold.offset;
        });
  EXPECT_GT(passed, 100'000u);
}

// A fraction that RATIO can hold is rounded by less than 2^-ratio_bits of the denominator, an offset by less
// than 1.
TEST(DeviceThresholds, StopPairsThatFailByMoreThanTheRounding) {
  std::size_t stopped = 0;
  for (const bool with_offsets : {false, true})
    for_each_threshold(
        with_offsets, [&](Asked& asked, const engine::Threshold& threshold, const engine::PairCounts& pair) {
          const ThresholdTable& table = asked.table;
          if (std::uint64_t{threshold.num} > std::uint64_t{table.most_ratio} * threshold.den) return;
          if (threshold.passes(pair)) return;
          engine::PairCounts worse = pair;
          worse.count += (with_offsets ? 2 : 1) + (std::max(pair.denominator, 1u) >> table.ratio_bits);
          if (worse.count > table.most_count) return;
          ++stopped;
          ASSERT_FALSE(asked.may_pass(worse)) << worse.count << " of " << worse.denominator;
        });
  EXPECT_GT(stopped, 40'000u);
}

TEST(DeviceThresholds, OpenOnesLetThroughAllAndRowsWithoutAQueryNone) {
  for (const auto& [comparison, by] : kCounted)
    for (const std::uint32_t sites : kPanelSites) {
      Asked asked(comparison, by, sites);
      EXPECT_FALSE(asked.may_pass({0, 0, 0}));
      for (const engine::Threshold& open :
           {engine::Threshold{}, engine::Threshold{UINT32_MAX, 3, 1000, engine::kOpenOffset}}) {
        asked.table.set(0, open);
        EXPECT_TRUE(asked.may_pass({static_cast<std::uint32_t>(engine::most_count(asked.problem)), 0, sites}))
            << sites;
        EXPECT_TRUE(asked.may_pass(
            {static_cast<std::uint32_t>(engine::most_count(asked.problem)), asked.most_denominator(), sites}))
            << sites;
      }
      asked.table.set(0, {UINT32_MAX, 3, 1000, -engine::kOpenOffset});
      EXPECT_FALSE(asked.may_pass({0, asked.most_denominator(), sites})) << sites;
    }
}

}  // namespace
}  // namespace fastid::opencl
