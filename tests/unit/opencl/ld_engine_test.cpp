// Linked sites on a device against the oracle of support/ld_oracle.hpp: with a small buffer, by several
// devices, and by the kernel of popcounts with every config. tests/conformance has each kernel on both sides
// of tiles' and words' edges.
#include "opencl/counting_engines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/thread_pool.hpp"
#include "model/registry.hpp"
#include "opencl/device_buffer.hpp"
#include "support/ld_oracle.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid::opencl {
namespace {

using namespace testing;

class SiteEngineOnADevice
    : public OnADevice,
      public ::testing::WithParamInterface<std::tuple<engine::LdUnit, double, BitProducts>> {};

TEST_P(SiteEngineOnADevice, LosesNoPairWhereItsBufferIsSmall) {
  const auto [unit, missing, products] = GetParam();
  const LdWorld world(40, 100, unit, missing);
  const auto engine = make_opencl_ld_engine(opencl_selector(), world.problem(0, true),
                                            {.products = products, .most_found = 50});
  EXPECT_EQ(linked_by(*engine, world.all()), world.truth.linked(world.all(), 0));
  EXPECT_EQ(counted_by(*engine, world.all()), world.counts(world.all()));
}

INSTANTIATE_TEST_SUITE_P(
    Units, SiteEngineOnADevice,
    ::testing::Combine(::testing::Values(engine::LdUnit::kHaplotypes, engine::LdUnit::kGenotypes),
                       ::testing::Values(0.0, 0.05),
                       ::testing::Values(BitProducts::kPopcounts, BitProducts::kPortableMatrix)));

class SiteDevices : public OnADevice {};

TEST_F(SiteDevices, ShareTilesAmongThem) {
  constexpr std::uint32_t kSites = 130, kFirsts = 10;
  const LdWorld world(kSites, 200, engine::LdUnit::kGenotypes, 0);
  const engine::LdProblem problem = world.problem(0.1);
  std::vector<std::unique_ptr<engine::LdEngine>> engines;
  for (int i = 0; i < 2; ++i) engines.push_back(make_opencl_ld_engine(opencl_selector(), problem));
  const auto engine = engine::make_joint_ld(std::move(engines), problem);
  std::vector<std::vector<engine::LdPair>> found(kSites / kFirsts);
  ThreadPool(6).for_each(found.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    const auto begin = static_cast<std::uint32_t>(i) * kFirsts;
    engine->find({begin, begin + kFirsts, begin, kSites}, found[i]);
  });
  std::vector<engine::LdPair> all;
  for (const std::vector<engine::LdPair>& of_tile : found)
    all.insert(all.end(), of_tile.begin(), of_tile.end());
  EXPECT_EQ(in_order(all), world.truth.linked(world.all(), 0.1));
}

// Row blocks and column tiles of each config's own, and grids that have fewer work-groups than there are of
// these.
class SiteConfigs : public OnADevice, public ::testing::WithParamInterface<std::string> {};

TEST_P(SiteConfigs, FindAndCountWhatIsRight) {
  const std::vector<std::string> names = model::embedded_config_names();
  const auto n = std::ranges::find(names, GetParam()) - names.begin();
  const engine::LdUnit unit = n % 2 == 0 ? engine::LdUnit::kGenotypes : engine::LdUnit::kHaplotypes;
  const double missing = n % 4 < 2 ? 0.05 : 0;
  BufferGuard guard;
  for (const std::uint32_t units : {33, 1300}) {
    const LdWorld world(210, units, unit, missing);
    const auto engine = make_opencl_ld_engine(opencl_selector(), world.problem(0.3, true),
                                              {.products = BitProducts::kPopcounts, .config = GetParam()});
    for (const engine::Rectangle& some : {world.all(), engine::Rectangle{37, 101, 65, 199}}) {
      EXPECT_EQ(linked_by(*engine, some), world.truth.linked(some, 0.3));
      EXPECT_EQ(counted_by(*engine, some), world.counts(some));
    }
  }
  EXPECT_TRUE(guard.whole());
}

INSTANTIATE_TEST_SUITE_P(All, SiteConfigs, ::testing::ValuesIn(model::embedded_config_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace fastid::opencl
