// Sums of weights (engine/weighted_count.hpp) by engines that count them beside queries without weights, held
// to sums taken bit by bit.
//
// FASTID_TEST_OPENCL names the OpenCL device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "opencl/devices.hpp"
#include "opencl/opencl_engine.hpp"
#include "pipeline/pipeline.hpp"
#include "support/checksums.hpp"
#include "support/engine_maker.hpp"
#include "support/opencl_device.hpp"
#include "support/weighed_world.hpp"

namespace fastid {
namespace {

using namespace testing;

using Maker = EngineMaker<Engine, Problem>;

std::unique_ptr<Engine> opencl_engine(const OpenClTuning& tuning) {
  return make_opencl_engine(opencl_selector(), {}, tuning);
}

std::vector<Maker> makers() {
  const auto opencl = [](const std::string& name, const OpenClTuning& tuning) {
    return Maker{name, [=](const Problem&) { return opencl_engine(tuning); }, "", true};
  };
  return {{"reference", [](const Problem&) { return make_reference_engine({}); }},
          opencl("opencl", {}),
          opencl("opencl_own_memory", {.own_memory = true}),
          opencl("opencl_overflowing", {.found_pairs = 7}),
          opencl("opencl_counting_few", {.pairs = 40}),
          {"opencl_twice",
           [](const Problem&) {
             std::vector<std::unique_ptr<Engine>> two;
             for (int i = 0; i < 2; ++i) two.push_back(opencl_engine({}));
             return make_joint_engine(std::move(two));
           },
           "", true}};
}

class WeightedConformance : public ::testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    if (!GetParam().can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }
};

TEST_P(WeightedConformance, FindsThePairsThatPassWithTheirCounts) {
  // Each encoding is a kernel of its own, which a driver for CPUs compiles for a second.
  const bool all = GetParam().name == "opencl" || !GetParam().opencl;
  for (const WeighedSize& size : std::span(kWeighedSizes).first(all ? std::size(kWeighedSizes) : 1)) {
    SCOPED_TRACE(::testing::Message() << size);
    const WeighedWorld world(size);
    const WeightedCount count(world.problem(), world.weights);
    const Problem problem = world.problem(&count);
    GetParam().use(problem, [&](Engine& engine) {
      ASSERT_TRUE(engine.supports(problem));
      const Tile tile{.first_block = 3, .shape = world.blocks.shape()};
      const auto queries = engine.prepare(problem, {.workers = 0});
      const auto worker = queries->open_worker(tile.n_blocks());
      world.fill(worker->buffer());
      for (const std::vector<Threshold>& thresholds :
           {std::vector<Threshold>(WeighedWorld::kQueries), some_thresholds(),
            std::vector<Threshold>(WeighedWorld::kQueries, Threshold{.max_count = 0, .num = 0, .den = 1})}) {
        std::vector<Pair> found;
        EXPECT_EQ(worker->compare(tile, {}, thresholds, found), 0u);
        std::ranges::sort(found);
        EXPECT_EQ(found, world.passing(thresholds, tile.first_row()));
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, WeightedConformance, ::testing::ValuesIn(makers()),
                         [](const auto& maker) { return maker.param.name; });

class WeightedOnADevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }
  WeighedWorld world_{kWeighedSizes[0]};
};

TEST_F(WeightedOnADevice, WithoutQueriesByCalls) {
  for (const std::size_t query : {1, 3}) world_.weights[query] = world_.weights[0];
  const WeightedCount count(world_.problem(), world_.weights);
  const auto engine = opencl_engine({});
  const auto queries = engine->prepare(world_.problem(&count), {.workers = 0});
  const Tile tile{.first_block = 0, .shape = world_.blocks.shape()};
  const auto worker = queries->open_worker(tile.n_blocks());
  world_.fill(worker->buffer());
  std::vector<Pair> found;
  worker->compare(tile, {}, some_thresholds(), found);
  std::ranges::sort(found);
  EXPECT_EQ(found, world_.passing(some_thresholds(), 0));
}

TEST_F(WeightedOnADevice, ADamagedBlockIsSeen) {
  const WeightedCount count(world_.problem(), world_.weights);
  const auto engine = opencl_engine({.own_memory = true});
  const auto queries = engine->prepare(world_.problem(&count), {.workers = 0});
  const Tile tile{.first_block = 0, .shape = world_.blocks.shape()};
  const auto worker = queries->open_worker(tile.n_blocks());
  ASSERT_TRUE(worker->checks_blocks());
  world_.fill(worker->buffer());
  std::vector<std::uint64_t> sums = block_checksums(world_.blocks.view());
  std::vector<Pair> found;
  EXPECT_EQ(worker->compare(tile, sums, some_thresholds(), found), 0u);
  sums[1] ^= 1;
  EXPECT_EQ(worker->compare(tile, sums, some_thresholds(), found), 1u);
}

// A slice has weights of its queries alone.
TEST_F(WeightedOnADevice, QueriesInSlicesRankAlike) {
  const WeightedCount count(world_.problem(), world_.weights);
  const Problem problem = world_.problem(&count);
  const MemorySource database(world_.blocks.view());
  const auto ranked = [&](Engine& engine) {
    Progress silent(ProgressMode::kNever, "", "", 0);
    return search_database(database, problem, engine, {{.top = 9}, {}}, 2, silent).ranked;
  };
  const auto expected = ranked(*count.make_engine(2));
  const auto found = ranked(*opencl_engine({.queries = 2}));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t query = 0; query < expected.size(); ++query)
    EXPECT_EQ(found[query].pairs, expected[query].pairs) << query;
}

}  // namespace
}  // namespace fastid
