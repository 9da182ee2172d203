// What is linked by just its limit, and what has no correlation. tests/conformance counts and finds.
#include "engine/linkage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/cohort.hpp"

namespace fastid {
namespace {

using namespace testing;

/// Sites of a cohort, and their own counts.
struct Sites {
  const Cohort& cohort;
  std::vector<SiteCounts> own = own_counts(cohort.unit, cohort.blocks.view());

  SiteProblem problem(double min_r2) const { return {cohort.blocks.view(), cohort.unit, min_r2, own}; }
  std::unique_ptr<SiteCounter> engine(const std::string& device, double min_r2) const {
    return make_site_engine(device, problem(min_r2));
  }
};

std::vector<LinkedSites> find(const SiteCounter& engine, const SiteTile& tile) {
  std::vector<LinkedSites> found;
  engine.find(tile, found);
  std::ranges::sort(found, {}, [](const LinkedSites& pair) { return std::pair(pair.second, pair.first); });
  return found;
}

class Linkage : public ::testing::TestWithParam<std::tuple<SiteUnit, double>> {};

TEST_P(Linkage, ACorrelationOfJustTheLimitIsLinked) {
  const auto [unit, missing] = GetParam();
  const Cohort cohort = make_cohort(40, 500, unit, missing);
  const Sites sites{cohort};
  for (const LinkedSites& pair : find(*sites.engine("reference", 0.3), {0, 40, 0, 40})) {
    const double r2 = *squared_correlation(pair.counts);
    const SiteTile one{pair.first, pair.first + 1, pair.second, pair.second + 1};
    EXPECT_EQ(find(*sites.engine("cpu", r2), one).size(), 1U);
    EXPECT_EQ(find(*sites.engine("cpu", std::nextafter(r2, 2)), one).size(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Units, Linkage,
                         ::testing::Combine(::testing::Values(SiteUnit::kHaplotypes, SiteUnit::kGenotypes),
                                            ::testing::Values(0.0, 0.05, 0.6)));

TEST(SquaredCorrelation, IsNoneOfASiteThatDoesNotVary) {
  EXPECT_FALSE(squared_correlation({.called = 10, .x = 0, .y = 4, .xx = 0, .yy = 4, .xy = 0}));
  EXPECT_FALSE(squared_correlation({}));
  EXPECT_EQ(squared_correlation({.called = 4, .x = 2, .y = 2, .xx = 2, .yy = 2, .xy = 2}), 1.0);
}

}  // namespace
}  // namespace fastid
