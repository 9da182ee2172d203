// Linked sites on a device against the definition, on both sides of tiles' and words' edges.
#include "opencl/site_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "opencl/device_buffer.hpp"
#include "support/cohort.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

std::vector<LinkedSites> sorted(std::vector<LinkedSites> found) {
  std::ranges::sort(found, {}, [](const LinkedSites& pair) { return std::pair(pair.second, pair.first); });
  return found;
}

std::vector<LinkedSites> find(const SiteEngine& engine, const SiteTile& tile) {
  std::vector<LinkedSites> found;
  engine.find(tile, found);
  return sorted(found);
}

class SiteEngineOnADevice : public OnADevice,
                            public ::testing::WithParamInterface<std::tuple<SiteUnit, double>> {};

TEST_P(SiteEngineOnADevice, FindsWhatTheDefinitionFinds) {
  const auto [unit, missing] = GetParam();
  BufferGuard guard;
  for (const std::uint32_t n_sites : {2, 33, 150})
    for (const std::uint32_t units : {33, 256, 300}) {
      const Cohort cohort = make_cohort(n_sites, units, unit, missing);
      const std::vector<SiteCounts> own = own_counts(unit, cohort.blocks.view());
      for (const double min_r2 : {0.0, 0.3}) {
        SCOPED_TRACE(::testing::Message() << n_sites << " sites, " << units << " units, r2 " << min_r2);
        const SiteProblem problem{cohort.blocks.view(), unit, min_r2, own};
        const auto right = make_site_engine("reference", problem);
        const auto engine = make_opencl_site_engine(opencl_selector(), problem);
        for (const SiteTile& tile :
             {SiteTile{0, n_sites, 0, n_sites}, SiteTile{n_sites / 4, n_sites / 2, n_sites / 3, n_sites}})
          EXPECT_EQ(find(*engine, tile), find(*right, tile));
      }
    }
  EXPECT_TRUE(guard.whole());
}

TEST_P(SiteEngineOnADevice, LosesNoPairWhereItsBufferIsSmall) {
  const auto [unit, missing] = GetParam();
  const Cohort cohort = make_cohort(40, 100, unit, missing);
  const std::vector<SiteCounts> own = own_counts(unit, cohort.blocks.view());
  const SiteProblem problem{cohort.blocks.view(), unit, 0, own};
  const SiteTile all{0, 40, 0, 40};
  const auto engine = make_opencl_site_engine(opencl_selector(), problem, 50);
  EXPECT_EQ(find(*engine, all), find(*make_site_engine("reference", problem), all));
}

INSTANTIATE_TEST_SUITE_P(Units, SiteEngineOnADevice,
                         ::testing::Combine(::testing::Values(SiteUnit::kHaplotypes, SiteUnit::kGenotypes),
                                            ::testing::Values(0.0, 0.05)));

}  // namespace
}  // namespace fastid
