/// \file
/// The moments (engine/similarity_metric.hpp) of a rectangle of combinations, from an engine's products.
///
/// Where every call is there, only the moment of all members is counted for each combination. Those of two of
/// three are counted once, in a table of all pairs, and those of one are its own sum.
///
/// Where the sum of products of all members says whether a value can reach a limit, an engine can be asked
/// for those combinations alone. Of CCC that is so where every call is there: the shares of alleles and of
/// pairs are known; where calls are missing, the engine counts a pair's other moments too, for the test. Of
/// the proportional similarity it is so also where calls are missing: let s be what a vector has where it is
/// called, and m how much it could have where it is not. What it has where `way` - 1 others are called is s
/// less their m, or more, and so the sum of the denominator is that of s - (way - 1) m of the members, or
/// more.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/similarity.hpp"
#include "engine/similarity_metric.hpp"

namespace fastid::pipeline {

/// Whether an engine can look for combinations of so many members with a value that reaches a limit.
inline bool has_limits(const engine::VectorPlanes& planes, std::size_t way) {
  return planes.n_values == 1 || planes.all_called || way == 2;
}

/// Moments of vectors of which every call is there: those of one are own sums, those of two of three stand in
/// a table.
struct CalledMoments {
  const double& units;
  const engine::OwnSums& own;
  const double* pairs = nullptr;  ///< <i, j> by the index of the pair; null: moments of two of three are null

  /// \param of_all  moments of all members, one for each combination of the row \param n  combinations
  engine::MomentRow row(const engine::Members& members, std::size_t way, std::size_t n,
                        const double* of_all) const;
};

/// The moments that are counted for each combination, as bits of members, ascending. \param all_called  every
/// call is there
std::vector<std::size_t> counted_moments(engine::SimilarityMetric metric, std::size_t way, bool all_called);

class MomentCounter {
 public:
  /// \param engine  must outlive this object \param small  an engine that is quick also with few pairs, as
  /// one on a device is not; null: the same one
  MomentCounter(const engine::SimilarityEngine& engine, const engine::VectorPlanes& planes,
                engine::SimilarityMetric metric, std::size_t way,
                const engine::SimilarityEngine* small = nullptr);

  const engine::OwnSums& own() const { return own_; }
  /// What makes values of its moments.
  const engine::SimilarityValues& values() const { return values_; }
  const engine::VectorPlanes& planes() const { return planes_; }
  std::size_t way() const { return way_; }
  engine::SimilarityMetric metric() const { return metric_; }
  const engine::SimilarityEngine& engine() const { return engine_; }

  /// Of the moment of some members: every choice of their planes, and the others' calls.
  engine::ProductPlanes planes_of(std::size_t of) const;

  /// s - (way - 1) m of a vector, where has_limits() of a proportional similarity.
  double least_sum(std::uint32_t vector) const;

  /// 1 / (2^members * units): what a sum of products is multiplied with to be a share, of CCC.
  double scale(std::size_t members) const {
    return planes_.units > 0 ? 1 / (static_cast<double>(std::size_t{1} << members) * planes_.units) : 0;
  }
  /// Of a vector's alleles where it is called, of CCC.
  double share_of_minor(std::uint32_t vector) const {
    const double copies = 2 * own_.called[vector];
    return copies > 0 ? own_.sum[vector] / copies : 0;
  }
  /// What is counted of a pair besides where calls are missing, of CCC.
  std::optional<engine::CommonPlanes> common_planes() const {
    if (planes_.all_called) return std::nullopt;
    return engine::CommonPlanes{planes_of(0b00), planes_of(0b10), planes_of(0b01)};
  }

  /// Fills the table of pairs of vectors below `end`, which combinations of three need where every call is
  /// there, or where limits are asked for.
  void prepare(std::uint32_t end, ThreadPool& pool);
  /// The product of vector j with each lower one. Only of vectors that are prepared.
  const double* pairs_of(std::uint32_t j) const { return pairs_.get() + engine::n_combinations(j, 2); }

  /// Counts a rectangle and hands on each row of its combinations: columns are first members, rows second
  /// ones, and the pivot is the third one. Moments of two of three are null where every call is there and
  /// nothing is prepared. Thread-safe. \param few  whether the pairs are few
  /// \throws DeviceError
  void count(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs, bool few,
             const std::function<void(const engine::MomentRow&)>& take) const;

  /// The moments of one combination, of which that of all members is known. They are in this object, or in
  /// `room`. \throws DeviceError
  using Room = std::array<double, engine::kMostMoments>;
  engine::MomentRow row_of(const engine::Members& members, double of_all, Room& room) const;

 private:
  CalledMoments called() const { return {planes_.units, own_, pairs_.get()}; }

  const engine::SimilarityEngine& engine_;
  const engine::SimilarityEngine& small_;
  engine::VectorPlanes planes_;
  engine::SimilarityMetric metric_;
  std::size_t way_;
  std::vector<std::size_t> counted_;
  engine::OwnSums own_;
  engine::SimilarityValues values_;
  std::unique_ptr<double[]> pairs_;  ///< products, by the index of the pair
};

}  // namespace fastid::pipeline
