// The loop: tiles cover everything once, in as many passes as it takes.
#include "pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "planned.hpp"

namespace fastid {
namespace {

using testing::Case;
using testing::FileCase;
using testing::kNone;
using testing::Planned;
using testing::random_blocks;
using testing::Touchy;

TEST(Stream, FindsEachQueryAtItsOwnRow) {
  Case run;
  const auto engine = make_reference_engine({.tile_blocks = 1});
  const StreamStats stats = Stream(run.source, 0, 4, run.problem, *engine).run(run.ranking, run.progress);
  const auto result = run.ranking.result();
  EXPECT_EQ(result[0].hits[0].row, 3u);
  EXPECT_EQ(result[0].hits[0].counts.count, 0u);
  EXPECT_EQ(result[1].hits[0].row, 77u);
  EXPECT_EQ(stats.tiles, 4u);
}

TEST(Stream, ReadsNothingThatLiesInMemoryWhereTheEngineTakesItThere) {
  Case run;
  const auto engine = make_cpu_engine({.threads = 1});
  const StreamStats stats = Stream(run.source, 0, 4, run.problem, *engine).run(run.ranking, run.progress);
  EXPECT_EQ(stats.read_bytes, 0u);
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
}

TEST(Stream, CountsTheSameHistogramOnAnyEngineAndTile) {
  Case run;
  std::vector<std::uint64_t> expected(51);
  for (std::uint64_t row = 0; row < 100; ++row) {
    const PairCounts pair = count_pair(Comparison::kIdentity, run.queries.row(1), run.blocks.view(), row);
    if (pair.compared > 0) ++expected[pair.count];
  }
  for (const std::size_t tile : {1u, 2u, 3u, 4u}) {
    std::vector<std::unique_ptr<Engine>> both;
    both.push_back(make_reference_engine({.tile_blocks = tile}));
    both.push_back(make_cpu_engine({.threads = 2, .tile_blocks = tile}));
    const auto joint = make_joint_engine(std::move(both));
    Case again;
    CountHistograms histograms(2, again.blocks.shape());
    Stream(again.source, 0, 4, again.problem, *joint).run(again.ranking, again.progress, &histograms);
    EXPECT_EQ(histograms.n_profiles(), 100u);
    EXPECT_EQ(histograms.of_query(1), expected);
  }
}

TEST(Stream, AsksMoreQueriesThanADeviceTakesInPasses) {
  FileCase run;
  std::vector<std::uint64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  run.queries = ProfileRows::from_blocks(run.blocks.view(), all);
  const auto expected = run.expected();
  for (const std::size_t most : {1u, 7u, 99u, 100u, 101u}) {
    Planned engine([&](LanePlan& plan) { plan.queries = most; });
    Stream stream(run.file, 0, 4, run.problem, engine);
    CountHistograms histograms(100, run.blocks.shape());
    run.expect_same(run.run_once(stream, &histograms), expected);
    EXPECT_EQ(engine.profiles, ceil_div<std::size_t>(100, most) * 100);
    EXPECT_EQ(histograms.n_profiles(), 100u);
    for (std::size_t q : {0u, 50u, 99u}) {
      const auto& histogram = histograms.of_query(q);
      EXPECT_EQ(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}), 100u);
      EXPECT_GE(histogram[0], 1u) << "itself";
    }
  }
}

// Wherever the called sites must be looked at: in the tile, or, once only the device has it, in the file.
TEST(Stream, HistogramsHaveWhoeverIsComparableAlsoWithoutAMinorAllele) {
  BitBlocks blocks = random_blocks({100, 50}, 1);
  for (std::uint32_t s = 0; s < 50; ++s) {
    blocks.set(5, s, false);  // nothing that a mixture could lack
    blocks.clear(7, s);       // nothing to compare
  }
  Touchy file(blocks.view(), kNone);
  const std::vector<std::uint64_t> which{3, 5};
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  for (const Comparison comparison : {Comparison::kMixture, Comparison::kReverseMixture}) {
    const Problem problem{comparison, &queries, blocks.shape(), true};
    for (const bool kept : {false, true}) {
      Planned engine([&](LanePlan& plan) {
        plan.keeps = kept;
        plan.closes = 3;
        plan.queries = kept ? 1 : 2;
      });
      engine.asks = kept;
      std::atomic<int> again = 0;  // blocks, for pairs without a minor allele that only the device has
      file.on_read = [&](std::uint64_t, std::size_t) { ++again; };
      CountHistograms histograms(2, blocks.shape());
      Ranking ranking(comparison, 2, KeepRule{.top = 3});
      Progress progress{ProgressMode::kNever, "", "", 100};
      const StreamStats stats = Stream(file, 0, 4, problem, engine).run(ranking, progress, &histograms);
      EXPECT_EQ(engine.opened, 2);
      EXPECT_EQ(again > 4, kept);
      EXPECT_FALSE(stats.kept) << "the first pass";
      for (std::size_t q = 0; q < 2; ++q) {
        std::vector<std::uint64_t> expected(51);
        for (std::uint64_t row = 0; row < 100; ++row) {
          const PairCounts pair = count_pair(comparison, queries.row(q), blocks.view(), row);
          if (pair.compared > 0) ++expected[pair.count];
        }
        EXPECT_EQ(histograms.of_query(q), expected);
        EXPECT_EQ(std::reduce(expected.begin(), expected.end()), 99u);
      }
    }
  }
}

// 4,194,304 at once.
TEST(Stream, RanksATileOfMorePairsThanAreRankedAtOnce) {
  constexpr std::size_t kProfiles = 2048, kQueries = 2100;
  BitBlocks blocks({kProfiles, 1});
  for (std::uint64_t row = 0; row < kProfiles; ++row) blocks.set(row, 0, row % 3 == 0);
  std::vector<std::uint64_t> which(kQueries);
  for (std::size_t q = 0; q < kQueries; ++q) which[q] = q % kProfiles;
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  const Problem problem{Comparison::kIdentity, &queries, blocks.shape(), false};
  Ranking ranking(Comparison::kIdentity, kQueries, KeepRule{.top = KeepRule::kAll});
  Progress progress{ProgressMode::kNever, "", "", 100};
  const auto engine = make_cpu_engine({.threads = 1, .tile_blocks = kProfiles / kLanes});
  EXPECT_EQ(Stream(MemorySource(blocks.view()), 0, kProfiles / kLanes, problem, *engine)
                .run(ranking, progress)
                .tiles,
            1u);
  for (std::size_t q = 0; q < kQueries; ++q) ASSERT_EQ(ranking.kept(q).size(), kProfiles) << "query " << q;
}

// What an engine may leave out rests on this.
TEST(Stream, TellsALaneHowManyAreSoughtAndOfHowManyProfilesTheThresholdsAreAlready) {
  FileCase run;
  run.rule.min_compared = 7;
  const auto expected = run.expected();
  Planned engine([](LanePlan& plan) {
    plan.lanes = 1;
    plan.keeps = true;
    plan.closes = 3;
  });
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), expected);
  ASSERT_EQ(engine.sought.size(), 4u);
  const std::uint64_t one = engine.sought.front().pass;
  EXPECT_EQ(engine.sought,
            (std::vector<Sought>{{3, 7, 0, one}, {3, 7, 32, one}, {3, 7, 64, one}, {3, 7, 96, one}}));
  engine.sought.clear();
  run.expect_same(run.run_once(stream), expected);
  ASSERT_EQ(engine.sought.size(), 2u);
  const std::uint64_t other = engine.sought.front().pass;
  EXPECT_EQ(engine.sought, (std::vector<Sought>{{3, 7, 0, other}, {3, 7, 64, other}}));
  EXPECT_NE(one, other);
  EXPECT_NE(one * other, 0u);
}

TEST(Stream, HasASmallFirstTileAndThenLargeOnesUnlessTilesHaveToGrow) {
  const BitBlocks blocks = random_blocks({70 * kLanes, 50}, 2);
  const MemorySource source(blocks.view());
  const Case run;
  const Problem problem{Comparison::kIdentity, &run.queries, blocks.shape(), true};
  using Seen = std::vector<std::uint64_t>;
  for (const auto& [top, expected] :
       {std::pair{3u, Seen{0, 64, 1088, 2112}}, std::pair{4u, Seen{0, 32, 64, 128, 256, 512, 1024, 2048}}}) {
    Planned engine([](LanePlan& plan) {
      plan.lanes = 1;
      plan.tile_blocks = 32;
      plan.first_tile_blocks = 1;
      plan.small_last = false;
      plan.closes = 3;
    });
    Ranking ranking(Comparison::kIdentity, 2, KeepRule{.top = top});
    Progress progress{ProgressMode::kNever, "", "", 100};
    Stream(source, 0, 70, problem, engine).run(ranking, progress);
    Seen seen;
    for (const Sought& sought : engine.sought) seen.push_back(sought.seen);
    EXPECT_EQ(seen, expected);
  }
}

TEST(Stream, LetsOtherLanesHaveTheThresholdsOfATileBeforeItsPairsAreCountedAgain) {
  Case run;
  Planned engine([](LanePlan& plan) { plan.lanes = 1; });
  engine.close = [](std::span<Threshold> thresholds) { thresholds[1] = {UINT32_MAX, 49, 50}; };
  std::vector<Threshold> thresholds(2);
  engine.on_count = [&] {
    EXPECT_TRUE(run.ranking.kept(1).empty());
    run.ranking.thresholds(thresholds);
    engine.close = [](std::span<Threshold>) {};
    engine.on_count = [] {};
  };
  CountHistograms histograms(2, run.blocks.shape());
  Stream(run.source, 0, 4, run.problem, engine).run(run.ranking, run.progress, &histograms);
  EXPECT_EQ(thresholds, (std::vector<Threshold>{{}, {UINT32_MAX, 49, 50}}));
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
}

TEST(Stream, ALaneBeginsBeforeAnotherIsOpen) {
  FileCase run;
  const auto expected = run.expected();
  Planned engine([](LanePlan&) {});
  std::atomic<int> opening = 0;
  engine.before_opening = [&] {
    if (opening++ == 0) return;
    for (int ms = 0; ms < 60'000 && engine.profiles < run.problem.database.n_profiles; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(engine.profiles, run.problem.database.n_profiles) << "the first lane waits for the second";
  };
  Stream stream(run.file, 0, 4, run.problem, engine);
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(opening, 2);
}

}  // namespace
}  // namespace fastid
