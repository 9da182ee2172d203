// Values of sums over stretches of the elements: those of whole vectors.
#include "pipeline/stretch_moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "bits/selected.hpp"
#include "engine/real_rows.hpp"
#include "engine/similarity.hpp"
#include "pipeline/all_values.hpp"
#include "support/cohort.hpp"
#include "support/reals.hpp"
#include "support/refusal.hpp"

namespace fastid::pipeline {
namespace {

using namespace testing;

constexpr std::uint32_t kVectors = 45;
constexpr std::uint64_t kFewSums = 600;  // of all pairs, 990, there are several steps

std::vector<double> values_of(const std::function<void(std::span<ValueSink* const>)>& stream) {
  std::vector<double> values;
  EveryValueSink every(
      [&](std::span<const double> some) { values.insert(values.end(), some.begin(), some.end()); });
  ValueSink* const sinks[] = {&every};
  stream(sinks);
  return values;
}

/// Of whole vectors.
std::vector<double> right_values(const engine::BitVectors& vectors, engine::SimilarityMetric metric,
                                 std::size_t way, const Range& last, ThreadPool& pool) {
  const auto engine = engine::make_similarity("reference", vectors.view());
  MomentCounter moments(*engine, vectors.planes(), metric, way);
  moments.prepare(vectors.planes().n, pool);
  Progress progress(ProgressMode::kNever, "", "", 0);
  return values_of([&](std::span<ValueSink* const> sinks) {
    stream_values({moments, pool, progress}, last, sinks);
  });
}

/// Of profiles of which some stretches of words were counted by themselves.
std::vector<double> values_of_stretches(const BlocksView& profiles, const std::vector<Range>& stretches,
                                        const StretchPlan& plan, ThreadPool& pool) {
  Progress progress(ProgressMode::kNever, "", "", 0);
  const MemorySource source(profiles);
  StretchValues values(plan, "file");
  return values_of([&](std::span<ValueSink* const> sinks) {
    for (const StretchStep& step : plan.steps()) {
      StretchSums sums(OrderedSums::Order::kAny);
      for (const Range& words : stretches) {
        const SelectedWords some(source, words);
        BitBlocks blocks(some.shape());
        std::vector<Word> bits(some.shape().n_blocks() * some.shape().block_words()), second(bits.size());
        some.read(0, static_cast<std::size_t>(some.shape().n_blocks()), bits.data(), second.data());
        const engine::BitVectors vectors({some.shape(), bits.data(), second.data()}, plan.metric());
        const auto engine = engine::make_similarity("cpu", vectors.view());
        sums.of(vectors.planes().all_called)
            .add({}, plan.count(step, *engine, vectors.planes(), pool, progress));
      }
      values.take(step, std::move(sums), pool, sinks);
    }
  });
}

class StretchMoments : public ::testing::TestWithParam<std::size_t> {};

/// Calls are missing in no word, in every one, and in the last one alone, so that stretches are of both
/// kinds.
TEST_P(StretchMoments, OfBitsGiveTheValuesOfWholeVectors) {
  ThreadPool pool(3);
  constexpr std::size_t kElements = 200;
  for (const char* missing : {"none", "some", "in the last word"})
    for (const engine::SimilarityMetric metric :
         {engine::SimilarityMetric::kSorensen, engine::SimilarityMetric::kCzekanowski,
          engine::SimilarityMetric::kCcc})
      for (const Range last : {Range{0, kVectors}, Range{20, 41}}) {
        SCOPED_TRACE(::testing::Message() << missing << " " << static_cast<int>(metric) << " " << last.first);
        Cohort cohort =
            make_cohort(kVectors, kElements, engine::LdUnit::kGenotypes, missing[0] == 's' ? .1 : 0);
        if (missing[0] == 'i')
          for (std::uint32_t v = 0; v < kVectors; v += 2) cohort.blocks.clear(v, kElements - 1 - v % 5);
        const engine::BitVectors whole(cohort.blocks.view(), metric);
        ASSERT_EQ(whole.planes().all_called, missing[0] == 'n');
        const std::vector<double> right = right_values(whole, metric, GetParam(), last, pool);
        for (const std::uint64_t most_sums : {StretchPlan::kMostSums, kFewSums}) {
          const StretchPlan plan(metric, GetParam(), kVectors, last, MissingCalls::kPossible, most_sums);
          for (const std::vector<Range>& stretches :
               {std::vector<Range>{{0, 7}}, {{0, 6}, {6, 7}}, {{0, 1}, {1, 3}, {3, 7}}})
            EXPECT_EQ(values_of_stretches(cohort.blocks.view(), stretches, plan, pool), right)
                << stretches.size() << " of at most " << most_sums;
        }
      }
}

/// Sums of stretches in the matrix's type, and of these the tree's in double: of two, one sum of two numbers.
TEST_P(StretchMoments, OfNumbersAddSumsOfStretches) {
  ThreadPool pool(3);
  Progress progress(ProgressMode::kNever, "", "", 0);
  constexpr std::size_t kColumns = 70, kWidth = 40;
  const auto matrix = random_matrix<float>(kVectors, kColumns);
  const auto sum = [&](std::uint32_t u, std::uint32_t v, std::uint32_t w) {
    float first = 0, second = 0;
    for (std::size_t q = 0; q < kColumns; ++q)
      (q < kWidth ? first : second) +=
          std::min({matrix.at<float>(u, q), matrix.at<float>(v, q), matrix.at<float>(w, q)});
    return double{first} + double{second};
  };
  std::vector<double> right;
  for (std::uint32_t k = 0; k < kVectors; ++k)
    for (std::uint32_t j = 0; j < k; ++j) {
      if (GetParam() == 2) right.push_back(2 * sum(j, k, k) / (sum(j, j, j) + sum(k, k, k)));
      for (std::uint32_t i = 0; GetParam() == 3 && i < j; ++i)
        right.push_back(1.5 * (sum(i, j, j) + sum(i, k, k) + sum(j, k, k) - sum(i, j, k)) /
                        (sum(i, i, i) + sum(j, j, j) + sum(k, k, k)));
    }
  const engine::RealRows rows = engine::rows_of(random_matrix<float>(kVectors, kColumns), "a matrix");
  const engine::RealStretches stretches = engine::read_stretches(rows, {0, 2}, kWidth);
  const auto engine = engine::make_similarity("cpu", stretches.matrix);
  for (const std::uint64_t most_sums : {StretchPlan::kMostSums, kFewSums}) {
    const StretchPlan plan(engine::SimilarityMetric::kCzekanowski, GetParam(), kVectors, {0, kVectors},
                           MissingCalls::kNone, most_sums);
    StretchValues values(plan, "file");
    EXPECT_EQ(values_of([&](std::span<ValueSink* const> sinks) {
                for (const StretchStep& step : plan.steps()) {
                  StretchSums sums(OrderedSums::Order::kTree);
                  for (std::uint32_t i = 0; i < 2; ++i) {
                    const engine::VectorPlanes planes{
                        .n = kVectors, .stride = stretches.stride, .first = i, .units = kWidth};
                    sums.called.add({0, i}, plan.count(step, *engine, planes, pool, progress));
                  }
                  values.take(step, std::move(sums), pool, sinks);
                }
              }),
              right)
        << most_sums;
  }
}

/// Last members of the steps of a kind.
std::vector<Range> cut_of(const StretchPlan& plan, StretchStep::What what) {
  std::vector<Range> last;
  for (const StretchStep& step : plan.steps())
    if (step.what == what) last.push_back(step.last);
  return last;
}

/// Below 6 there are 15 pairs and 20 triples, below 5 there are 10 and 10.
TEST(StretchPlan, CutsAllButOwnSumsIntoSteps) {
  using enum StretchStep::What;
  constexpr engine::SimilarityMetric kMetric = engine::SimilarityMetric::kCzekanowski;
  const StretchPlan numbers(kMetric, 3, 6, {0, 6}, MissingCalls::kNone, 10);
  EXPECT_EQ(cut_of(numbers, kOwn), (std::vector<Range>{{0, 6}}));
  EXPECT_EQ(cut_of(numbers, kPairs), (std::vector<Range>{{0, 5}, {5, 6}}));
  EXPECT_EQ(cut_of(numbers, kMoments), (std::vector<Range>{{0, 5}, {5, 6}}));
  EXPECT_EQ(numbers.largest(), 12U);  // own sums
  EXPECT_EQ(numbers.table(), 15U);
  EXPECT_EQ(numbers.combinations(), 20U);
  const StretchPlan genotypes(kMetric, 3, 6, {0, 6}, MissingCalls::kPossible, 10);
  EXPECT_EQ(cut_of(genotypes, kMoments), (std::vector<Range>{{0, 3}, {3, 4}, {4, 5}, {5, 6}}));
  EXPECT_EQ(genotypes.largest(), 70U);  // of one last member
  EXPECT_EQ(cut_of({kMetric, 2, 6, {0, 6}, MissingCalls::kNone, 15}, kMoments), (std::vector<Range>{{0, 6}}));
}

TEST(StretchValues, RefuseASumThatIsNotFinite) {
  ThreadPool pool(1);
  const StretchPlan plan(engine::SimilarityMetric::kCzekanowski, 2, 2, {0, 2}, MissingCalls::kNone);
  StretchSums sums(OrderedSums::Order::kTree);
  sums.called.add({0, 0}, {1, std::numeric_limits<double>::max(), 1, 1});
  sums.called.add({0, 1}, {1, std::numeric_limits<double>::max(), 1, 1});
  StretchValues values(plan, "m.npy");
  EXPECT_EQ(
      refusal([&] { values.take(plan.steps().front(), std::move(sums), pool, {}); }),
      "m.npy, vector 2: the sum of its numbers is too large for their type; divide all numbers by one of "
      "them");
}

INSTANTIATE_TEST_SUITE_P(Ways, StretchMoments, ::testing::Values(2U, 3U));

}  // namespace
}  // namespace fastid::pipeline
