// Pairs of sites: the definition against copies that are counted one by one, and the native engine against
// the definition.
#include "engine/linkage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/cohort.hpp"
#include "support/cpu_targets.hpp"

namespace fastid {
namespace {

using namespace testing;

SiteCounts by_units(const Cohort& cohort, std::uint32_t first, std::uint32_t second) {
  SiteCounts counts;
  for (std::uint32_t u = 0; u < cohort.units; ++u) {
    const int x = cohort.copies[first][u], y = cohort.copies[second][u];
    if (x == kMissing || y == kMissing) continue;
    ++counts.called;
    counts.x += static_cast<std::uint32_t>(x);
    counts.y += static_cast<std::uint32_t>(y);
    counts.xx += static_cast<std::uint32_t>(x * x);
    counts.yy += static_cast<std::uint32_t>(y * y);
    counts.xy += static_cast<std::uint32_t>(x * y);
  }
  return counts;
}

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

TEST_P(Linkage, TheDefinitionCountsUnitByUnit) {
  const auto [unit, missing] = GetParam();
  const Cohort cohort = make_cohort(20, 75, unit, missing);
  for (std::uint32_t a = 0; a < 20; ++a)
    for (std::uint32_t b = 0; b < 20; ++b)
      EXPECT_EQ(count_sites(unit, cohort.blocks.view(), a, b), by_units(cohort, a, b));
}

// Sites on both sides of a group of 8 and a block of 32, units on both sides of a word.
TEST_P(Linkage, TheNativeEngineFindsWhatTheDefinitionFinds) {
  const auto [unit, missing] = GetParam();
  for (const std::uint32_t n_sites : {1, 2, 7, 8, 9, 31, 33, 70})
    for (const std::uint32_t units : {2, 32, 33, 200}) {
      const Cohort cohort = make_cohort(n_sites, units, unit, missing);
      const Sites sites{cohort};
      for (const double min_r2 : {0.0, 0.2, 0.9, 1.0}) {
        const SiteTile all{0, n_sites, 0, n_sites}, part{n_sites / 4, n_sites / 2, n_sites / 3, n_sites};
        const auto reference = sites.engine("reference", min_r2);
        const auto right = find(*reference, all), right_part = find(*reference, part);
        SCOPED_TRACE(::testing::Message() << n_sites << " " << units << " " << min_r2);
        for_each_target([&] { return sites.engine("cpu", min_r2); },
                        [&](const SiteCounter& engine) {
                          EXPECT_EQ(find(engine, all), right);
                          EXPECT_EQ(find(engine, part), right_part);
                        });
      }
    }
}

TEST_P(Linkage, TheNativeEngineCountsEveryPairOfARectangle) {
  const auto [unit, missing] = GetParam();
  for (const std::uint32_t n : {1, 7, 9, 32, 33, 70}) {
    const Cohort cohort = make_cohort(n, 133, unit, missing);
    const Sites sites{cohort};
    SCOPED_TRACE(n);
    const auto check = [&](const SiteCounter& engine) {
      for (const Rectangle& pairs :
           {Rectangle{0, n, 0, n}, Rectangle{n / 3, n / 2 + 1, n / 4, n}, Rectangle{n - 1, n, 0, n / 2}}) {
        std::vector<SiteCounts> counts((pairs.row_end - pairs.row_begin) * pairs.columns());
        engine.count(pairs, counts);
        for (std::size_t i = 0; i < counts.size(); ++i) {
          const auto row = static_cast<std::uint32_t>(pairs.row_begin + i / pairs.columns());
          const auto column = static_cast<std::uint32_t>(pairs.column_begin + i % pairs.columns());
          EXPECT_EQ(counts[i], by_units(cohort, row, column)) << row << " " << column;
        }
      }
    };
    for_each_target([&] { return sites.engine("cpu", 0.5); }, check);
  }
}

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
