// Histograms as what the pairs of a search go to. Which profiles are looked at is the pipeline's business.
#include "match/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/thread_pool.hpp"

namespace fastid::match {
namespace {

TEST(CountHistograms, WantEveryPair) {
  const CountHistograms histograms(3, 5);
  std::vector<engine::Threshold> thresholds(3, engine::Threshold{0, 0, 1});
  histograms.thresholds(thresholds);
  EXPECT_EQ(thresholds, std::vector<engine::Threshold>(3));
  EXPECT_EQ(histograms.keeps(), UINT64_MAX);
}

TEST(CountHistograms, AreEmptyAtFirst) {
  EXPECT_EQ(CountHistograms(1, 3).of_query(0), std::vector<std::uint64_t>(4));
}

TEST(CountHistograms, LeaveOutPairsWithNothingToCompare) {
  CountHistograms histograms(2, 3);
  histograms.take(
      std::vector<engine::Pair>{{0, 0, {.count = 2, .compared = 3}},
                                {33, 0, {.count = 3, .compared = 3}},
                                {0, 1, {.count = 0, .denominator = 1, .compared = 1}},
                                {5, 1, {.count = 0, .compared = 0}},
                                {6, 1, {.count = 0, .compared = 2}}});  // no minor allele to be missing
  EXPECT_EQ(histograms.of_query(0), (std::vector<std::uint64_t>{0, 0, 1, 1}));
  EXPECT_EQ(histograms.of_query(1), (std::vector<std::uint64_t>{2, 0, 0, 0}));
}

TEST(CountHistograms, AreTheSameFromManyThreadsInAnyBatches) {
  constexpr std::uint32_t kQueries = 5, kSites = 7;
  constexpr std::size_t kThreads = 4, kBatch = 13;
  std::vector<engine::Pair> pairs;
  for (std::uint64_t row = 0; row < 400; ++row)
    for (std::uint32_t query = 0; query < kQueries; ++query)
      pairs.push_back(
          {row, query, {.count = static_cast<std::uint32_t>(row * query % 8), .compared = kSites}});
  CountHistograms alone(kQueries, kSites), together(kQueries, kSites);
  alone.take(pairs);
  ThreadPool(kThreads).for_each(kThreads, [&](std::size_t thread, const auto&) {
    for (std::size_t at = thread * kBatch; at < pairs.size(); at += kThreads * kBatch)
      together.take(std::span(pairs).subspan(at, std::min(kBatch, pairs.size() - at)));
  });
  for (std::uint32_t query = 0; query < kQueries; ++query)
    EXPECT_EQ(together.of_query(query), alone.of_query(query));
}

}  // namespace
}  // namespace fastid::match
