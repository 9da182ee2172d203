/// \file
/// Where the pairs of a search go. The loop (pipeline) asks for the current thresholds, and passes on the
/// pairs that passed them.
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine.hpp"

namespace fastid::match {

/// Thread-safe. The result depends on the set of pairs alone, never on their order.
class PairSink {
 public:
  virtual ~PairSink() = default;

  /// The threshold of each query that a pair must now pass to change the result. Does not wait for take():
  /// thresholds may have become stricter meanwhile.
  virtual void thresholds(std::span<engine::Threshold> out) const = 0;

  /// How many pairs are kept for each query; UINT64_MAX: all. If N profiles have set a query's threshold,
  /// about keeps() pairs of every further N profiles pass it.
  virtual std::uint64_t keeps() const = 0;

  /// Takes some pairs. Each pair of the database may come only once. Pairs that do not pass do no harm.
  virtual void take(std::span<const engine::Pair> pairs) = 0;
};

}  // namespace fastid::match
