// What is linked by just its limit, and what has no correlation. tests/conformance counts and finds.
#include "engine/ld.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/cpu/cpu_ld.hpp"
#include "support/cohort.hpp"

namespace fastid {
namespace {

using namespace testing;

/// Sites of a cohort, and their own counts.
struct Sites {
  const Cohort& cohort;
  std::vector<LdCounts> own = own_counts(cohort.unit, cohort.blocks.view());

  LdProblem problem(double min_r2) const { return {cohort.blocks.view(), cohort.unit, min_r2, own}; }
  std::unique_ptr<LdEngine> engine(const std::string& device, double min_r2) const {
    return make_ld_engine(device, problem(min_r2));
  }
};

std::vector<LdPair> find(const LdEngine& engine, const Rectangle& tile) {
  std::vector<LdPair> found;
  engine.find(tile, found);
  std::ranges::sort(found, {}, [](const LdPair& pair) { return std::pair(pair.second, pair.first); });
  return found;
}

class Linkage : public ::testing::TestWithParam<std::tuple<LdUnit, double>> {};

TEST_P(Linkage, ACorrelationOfJustTheLimitIsLinked) {
  const auto [unit, missing] = GetParam();
  const Cohort cohort = make_cohort(40, 500, unit, missing);
  const Sites sites{cohort};
  for (const LdPair& pair : find(*sites.engine("reference", 0.3), {0, 40, 0, 40})) {
    const double r2 = *squared_correlation(pair.counts);
    const Rectangle one{pair.first, pair.first + 1, pair.second, pair.second + 1};
    EXPECT_EQ(find(*sites.engine("cpu", r2), one).size(), 1U);
    EXPECT_EQ(find(*sites.engine("cpu", std::nextafter(r2, 2)), one).size(), 0U);
  }
}

TEST_P(Linkage, CellsOfABlockAreThoseOfItsPairs) {
  constexpr std::uint32_t kSites = 40;  // the second block is not full
  const auto [unit, missing] = GetParam();
  const Cohort cohort = make_cohort(kSites, 500, unit, missing);
  const BlocksView view = cohort.blocks.view();
  std::array<GenotypeCells, kLanes> cells;
  for (std::uint32_t site = 0; site < kSites; ++site)
    for (std::uint32_t other = 0; other < kSites; ++other) {
      if (other % kLanes == 0) count_cells(view, site, other / kLanes, cells);
      EXPECT_EQ(cells[other % kLanes], count_cells(view, site, other));
      EXPECT_EQ(site_counts(unit, cells[other % kLanes]), count_sites(unit, view, site, other));
    }
}

TEST_P(Linkage, ASiteThatDoesNotVaryIsNotCountedWithOthers) {
  constexpr std::uint32_t kSites = 70;  // the last block is not full
  const auto [unit, missing] = GetParam();
  Cohort cohort = make_cohort(kSites, 500, unit, missing);
  const auto varies = [](std::uint32_t site) { return site % 4 != 0; };
  for (std::uint32_t site = 0; site < kSites; ++site)
    for (std::uint32_t u = 0; !varies(site) && u < cohort.units; ++u)
      if (cohort.copies[site][u] != kMissing) cohort.blocks.set_seen(site, u, kMajorSeen);
  const Sites sites{cohort};
  for (const double min_r2 : {0.0, 0.3}) {
    const Rectangle all{0, kSites, 0, kSites};
    const auto candidates = ld_candidates(sites.problem(min_r2), all);
    EXPECT_FALSE(candidates.empty());
    for (const auto& [first, second] : candidates)
      EXPECT_TRUE(varies(first) && varies(second)) << first << " and " << second;
    EXPECT_EQ(find(*sites.engine("cpu", min_r2), all), find(*sites.engine("reference", min_r2), all));
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
}  // namespace fastid
