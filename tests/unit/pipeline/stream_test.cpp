// The loop: tiles cover everything once, in as many slices of the queries as it takes.
#include "pipeline/stream.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "base/checked.hpp"
#include "world.hpp"

namespace fastid::pipeline {
namespace {

using testing::Case;
using testing::Changed;
using testing::random_blocks;

TEST(Stream, FindsEachQueryAtItsOwnRow) {
  Case run;
  const auto engine = engine::make_reference_engine({.tile_blocks = 1});
  const auto ranked = run.search(run.source, *engine);
  EXPECT_EQ(ranked, run.expected());
  EXPECT_EQ(ranked[1].pairs[0].row, 77u);
  EXPECT_EQ(run.stats.tiles, 4u);
  EXPECT_EQ(run.stats.read_bytes, 4 * run.problem.block_bytes());
}

TEST(Stream, ReadsNothingThatLiesInMemoryWhereTheEngineTakesItThere) {
  Case run;
  const auto engine = engine::make_cpu_engine({.threads = 1});
  EXPECT_EQ(run.search(run.source, *engine), run.expected());
  EXPECT_EQ(run.stats.read_bytes, 0u);
}

TEST(Stream, AsksMoreQueriesThanADeviceTakesInSlices) {
  Case run;
  std::vector<std::uint64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  run.queries = ProfileRows::from_blocks(run.blocks.view(), all);
  for (const std::size_t most : {1u, 7u, 99u, 100u, 101u}) {
    Changed engine([&](engine::WorkPlan& plan) { plan.queries = most; });
    EXPECT_EQ(run.search(run.file, engine), run.expected()) << most;
    const std::size_t slices = ceil_div<std::size_t>(100, most);
    EXPECT_EQ(engine.prepared, static_cast<int>(slices));
    EXPECT_EQ(engine.profiles, slices * 100);
  }
}

TEST(Stream, AsksNothingOfNobody) {
  Case run;
  run.queries = ProfileRows(0, 50);
  Changed engine;
  EXPECT_TRUE(run.search(run.file, engine).empty());
}

TEST(Stream, RanksAllPairsOfAManyQueriesWhereAllAreKept) {
  constexpr std::size_t kProfiles = 2048, kQueries = 300;
  Case run;
  BitBlocks blocks({kProfiles, 1});
  for (std::uint64_t row = 0; row < kProfiles; ++row) blocks.set(row, 0, row % 3 == 0);
  std::vector<std::uint64_t> which(kQueries);
  std::iota(which.begin(), which.end(), 0);
  run.queries = ProfileRows::from_blocks(blocks.view(), which);
  run.problem = {engine::Comparison::kIdentity, &run.queries, blocks.shape(), false};
  run.rule.top = match::KeepRule::kAll;
  const auto engine = engine::make_cpu_engine({.threads = 2});
  for (const match::RankedPairs& ranked : run.search(MemorySource(blocks.view()), *engine))
    ASSERT_EQ(ranked.pairs.size(), kProfiles);
}

// Of a database that is large enough for a sample: no tile has more blocks than the growth allows, and the
// sample's thresholds change nothing.
TEST(Stream, StartsFromTheThresholdsOfASample) {
  Case run;
  const BitBlocks blocks = random_blocks({64 * 8 * kLanes + 5, 50}, 2);
  run.problem.database = blocks.shape();
  run.blocks = random_blocks(blocks.shape(), 2);
  const auto expected = run.expected();
  std::atomic<std::uint64_t> pairs = 0;
  Changed engine([](engine::WorkPlan& plan) { plan.equal_tiles = true; });
  engine.on_pairs = [&](std::vector<engine::Pair>& found) { pairs += found.size(); };
  EXPECT_EQ(run.search(MemorySource(blocks.view()), engine), expected);
  const std::uint64_t with_sample = pairs.exchange(0);
  EXPECT_LT(with_sample, 400u);
  EXPECT_GT(run.stats.sample_seconds, 0);
  match::Ranking ranking(2, run.rule);
  Progress silent(ProgressMode::kNever, "", "", 0);
  stream(MemorySource(blocks.view()), run.problem, engine, ranking, silent);
  EXPECT_EQ(ranking.result(), expected);
  EXPECT_GT(pairs, with_sample);
}

TEST(Stream, TellsProgressOfEveryProfileOnceHoweverManySlices) {
  Case run;
  for (const std::size_t most : {1u, 2u}) {
    Changed engine([&](engine::WorkPlan& plan) { plan.queries = most; });
    match::Ranking ranking(2, run.rule);
    Progress progress(ProgressMode::kNever, "", "", 100);
    stream(run.file, run.problem, engine, ranking, progress);
    EXPECT_EQ(progress.done(), 100u);
  }
}

TEST(Stream, AWorkerBeginsBeforeAnotherIsOpen) {
  Case run;
  Changed engine;
  std::atomic<int> opening = 0;
  engine.on_open = [&](std::size_t) {
    if (opening++ == 0) return;
    for (int ms = 0; ms < 60'000 && engine.profiles < 100; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(engine.profiles, 100u) << "the first worker waits for the second";
  };
  EXPECT_EQ(run.search(run.file, engine), run.expected());
  EXPECT_EQ(opening, 2);
}

}  // namespace
}  // namespace fastid::pipeline
