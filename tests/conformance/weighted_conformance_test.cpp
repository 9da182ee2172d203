// Sums of weights (engine/weighted_count.hpp) by engines that count them beside queries without weights, held
// to sums taken bit by bit.
//
// FASTID_TEST_OPENCL names the OpenCL device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "pipeline/search.hpp"
#include "support/checksums.hpp"
#include "support/counting_makers.hpp"
#include "support/on_a_device.hpp"
#include "support/weighed_world.hpp"

namespace fastid {
namespace {

using namespace testing;

std::vector<CountingMaker> weighted_makers() {
  std::vector<CountingMaker> makers = counting_makers(7, 40);
  for (const std::string& target : engine::cpu_engine_targets())
    makers.push_back({"cpu_" + target,
                      [](const engine::Problem& problem) { return problem.custom_count->make_engine(2); },
                      target});
  return makers;
}

class WeightedConformance : public CountingConformance {};

TEST_P(WeightedConformance, FindsThePairsThatPassWithTheirCounts) {
  // Each encoding is a kernel of its own, which a driver for CPUs compiles for a second.
  const bool all = GetParam().name == "opencl" || !GetParam().opencl;
  constexpr engine::Threshold kNone{.max_count = 0, .num = 0, .den = 1};
  for (const WeighedSize& size : std::span(kWeighedSizes).first(all ? std::size(kWeighedSizes) : 1)) {
    SCOPED_TRACE(::testing::Message() << size);
    const WeighedWorld world(size);
    const engine::WeightedCount count(world.problem(), world.weights);
    expect_conforms(world, world.problem(&count), 3,
                    {std::vector<engine::Threshold>(WeighedWorld::kQueries), some_thresholds(),
                     std::vector<engine::Threshold>(WeighedWorld::kQueries, kNone)});
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, WeightedConformance, ::testing::ValuesIn(weighted_makers()), kMakersName);

class WeightedOnADevice : public OnADevice {
 protected:
  WeighedWorld world_{kWeighedSizes[0]};
};

TEST_F(WeightedOnADevice, WithoutQueriesByCalls) {
  for (const std::size_t query : {1, 3}) world_.weights[query] = world_.weights[0];
  const engine::WeightedCount count(world_.problem(), world_.weights);
  const auto engine = opencl_engine({});
  EXPECT_EQ(FilledWorker(*engine, world_.problem(&count), world_, 0).found(some_thresholds()),
            passing(world_, some_thresholds(), 0));
}

TEST_F(WeightedOnADevice, ADamagedBlockIsSeen) {
  const engine::WeightedCount count(world_.problem(), world_.weights);
  const auto engine = opencl_engine({.own_memory = true});
  FilledWorker worker(*engine, world_.problem(&count), world_, 0);
  ASSERT_TRUE(worker->checks_blocks());
  std::vector<std::uint64_t> sums = block_checksums(world_.blocks.view());
  std::vector<engine::Pair> found;
  EXPECT_EQ(worker->compare(worker.tile, sums, some_thresholds(), found), 0u);
  sums[1] ^= 1;
  EXPECT_EQ(worker->compare(worker.tile, sums, some_thresholds(), found), 1u);
}

// A slice has weights of its queries alone.
TEST_F(WeightedOnADevice, QueriesInSlicesRankAlike) {
  const engine::WeightedCount count(world_.problem(), world_.weights);
  const engine::Problem problem = world_.problem(&count);
  const MemorySource database(world_.blocks.view());
  const auto ranked = [&](engine::Engine& engine) {
    Progress silent(ProgressMode::kNever, "", "", 0);
    return pipeline::search_database(database, problem, engine, {{.top = 9}, {}}, 2, silent).ranked;
  };
  const auto expected = ranked(*count.make_engine(2));
  const auto found = ranked(*opencl_engine({.queries = 2}));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t query = 0; query < expected.size(); ++query)
    EXPECT_EQ(found[query].pairs, expected[query].pairs) << query;
}

}  // namespace
}  // namespace fastid
