// What engines and files do wrong stops the search, or is made up for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "base/error.hpp"
#include "pipeline/search.hpp"
#include "support/checksums.hpp"
#include "world.hpp"

namespace fastid::pipeline {
namespace {

using testing::Case;
using testing::Changed;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing::Touchy;

TEST(Faults, TilesAreHalvedUntilTheDeviceHasMemoryForThem) {
  Case run;
  Changed engine([](engine::WorkPlan& plan) { plan.tile_blocks = 4; });
  engine.on_open = [](std::size_t blocks) {
    if (blocks > 1) throw DeviceMemoryError("no memory");
  };
  EXPECT_EQ(run.search(run.file, engine), run.expected());
  EXPECT_EQ(run.stats.tile_blocks, 1u);
  EXPECT_EQ(run.stats.tiles, 4u);
  engine.on_open = [](std::size_t) { throw DeviceMemoryError("no memory"); };
  EXPECT_THROW(run.search(run.file, engine), DeviceMemoryError);
}

TEST(Faults, AWorkerThatTheDeviceHasNoMemoryForIsLeftOut) {
  Case run;
  Changed engine;
  std::atomic<bool> opened = false;
  engine.on_open = [&](std::size_t) {
    if (opened.exchange(true)) throw DeviceMemoryError("no memory");
  };
  EXPECT_EQ(run.search(run.file, engine), run.expected());
  EXPECT_EQ(run.stats.workers, 1u);
  EXPECT_EQ(run.stats.tiles, 4u);
}

// Ranks what the engine finds and verifies it, as a search does before it names anything.
void search_and_verify(Case& run, engine::Engine& engine) {
  verify(run.source, run.problem, blame_on(engine), run.search(run.file, engine), 2);
}

void expect_caught(const std::function<void(std::vector<engine::Pair>&)>& lie, const char* message) {
  Case run;
  Changed engine;
  engine.on_pairs = lie;
  EXPECT_THAT([&] { search_and_verify(run, engine); }, ThrowsMessage<DeviceError>(HasSubstr(message)));
}

TEST(Faults, ADeviceThatMiscountsIsCaughtBeforeAnythingIsNamed) {
  const auto change = [](std::uint32_t engine::PairCounts::*what) {
    return [what](std::vector<engine::Pair>& found) {
      for (engine::Pair& pair : found)
        if (pair.counts.count > 0) --(pair.counts.*what);
    };
  };
  expect_caught(change(&engine::PairCounts::count), "changed counted ");
  expect_caught(change(&engine::PairCounts::compared), "changed counted ");
  Case run;
  Changed honest;
  EXPECT_NO_THROW(search_and_verify(run, honest));
}

TEST(Faults, APairThatDoesNotExistIsCaught) {
  for (const engine::Pair& wrong : {engine::Pair{0, 2, {0, 0, 50}}, engine::Pair{100, 0, {0, 0, 50}},
                                    engine::Pair{UINT64_MAX, 0, {0, 0, 50}}})
    expect_caught([&](std::vector<engine::Pair>& found) { found.push_back(wrong); },
                  "changed found a pair that does not exist");
}

TEST(Faults, APairThatIsGivenTwiceIsCaught) {
  expect_caught(
      [](std::vector<engine::Pair>& found) {
        const auto best =
            std::ranges::min_element(found, {}, [](const engine::Pair& pair) { return pair.counts.count; });
        if (best != found.end()) found.push_back(engine::Pair(*best));
      },
      "was found twice for query");
}

TEST(Faults, APairOfTheSampleThatDoesNotComeAgainIsCaught) {
  Case run;
  run.blocks = testing::random_blocks({64 * 8 * kLanes, 50}, 2);
  run.problem.database = run.blocks.shape();
  Changed engine;
  engine.on_pairs = [](std::vector<engine::Pair>& found) {
    std::erase_if(found, [](const engine::Pair& pair) { return pair.query == 1; });
  };
  EXPECT_THAT(
      [&] { run.search(MemorySource(run.blocks.view()), engine); },
      ThrowsMessage<DeviceError>(HasSubstr("pairs of query 1 that were counted before did not come again")));
}

TEST(Faults, ADamagedBlockStopsTheSearch) {
  Case run;
  const Touchy broken(run.blocks.view(), 2);
  Changed engine;
  EXPECT_THROW(run.search(broken, engine), InputError);
}

TEST(Faults, WhatAWorkerHoldsAgainstChecksumsIsReadWithout) {
  Case run;
  run.file.sums = testing::block_checksums(run.blocks.view());
  Changed engine;
  EXPECT_EQ(run.search(run.file, engine), run.expected());
  EXPECT_EQ(run.file.unhashed_reads, 0);
  engine.checks = true;
  EXPECT_EQ(run.search(run.file, engine), run.expected());
  EXPECT_EQ(run.file.unhashed_reads, 4);
}

TEST(Faults, ABlockThatIsDamagedOnItsWayToTheDeviceIsBlamedOnIt) {
  Case run;
  run.file.sums = testing::block_checksums(run.blocks.view());
  Changed engine;
  engine.checks = true;
  bool damaged = false;
  engine.on_tile = [&](const engine::Tile& tile, const engine::TileBuffer& buffer) {
    if (tile.first_block == 2 && !std::exchange(damaged, true)) buffer.bits[0] ^= 1;
  };
  // Here the worker's buffer is the device's memory too, so that reading again shows the difference there.
  EXPECT_THROW(run.search(run.file, engine), Failure);
}

TEST(Faults, ABlockThatIsDamagedInTheFileIsNamedByReadingItAgain) {
  Case run;
  Touchy broken(run.blocks.view(), 2);
  broken.sums = testing::block_checksums(run.blocks.view());
  Changed engine;
  engine.checks = true;
  EXPECT_THAT([&] { run.search(broken, engine); }, ThrowsMessage<InputError>(HasSubstr("block 7")));
  broken.heals = true;
  EXPECT_THAT([&] { run.search(broken, engine); },
              ThrowsMessage<Failure>(HasSubstr("1 block of the database changed between two reads")));
}

}  // namespace
}  // namespace fastid::pipeline
