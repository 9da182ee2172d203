// Values of all combinations that reach a threshold, or are among the best of a vector: the same however they
// are cut into bands, and whoever looks for them.
#include "pipeline/all_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/similarity.hpp"
#include "support/cohort.hpp"
#include "support/reals.hpp"

namespace fastid::pipeline {
namespace {

using namespace testing;

/// An engine that is asked for many pairs at a time, as one on a GPU is.
class ManyAtOnce final : public engine::SimilarityEngine {
 public:
  explicit ManyAtOnce(std::unique_ptr<engine::SimilarityEngine> by) : by_(std::move(by)) {}

  std::uint32_t n_vectors() const override { return by_->n_vectors(); }
  std::span<const double> sums() const override { return by_->sums(); }
  std::uint32_t rectangle_side() const override { return 64; }
  std::size_t pairs_at_once() const override { return std::size_t{1} << 15; }
  void products(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs, engine::Wanted wanted,
                std::span<double> out) const override {
    by_->products(pivot, pairs, wanted, out);
  }

 private:
  std::unique_ptr<engine::SimilarityEngine> by_;
};

/// All values of some vectors, and those that are chosen.
class Values {
 public:
  using Found = std::vector<std::pair<std::uint64_t, double>>;

  Values(const engine::SimilarityEngine& engine, const engine::SimilarityEngine& small,
         const engine::VectorPlanes& planes, engine::SimilarityMetric metric, std::size_t way)
      : moments_(engine, planes, metric, way, &small) {
    moments_.prepare(planes.n, pool_);
  }

  /// Through a sink that chooses, by the engine's find() or from all values.
  void stream(ChoosingSink& sink, std::uint64_t most_values, bool by_the_engine) {
    const std::uint32_t n = moments_.planes().n;
    const AllValues all{moments_, pool_, progress_, most_values};
    ValueSink* const sinks[] = {&sink};
    for (const Range& last : {Range{0, n / 2}, Range{n / 2, n}})
      stream_values(all, last, sinks, by_the_engine ? &sink : nullptr);
  }

  /// All pairs as one rectangle.
  Found found_in_a_rectangle(double least, bool by_the_engine) {
    Found all_found;
    FoundSink sink(least, into(all_found));
    ValueSink* const sinks[] = {&sink};
    const std::uint32_t n = moments_.planes().n;
    sink.begin({0, size()});
    stream_rectangle({moments_, pool_, progress_}, {0, n, 0, n}, sinks, by_the_engine ? &sink : nullptr);
    sink.end();
    return all_found;
  }

  /// Of all combinations.
  std::uint64_t size() const {
    return engine::n_combinations(moments_.planes().n, moments_.way()) * moments_.values().cells();
  }

  Found found(double least, std::uint64_t most_values, bool by_the_engine) {
    Found all_found;
    FoundSink sink(least, into(all_found));
    stream(sink, most_values, by_the_engine);
    return all_found;
  }

  /// What a share of all values reaches.
  double reached_by(double share) {
    Found every = found(0, std::uint64_t{1} << 24, false);
    std::ranges::sort(every, std::greater<>(), [](const auto& one) { return one.second; });
    return every.at(static_cast<std::size_t>(share * static_cast<double>(every.size()))).second;
  }

  std::vector<match::FoundValue> best(std::size_t best, std::uint64_t most_values, bool by_the_engine) {
    BestSink sink(moments_.planes().n, moments_.way(), moments_.values().cells(), best);
    stream(sink, most_values, by_the_engine);
    return sink.all();
  }

 private:
  static FoundSink::Take into(Found& all) {
    return [&all](std::span<const match::FoundValue> some) {
      for (const match::FoundValue& each : some) all.emplace_back(each.index, each.value);
    };
  }

  ThreadPool pool_{3};
  Progress progress_{ProgressMode::kNever, "", "", 0};
  MomentCounter moments_;
};

/// A rectangle of 120 by 120 is cut into pieces of 64 by 64.
void check_rectangle(Values& values, std::span<const double> thresholds) {
  for (const double least : thresholds) {
    const Values::Found right = values.found(least, std::uint64_t{1} << 24, false);
    for (const bool by_the_engine : {false, true})
      EXPECT_EQ(values.found_in_a_rectangle(least, by_the_engine), right) << least;
  }
}

/// Most pass the lowest threshold, so that later bands are small, and few the highest.
void check_chosen(Values& values, std::span<const double> thresholds) {
  const Values::Found every = values.found(0, std::uint64_t{1} << 24, false);
  ASSERT_EQ(every.size(), values.size());
  for (const std::uint64_t most_values : {1U, 500U, 1U << 24}) {
    for (const double least : thresholds) {
      Values::Found right;
      for (const auto& [index, value] : every)
        if (value >= least) right.emplace_back(index, value);
      EXPECT_FALSE(right.empty());
      for (const bool by_the_engine : {false, true})
        EXPECT_EQ(values.found(least, most_values, by_the_engine), right) << least << " " << most_values;
    }
    for (const std::size_t best : {1U, 4U})
      EXPECT_EQ(values.best(best, most_values, true), values.best(best, most_values, false)) << best;
  }
}

class AllValuesChosen : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AllValuesChosen, OfNumbersAreThoseThatASinkNeeds) {
  constexpr std::uint32_t kVectors = 120;
  const engine::RealMatrix matrix = random_matrix<float>(kVectors, 30);
  const ManyAtOnce engine(engine::make_similarity("cpu", matrix));
  const auto small = engine::make_similarity("reference", matrix);
  Values values(engine, *small, engine::planes_of(matrix), engine::SimilarityMetric::kCzekanowski,
                GetParam());
  check_chosen(values, std::array{0.0, 0.2, 0.6});
  if (GetParam() == 2) check_rectangle(values, std::array{0.0, 0.2, 0.6});
}

TEST_P(AllValuesChosen, OfBitsAreThoseThatASinkNeeds) {
  constexpr std::uint32_t kVectors = 120;
  for (const double missing : {0.0, 0.05})
    for (const engine::SimilarityMetric metric :
         {engine::SimilarityMetric::kSorensen, engine::SimilarityMetric::kCzekanowski,
          engine::SimilarityMetric::kCcc}) {
      SCOPED_TRACE(::testing::Message() << missing << " " << static_cast<int>(metric));
      const Cohort cohort = make_cohort(kVectors, 200, engine::LdUnit::kGenotypes, missing);
      const engine::BitVectors vectors(cohort.blocks.view(), metric);
      ASSERT_EQ(vectors.planes().all_called, missing == 0);
      const bool can_look = has_limits(vectors.planes(), GetParam());
      ASSERT_EQ(can_look, metric != engine::SimilarityMetric::kCcc || missing == 0 || GetParam() == 2);
      if (!can_look) continue;
      const ManyAtOnce engine(engine::make_similarity("cpu", vectors.view()));
      const auto small = engine::make_similarity("reference", vectors.view());
      Values values(engine, *small, vectors.planes(), metric, GetParam());
      if (metric == engine::SimilarityMetric::kCcc)
        check_chosen(values,
                     std::array{0.0, values.reached_by(.5), values.reached_by(.01), values.reached_by(.001)});
      else
        check_chosen(values, std::array{0.0, 0.5, 0.8});
      if (GetParam() == 2) check_rectangle(values, std::array{0.0, values.reached_by(.01)});
    }
}

TEST(FoundSink, HoldsNoMoreThanItMay) {
  std::size_t handed_on = 0;
  FoundSink sink(
      .5, [&](std::span<const match::FoundValue> some) { handed_on += some.size(); }, 3);
  const std::array values = {.6, .1, .7};
  const std::array single = {.5};
  const ValueRow first{0, {}, values}, second{3, {}, values}, fourth{3, {}, single};
  for (int time = 0; time < 2; ++time) {  // what end() has handed on is held no longer
    sink.take(std::array{first, fourth});
    sink.end();
  }
  EXPECT_EQ(handed_on, 6U);
  sink.take({&first, 1});
  EXPECT_THROW(sink.take({&second, 1}), Failure);
  FoundSink of_single(
      .5, [](std::span<const match::FoundValue>) {}, 0);
  EXPECT_THROW(of_single.take({&fourth, 1}), Failure);
}

INSTANTIATE_TEST_SUITE_P(Ways, AllValuesChosen, ::testing::Values(2U, 3U));

}  // namespace
}  // namespace fastid::pipeline
