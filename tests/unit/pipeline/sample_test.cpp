// The blocks that the CPU engine looks at besides a search.
#include "pipeline/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "match/histogram.hpp"
#include "world.hpp"

namespace fastid::pipeline {
namespace {

using testing::Case;
using testing::random_blocks;

TEST(Spread, HasEveryStepthBlockAndTheLastAsFullAsItIs) {
  const BitBlocks blocks = random_blocks({7 * kLanes + 3, 70}, 4);
  const MemorySource source(blocks.view());
  for (const std::uint64_t step : {1u, 2u, 3u, 7u})
    for (std::uint64_t n = 0; n == 0 || (n - 1) * step < 8; ++n) {
      const Spread spread(source, step, n);
      ASSERT_EQ(spread.shape().n_blocks(), n);
      const bool has_last = n > 0 && (n - 1) * step == 7;
      EXPECT_EQ(spread.shape().n_profiles, n * kLanes - (has_last ? kLanes - 3 : 0));
      const std::size_t block = blocks.shape().block_words();
      std::vector<Word> bits(n * block), called(n * block);
      spread.read(0, n, bits.data(), called.data());
      for (std::uint64_t i = 0; i < n; ++i) {
        EXPECT_TRUE(
            std::equal(&bits[i * block], &bits[i * block] + block, blocks.view().bits + i * step * block));
        EXPECT_TRUE(std::equal(&called[i * block], &called[i * block] + block,
                               blocks.view().second + i * step * block));
      }
    }
}

TEST(Sample, IsSmallBesideTheSearch) {
  for (const std::uint64_t n_blocks : {0u, 1u, 511u, 512u, 640u, 5000u}) {
    EXPECT_EQ(sample_blocks({n_blocks * kLanes, 33}, 10),
              n_blocks < 512 ? 0 : std::min<std::uint64_t>(10, n_blocks / 64))
        << n_blocks;
  }
}

// By any number of threads; limits are those of each query, and thresholds stay open where too few pairs
// pass.
TEST(Sample, ThresholdsAreTheKthBestOfTheSampledBlocks) {
  Case run;
  run.blocks = random_blocks({9 * 64 * kLanes, 33}, 6);
  std::vector<std::uint64_t> which{5, 700, 12'000, 3, 9};
  run.queries = ProfileRows::from_blocks(run.blocks.view(), which);
  run.problem.database = run.blocks.shape();
  const MemorySource source(run.blocks.view());
  std::vector<match::QueryRule> own(5, match::QueryRule{33, {}});
  own[2].max_count = 0;
  match::Ranking ranking(5, run.rule, own);
  for (std::uint64_t row = 0; row < run.blocks.shape().n_profiles; ++row)
    for (std::uint32_t query = 0; row / kLanes % 72 == 0 && query < 5; ++query)
      ranking.take(
          std::vector<engine::Pair>{{row, query,
                                     engine::count_pair(engine::Comparison::kIdentity, Encoding::kMinor,
                                                        run.queries.row(query), run.blocks.view(), row)}});
  std::vector<engine::Threshold> expected(5);
  ranking.thresholds(expected);
  EXPECT_NE(expected[0].den, 0u);
  EXPECT_EQ(expected[2].den, 0u);
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    EXPECT_EQ(sample_thresholds(source, run.problem, run.rule, own, threads), expected) << threads;
  }
}

TEST(Sample, HistogramsAreOfAllBlocksOfASmallDatabaseAndOfSomeOfALargeOne) {
  const Case run;
  EXPECT_EQ(histogram_sample(run.source).step(), 1u);
  EXPECT_EQ(histogram_sample(run.source).shape(), run.blocks.shape());
  const BitBlocks large({2 * 512 * kLanes + 5, 1});
  const Spread half = histogram_sample(MemorySource(large.view()));
  EXPECT_EQ(half.step(), 2u);
  EXPECT_EQ(half.shape().n_blocks(), 513u);
}

// Also a pair without a minor allele that could be missing; not one that has nothing to compare.
TEST(Sample, HistogramsCountEachPairThatHasSomethingToCompare) {
  Case run;
  for (std::uint32_t s = 0; s < 50; ++s) {
    run.blocks.set(5, s, false);
    run.blocks.clear(7, s);
  }
  const std::vector<std::uint64_t> which{3, 5};
  run.queries = ProfileRows::from_blocks(run.blocks.view(), which);
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    run.problem.comparison = comparison;
    match::CountHistograms histograms(2, 50);
    count_sample(histogram_sample(run.source), run.problem, 2, histograms);
    for (std::size_t q = 0; q < 2; ++q) {
      std::vector<std::uint64_t> expected(51);
      for (std::uint64_t row = 0; row < 100; ++row) {
        const engine::PairCounts pair =
            engine::count_pair(comparison, Encoding::kMinor, run.queries.row(q), run.blocks.view(), row);
        if (pair.compared > 0) ++expected[pair.count];
      }
      EXPECT_EQ(histograms.of_query(q), expected);
      EXPECT_EQ(std::reduce(expected.begin(), expected.end()), 99u);
    }
  }
}

}  // namespace
}  // namespace fastid::pipeline
