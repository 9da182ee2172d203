// Linked sites on a device against the definition: with a small buffer, by several devices, and by the kernel
// of popcounts with every config. tests/conformance has each kernel on both sides of tiles' and words' edges.
#include "opencl/site_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/thread_pool.hpp"
#include "model/registry.hpp"
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

std::vector<SiteCounts> count(const SiteEngine& engine, const Rectangle& pairs) {
  std::vector<SiteCounts> counts(pairs.pairs());
  engine.count(pairs, counts);
  return counts;
}

class SiteEngineOnADevice : public OnADevice,
                            public ::testing::WithParamInterface<std::tuple<SiteUnit, double, BitProducts>> {
};

TEST_P(SiteEngineOnADevice, LosesNoPairWhereItsBufferIsSmall) {
  const auto [unit, missing, products] = GetParam();
  const Cohort cohort = make_cohort(40, 100, unit, missing);
  const std::vector<SiteCounts> own = own_counts(unit, cohort.blocks.view());
  const SiteProblem problem{cohort.blocks.view(), unit, 0, own, true};
  const SiteTile all{0, 40, 0, 40};
  const auto engine =
      make_opencl_site_engine(opencl_selector(), problem, {.products = products, .most_found = 50});
  const auto reference = make_site_engine("reference", problem);
  EXPECT_EQ(find(*engine, all), find(*reference, all));
  EXPECT_EQ(count(*engine, {0, 40, 0, 40}), count(*reference, {0, 40, 0, 40}));
}

INSTANTIATE_TEST_SUITE_P(Units, SiteEngineOnADevice,
                         ::testing::Combine(::testing::Values(SiteUnit::kHaplotypes, SiteUnit::kGenotypes),
                                            ::testing::Values(0.0, 0.05),
                                            ::testing::Values(BitProducts::kPopcounts,
                                                              BitProducts::kPortableMatrix)));

class SiteDevices : public OnADevice {};

TEST_F(SiteDevices, ShareTilesAmongThem) {
  constexpr std::uint32_t kSites = 130, kFirsts = 10;
  const Cohort cohort = make_cohort(kSites, 200, SiteUnit::kGenotypes, 0);
  const std::vector<SiteCounts> own = own_counts(SiteUnit::kGenotypes, cohort.blocks.view());
  const SiteProblem problem{cohort.blocks.view(), SiteUnit::kGenotypes, 0.1, own};
  std::vector<std::unique_ptr<SiteEngine>> engines;
  for (int i = 0; i < 2; ++i) engines.push_back(make_opencl_site_engine(opencl_selector(), problem));
  const auto engine = make_joint_sites(std::move(engines), problem);
  std::vector<std::vector<LinkedSites>> found(kSites / kFirsts);
  ThreadPool(6).for_each(found.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    const auto begin = static_cast<std::uint32_t>(i) * kFirsts;
    engine->find({begin, begin + kFirsts, begin, kSites}, found[i]);
  });
  std::vector<LinkedSites> all;
  for (const std::vector<LinkedSites>& of_tile : found) all.insert(all.end(), of_tile.begin(), of_tile.end());
  EXPECT_EQ(sorted(all), find(*make_site_engine("reference", problem), {0, kSites, 0, kSites}));
}

// Row blocks and column tiles of each config's own, and grids that have fewer work-groups than there are of
// these.
class SiteConfigs : public OnADevice, public ::testing::WithParamInterface<std::string> {};

TEST_P(SiteConfigs, FindWhatTheDefinitionFinds) {
  const std::vector<std::string> names = embedded_config_names();
  const auto n = std::ranges::find(names, GetParam()) - names.begin();
  const SiteUnit unit = n % 2 == 0 ? SiteUnit::kGenotypes : SiteUnit::kHaplotypes;
  const double missing = n % 4 < 2 ? 0.05 : 0;
  BufferGuard guard;
  for (const std::uint32_t units : {33, 1300}) {
    const Cohort cohort = make_cohort(210, units, unit, missing);
    const std::vector<SiteCounts> own = own_counts(unit, cohort.blocks.view());
    const SiteProblem problem{cohort.blocks.view(), unit, 0.3, own, true};
    const auto right = make_site_engine("reference", problem);
    const auto engine = make_opencl_site_engine(opencl_selector(), problem,
                                                {.products = BitProducts::kPopcounts, .config = GetParam()});
    for (const SiteTile& tile : {SiteTile{0, 210, 0, 210}, SiteTile{37, 101, 65, 199}})
      EXPECT_EQ(find(*engine, tile), find(*right, tile));
    for (const Rectangle& pairs : {Rectangle{0, 210, 0, 210}, Rectangle{37, 101, 65, 199}})
      EXPECT_EQ(count(*engine, pairs), count(*right, pairs));
  }
  EXPECT_TRUE(guard.whole());
}

INSTANTIATE_TEST_SUITE_P(All, SiteConfigs, ::testing::ValuesIn(embedded_config_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace fastid
