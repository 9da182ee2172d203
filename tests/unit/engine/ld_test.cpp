// What is linked by just its limit, the cells of pairs, and what has no correlation. tests/conformance counts
// and finds.
#include "engine/ld.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "engine/cpu/cpu_ld.hpp"
#include "support/ld_oracle.hpp"

namespace fastid::engine {
namespace {

using namespace testing;

class Linkage : public ::testing::TestWithParam<std::tuple<LdUnit, double>> {};

TEST_P(Linkage, ACorrelationOfJustTheLimitIsLinked) {
  const auto [unit, missing] = GetParam();
  const LdWorld world(40, 500, unit, missing);
  const std::vector<LdPair> linked = world.truth.linked(world.all(), 0.3);
  EXPECT_FALSE(linked.empty());
  for (const LdPair& pair : linked) {
    const double r2 = *squared_correlation(pair.counts);
    EXPECT_NEAR(r2, static_cast<double>(*true_r2(pair.counts)), 1e-15);
    const Rectangle one{pair.first, pair.first + 1, pair.second, pair.second + 1};
    EXPECT_EQ(linked_by(*make_ld_engine("cpu", world.problem(r2)), one).size(), 1U);
    EXPECT_EQ(linked_by(*make_ld_engine("cpu", world.problem(std::nextafter(r2, 2))), one).size(), 0U);
  }
}

TEST_P(Linkage, CellsAreCountedOfAPairAndOfABlock) {
  constexpr std::uint32_t kSites = 40;  // the second block is not full
  const auto [unit, missing] = GetParam();
  const LdWorld world(kSites, 500, unit, missing);
  const BlocksView view = world.packed.view();
  std::array<GenotypeCells, kLanes> cells;
  for (std::uint32_t site = 0; site < kSites; ++site)
    for (std::uint32_t other = 0; other < kSites; ++other) {
      if (other % kLanes == 0) count_cells(view, site, other / kLanes, cells);
      const GenotypeCells right = true_cells(world.cohort, site, other);
      EXPECT_EQ(cells[other % kLanes], right);
      EXPECT_EQ(count_cells(view, site, other), right);
      EXPECT_EQ(site_counts(unit, right), true_counts(world.cohort, site, other));
    }
}

TEST_P(Linkage, ASiteThatDoesNotVaryIsNotCountedWithOthers) {
  constexpr std::uint32_t kSites = 70;  // the last block is not full
  const auto [unit, missing] = GetParam();
  Cohort cohort = make_cohort(kSites, 500, unit, missing);
  const auto varies = [](std::uint32_t site) { return site % 4 != 0; };
  for (std::uint32_t site = 0; site < kSites; ++site)
    for (std::uint32_t u = 0; !varies(site) && u < cohort.units; ++u)
      if (cohort.copies[site][u] != kMissing) cohort.copies[site][u] = 0;
  const LdWorld world(std::move(cohort));
  for (const double min_r2 : {0.0, 0.3}) {
    const auto candidates = ld_candidates(world.problem(min_r2), world.all());
    EXPECT_FALSE(candidates.empty());
    for (const auto& [first, second] : candidates)
      EXPECT_TRUE(varies(first) && varies(second)) << first << " and " << second;
    EXPECT_EQ(linked_by(*make_ld_engine("cpu", world.problem(min_r2)), world.all()),
              world.truth.linked(world.all(), min_r2));
  }
}

INSTANTIATE_TEST_SUITE_P(Units, Linkage,
                         ::testing::Combine(::testing::Values(LdUnit::kHaplotypes, LdUnit::kGenotypes),
                                            ::testing::Values(0.0, 0.05, 0.6)));

TEST(SquaredCorrelation, IsNoneOfASiteThatDoesNotVary) {
  EXPECT_FALSE(squared_correlation({.called = 10, .x = 0, .y = 4, .xx = 0, .yy = 4, .xy = 0}));
  EXPECT_FALSE(squared_correlation({}));
  EXPECT_EQ(squared_correlation({.called = 4, .x = 2, .y = 2, .xx = 2, .yy = 2, .xy = 2}), 1.0);
}

TEST(SquaredCorrelation, IsExactForTheMostUnits) {
  constexpr std::uint32_t n = kMostLdUnits;
  static_assert(std::uint64_t{n} * 4 <= UINT32_MAX && std::uint64_t{n} * n * 4 < std::uint64_t{1} << 62);
  // All but one are homozygous for the minor allele, the same one at both sites.
  const LdCounts same{n, 2 * (n - 1), 2 * (n - 1), 4 * (n - 1), 4 * (n - 1), 4 * (n - 1)};
  EXPECT_EQ(squared_correlation(same), 1.0);
  // Another one at the second site: cov = -4, variances 4 (n - 1).
  const LdCounts other{n, 2 * (n - 1), 2 * (n - 1), 4 * (n - 1), 4 * (n - 1), 4 * (n - 2)};
  EXPECT_DOUBLE_EQ(*squared_correlation(other), 1 / (double{n - 1} * double{n - 1}));
  EXPECT_FALSE(squared_correlation({n, 2 * n, 2 * (n - 1), 4 * n, 4 * (n - 1), 4 * (n - 1)}));
}

}  // namespace
}  // namespace fastid::engine
