/// \file
/// Where the pairs of a search go: the loop (pipeline) asks what a pair must pass now, and hands on what did.
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine.hpp"

namespace fastid {

/// Thread-safe. The result depends on the set of pairs alone, never on their order.
class PairSink {
 public:
  virtual ~PairSink() = default;

  /// What a pair must pass now to change the result, for each query. Waits for nobody: a threshold may have
  /// got stricter meanwhile.
  virtual void thresholds(std::span<Threshold> out) const = 0;

  /// Pairs that are kept of each query, so that about as many pass the thresholds of as many profiles as
  /// these rest on; UINT64_MAX: all.
  virtual std::uint64_t keeps() const = 0;

  /// Takes some pairs, each pair of the database at most once. Others than those that pass do no harm.
  virtual void take(std::span<const Pair> pairs) = 0;
};

}  // namespace fastid
