// Values of all combinations that reach a threshold: the same however they are cut into bands.
#include "pipeline/all_values.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/real_similarity.hpp"
#include "support/reals.hpp"

namespace fastid {
namespace {

using namespace testing;

class AllValuesOfNumbers : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  using Found = std::vector<std::pair<std::uint64_t, double>>;

  static constexpr SimilarityMetric kMetric = SimilarityMetric::kCzekanowski;
  static constexpr std::uint32_t kVectors = 90;

  AllValuesOfNumbers() { moments_.prepare(kVectors, pool_); }

  AllValues all(std::uint64_t most_values) { return {moments_, values_, pool_, progress_, most_values}; }

  Found found(double least, std::uint64_t most_values, bool by_the_engine) {
    Found all_found;
    FoundSink sink(least, [&](std::span<const FoundValue> some) {
      for (const FoundValue& each : some) all_found.emplace_back(each.index, each.value);
    });
    ValueSink* const sinks[] = {&sink};
    for (const Range& last : {Range{0, 40}, Range{40, kVectors}}) {
      if (by_the_engine)
        stream_found(all(most_values), last, least, sink);
      else
        stream_values(all(most_values), last, sinks);
    }
    return all_found;
  }

  ThreadPool pool_{3};
  Progress progress_{ProgressMode::kNever, "", "", 0};
  RealMatrix matrix_ = random_matrix<float>(kVectors, 30);
  std::unique_ptr<SimilarityEngine> engine_ = make_real_similarity_engine("cpu", matrix_);
  MomentCounter moments_{*engine_, planes_of(matrix_), kMetric, GetParam()};
  SimilarityValues values_{kMetric, GetParam(), false, moments_.own()};
};

// Most pass a low threshold, so that later bands are small, and few a high one.
TEST_P(AllValuesOfNumbers, ThatAreFoundAreThoseAtOrAboveTheThreshold) {
  ASSERT_TRUE(engine_finds(moments_));
  const Found every = found(0, std::uint64_t{1} << 24, false);
  ASSERT_EQ(every.size(), n_combinations(kVectors, GetParam()));
  for (const double least : {0.0, 0.2, 0.6}) {
    Found right;
    for (const auto& [index, value] : every)
      if (value >= least) right.emplace_back(index, value);
    EXPECT_FALSE(right.empty());
    for (const std::uint64_t most_values : {1U, 500U, 1U << 24})
      for (const bool by_the_engine : {false, true})
        EXPECT_EQ(found(least, most_values, by_the_engine), right) << least << " " << most_values;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, AllValuesOfNumbers, ::testing::Values(2U, 3U));

}  // namespace
}  // namespace fastid
