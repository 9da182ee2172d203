/// \file
/// Vectors to test and to measure `fastid similarity`: random vectors, and vectors whose similarities are all
/// known in closed form.
///
/// Analytic vectors are staircases. Unit q is a column x(q) of kCallRows rows, and vector v has
///
///   2 copies where x < high[v],  1 where x < low[v],  else 0;    it is called in the rows below called[v]
///
/// x runs through its values in a scattered order. So a sum over units of a function of several vectors'
/// copies is a sum over few steps, times the rows in which all vectors are called.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "bits/shard.hpp"
#include "engine/combinations.hpp"
#include "engine/real_rows.hpp"
#include "engine/similarity_metric.hpp"

namespace fastid::simulate {

struct VectorOptions {
  std::uint32_t n_vectors = 0, n_units = 0;
  std::uint64_t seed = 1;
  double missing = 0;  ///< share of missing calls, in [0, 0.5]; approximate for analytic vectors
};

/// Some of all vectors, range by range; empty: all of them.
using ChosenVectors = std::span<const Range>;

/// All words of 32 units.
inline constexpr Range kAllWords{0, std::numeric_limits<std::uint32_t>::max()};

/// Random genotypes: at each unit half are 0 copies, a quarter 1, a quarter 2. Encoding::kAlleles
BitBlocks random_genotypes(const VectorOptions& options, ThreadPool& pool, ChosenVectors chosen = {},
                           const Range& words = kAllWords);
/// Random numbers, uniform in (0, 1).
engine::RealRows random_rows(const VectorOptions& options, engine::RealType type);

class AnalyticVectors {
 public:
  /// \throws UsageError where there are missing calls and n_units is no multiple of kCallRows
  explicit AnalyticVectors(const VectorOptions& options);

  static constexpr std::uint32_t kCallRows = 16;

  /// Encoding::kAlleles
  BitBlocks genotypes(ThreadPool& pool, ChosenVectors chosen = {}, const Range& words = kAllWords) const;
  /// Copies of a vector at a unit where it is called.
  std::uint32_t copies(std::uint32_t vector, std::uint32_t unit) const;

  /// Numbers, one more than the copies. This object must outlive what is returned.
  engine::RealRows rows(engine::RealType type) const;

  /// The values of a combination, each within a few units of the last place. \param out  n_cells()
  void values(engine::SimilarityMetric metric, std::span<const std::uint32_t> members,
              std::span<double> out) const;
  /// The proportional similarity of rows().
  double of_numbers(std::span<const std::uint32_t> members) const { return proportional(members, 2, 1); }

 private:
  struct Steps {
    std::uint32_t high = 0, low = 0;  ///< 0 <= high <= low <= n_columns_
    std::uint32_t called = 0;         ///< rows
  };
  std::uint32_t column_of(std::uint32_t unit) const;
  template <class Visit>
  void for_each_step(std::span<const std::uint32_t> members, const Visit& visit) const;
  double proportional(std::span<const std::uint32_t> members, std::uint32_t most_copies,
                      std::uint32_t more) const;
  double correlation(std::span<const std::uint32_t> members, std::size_t cell) const;
  double weight(std::uint32_t vector, bool minor) const;

  std::uint32_t n_units_, rows_, n_columns_, stride_;
  std::vector<Steps> steps_;
};

}  // namespace fastid::simulate
