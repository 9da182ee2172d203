// Linked sites on a device against the definition: with a small buffer, by several devices, and by the kernel
// of popcounts with every config. tests/conformance has each kernel on both sides of tiles' and words' edges.
#include "opencl/ld_engine.hpp"

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

std::vector<LdPair> sorted(std::vector<LdPair> found) {
  std::ranges::sort(found, {}, [](const LdPair& pair) { return std::pair(pair.second, pair.first); });
  return found;
}

std::vector<LdPair> find(const LdEngine& engine, const Rectangle& tile) {
  std::vector<LdPair> found;
  engine.find(tile, found);
  return sorted(found);
}

std::vector<LdCounts> count(const LdEngine& engine, const Rectangle& pairs) {
  std::vector<LdCounts> counts(pairs.pairs());
  engine.count(pairs, counts);
  return counts;
}

class SiteEngineOnADevice : public OnADevice,
                            public ::testing::WithParamInterface<std::tuple<LdUnit, double, BitProducts>> {};

TEST_P(SiteEngineOnADevice, LosesNoPairWhereItsBufferIsSmall) {
  const auto [unit, missing, products] = GetParam();
  const Cohort cohort = make_cohort(40, 100, unit, missing);
  const std::vector<LdCounts> own = own_counts(unit, cohort.blocks.view());
  const LdProblem problem{cohort.blocks.view(), unit, 0, own, true};
  const Rectangle all{0, 40, 0, 40};
  const auto engine =
      make_opencl_ld_engine(opencl_selector(), problem, {.products = products, .most_found = 50});
  const auto reference = make_ld_engine("reference", problem);
  EXPECT_EQ(find(*engine, all), find(*reference, all));
  EXPECT_EQ(count(*engine, {0, 40, 0, 40}), count(*reference, {0, 40, 0, 40}));
}

INSTANTIATE_TEST_SUITE_P(Units, SiteEngineOnADevice,
                         ::testing::Combine(::testing::Values(LdUnit::kHaplotypes, LdUnit::kGenotypes),
                                            ::testing::Values(0.0, 0.05),
                                            ::testing::Values(BitProducts::kPopcounts,
                                                              BitProducts::kPortableMatrix)));

class SiteDevices : public OnADevice {};

TEST_F(SiteDevices, ShareTilesAmongThem) {
  constexpr std::uint32_t kSites = 130, kFirsts = 10;
  const Cohort cohort = make_cohort(kSites, 200, LdUnit::kGenotypes, 0);
  const std::vector<LdCounts> own = own_counts(LdUnit::kGenotypes, cohort.blocks.view());
  const LdProblem problem{cohort.blocks.view(), LdUnit::kGenotypes, 0.1, own};
  std::vector<std::unique_ptr<LdEngine>> engines;
  for (int i = 0; i < 2; ++i) engines.push_back(make_opencl_ld_engine(opencl_selector(), problem));
  const auto engine = make_joint_ld(std::move(engines), problem);
  std::vector<std::vector<LdPair>> found(kSites / kFirsts);
  ThreadPool(6).for_each(found.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    const auto begin = static_cast<std::uint32_t>(i) * kFirsts;
    engine->find({begin, begin + kFirsts, begin, kSites}, found[i]);
  });
  std::vector<LdPair> all;
  for (const std::vector<LdPair>& of_tile : found) all.insert(all.end(), of_tile.begin(), of_tile.end());
  EXPECT_EQ(sorted(all), find(*make_ld_engine("reference", problem), {0, kSites, 0, kSites}));
}

// Row blocks and column tiles of each config's own, and grids that have fewer work-groups than there are of
// these.
class SiteConfigs : public OnADevice, public ::testing::WithParamInterface<std::string> {};

TEST_P(SiteConfigs, FindWhatTheDefinitionFinds) {
  const std::vector<std::string> names = embedded_config_names();
  const auto n = std::ranges::find(names, GetParam()) - names.begin();
  const LdUnit unit = n % 2 == 0 ? LdUnit::kGenotypes : LdUnit::kHaplotypes;
  const double missing = n % 4 < 2 ? 0.05 : 0;
  BufferGuard guard;
  for (const std::uint32_t units : {33, 1300}) {
    const Cohort cohort = make_cohort(210, units, unit, missing);
    const std::vector<LdCounts> own = own_counts(unit, cohort.blocks.view());
    const LdProblem problem{cohort.blocks.view(), unit, 0.3, own, true};
    const auto right = make_ld_engine("reference", problem);
    const auto engine = make_opencl_ld_engine(opencl_selector(), problem,
                                              {.products = BitProducts::kPopcounts, .config = GetParam()});
    for (const Rectangle& tile : {Rectangle{0, 210, 0, 210}, Rectangle{37, 101, 65, 199}})
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
