/// \file
/// Moments (engine/similarity_metric.hpp) of combinations of vectors from those of stretches of their
/// elements: what is counted of each stretch, and how values are made of the sums over all stretches.
///
/// A moment is a sum over elements. Of a stretch in which every call is there only that of all members is
/// counted for each combination, and of two of three in a table of pairs; of others every moment is.
/// Stretches of both kinds can be of one vector, so that sums are kept of each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/similarity.hpp"
#include "engine/similarity_metric.hpp"
#include "pipeline/moments.hpp"
#include "pipeline/ordered_sums.hpp"
#include "pipeline/value_sinks.hpp"

namespace fastid::pipeline {

/// The sums that are handed on together.
struct StretchStep {
  enum class What : std::uint8_t {
    kOwn,     ///< of each vector its values, then the units at which it is called
    kPairs,   ///< <i, j> of pairs, for triples, where every call is there
    kMoments  ///< each counted moment, ascending: [moment][combination]
  };
  What what = What::kOwn;
  Range last;  ///< last members of the combinations; of pairs of the table, last members of these
};

enum class MissingCalls : std::uint8_t {
  kNone,     ///< no vector can have one, as those of numbers
  kPossible  ///< some stretch may have one
};

/// Everything that is counted of the combinations of n vectors whose last member is in a range, cut so that a
/// step has few enough sums for messages and memory. It depends on nothing else.
class StretchPlan {
 public:
  /// Of combinations, and of pairs of the table; one last member may have more. The own sums are one step.
  static constexpr std::uint64_t kMostSums = std::uint64_t{1} << 22;

  /// \param most_sums  of a step of a stretch, as kMostSums
  StretchPlan(engine::SimilarityMetric metric, std::size_t way, std::uint32_t n, const Range& last,
              MissingCalls missing, std::uint64_t most_sums = kMostSums);

  engine::SimilarityMetric metric() const { return metric_; }
  std::size_t way() const { return way_; }
  std::uint32_t n() const { return n_; }
  const std::vector<StretchStep>& steps() const { return steps_; }
  /// As counted_moments(); none of a kind of stretch that cannot be.
  const std::vector<std::size_t>& counted(bool all_called) const {
    return all_called ? of_called_ : of_missing_;
  }
  /// Numbers that a step has of a stretch.
  std::uint64_t size_of(const StretchStep& step, bool all_called) const;
  /// The most of any step.
  std::uint64_t largest() const;
  /// Numbers of the table of pairs, which StretchValues holds.
  std::uint64_t table() const;
  /// Combinations whose moments are counted, of all steps.
  std::uint64_t combinations() const;

  /// A step's numbers of a stretch. \param planes  that of the stretch \throws DeviceError, Interrupted
  std::vector<double> count(const StretchStep& step, const engine::SimilarityEngine& engine,
                            const engine::VectorPlanes& planes, ThreadPool& pool, Progress& progress) const;

 private:
  void cut(StretchStep::What what, const Range& last, std::uint64_t most_sums);

  engine::SimilarityMetric metric_;
  std::size_t way_;
  std::uint32_t n_;
  std::vector<std::size_t> of_called_, of_missing_;
  std::vector<StretchStep> steps_;
};

/// A step's sums over stretches of both kinds.
struct StretchSums {
  explicit StretchSums(OrderedSums::Order order) : called(order), missing(order) {}
  OrderedSums& of(bool all_called) { return all_called ? called : missing; }

  OrderedSums called;   ///< every call is there
  OrderedSums missing;  ///< some call is missing
};

/// Values of the sums over all stretches, step by step in the order of the plan.
class StretchValues {
 public:
  /// \param plan  must outlive this object \param file  of the vectors, for messages
  StretchValues(const StretchPlan& plan, std::string file) : plan_(plan), file_(std::move(file)) {}

  /// Checks own sums of vectors, of all stretches or of some: sums of products are at most as large.
  /// \throws InputError where the elements of a vector have no finite sum
  void check_own(std::span<const double> sums) const;

  /// \throws InputError as check_own(); what a sink throws
  void take(const StretchStep& step, StretchSums sums, ThreadPool& pool, std::span<ValueSink* const> sinks);

 private:
  struct Band;
  void take_own(std::vector<double> called, std::vector<double> missing);
  void take_row(const Band& band, const engine::Members& members, std::span<ValueSink* const> sinks) const;

  const StretchPlan& plan_;
  std::string file_;
  engine::OwnSums own_, own_called_;  ///< over all stretches, and where every call is there
  double units_called_ = 0;           ///< of stretches where every call is there
  std::vector<double> pairs_;         ///< of pairs where every call is there, step after step
  std::optional<engine::SimilarityValues> values_;
  bool any_missing_ = false;
};

}  // namespace fastid::pipeline
