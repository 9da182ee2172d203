// Histograms: every block of a small database, a systematic sample of a large one, whatever the tiles.
#include "match/histogram.hpp"

#include <gtest/gtest.h>

namespace fastid {
namespace {

TEST(CountHistograms, LooksAtEveryBlockOfASmallDatabase) {
  const CountHistograms histograms(1, {1000, 64});
  EXPECT_EQ(histograms.step(), 1u);
  const BlockSeries series = histograms.series(5, 9);
  EXPECT_EQ(series.first, 0u);
  EXPECT_EQ(series.step, 1u);
  EXPECT_EQ(series.n, 9u);
}

TEST(CountHistograms, SamplesTheSameBlocksOfALargeDatabaseHoweverItIsCut) {
  const BlockShape shape{10'000'000, 64};
  const CountHistograms histograms(1, shape);
  ASSERT_GT(histograms.step(), 100u);
  for (const std::uint64_t tile : {1u, 7u, 610u, 611u, 5000u}) {
    std::uint64_t expected = 0;
    for (std::uint64_t first = 0; first < shape.n_blocks(); first += tile) {
      const BlockSeries series =
          histograms.series(first, static_cast<std::size_t>(std::min(tile, shape.n_blocks() - first)));
      for (std::size_t i = 0; i < series.n; ++i, expected += histograms.step())
        ASSERT_EQ(first + series.first + i * series.step, expected);
    }
    EXPECT_GE(expected, shape.n_blocks());
  }
}

TEST(CountHistograms, LeavesOutPairsWithNothingToCompare) {
  CountHistograms histograms(2, {34, 3});
  std::vector<PairCount> counts(2 * 2 * kLanes);
  counts[0] = {2, 3};               // query 0, block 0, lane 0
  counts[kLanes + 1] = {3, 3};      // query 0, block 1, lane 1
  counts[2 * kLanes] = {0, 1};      // query 1
  counts[2 * kLanes + 5] = {0, 0};  // nothing compared
  counts[2 * kLanes + 6] = {0, 0};  // compared, and no minor allele to be excluded
  const auto comparable = [](std::size_t query, std::uint64_t profile) { return query == 1 && profile == 6; };
  histograms.add({34, 3}, {0, 1, 2}, counts, comparable);
  EXPECT_EQ(histograms.n_profiles(), 34u);
  EXPECT_EQ(histograms.of_query(0), (std::vector<std::uint64_t>{0, 0, 1, 1}));
  EXPECT_EQ(histograms.of_query(1), (std::vector<std::uint64_t>{2, 0, 0, 0}));
}

}  // namespace
}  // namespace fastid
