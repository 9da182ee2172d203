/// \file
/// The threshold of each query, which only falls. Rankings of different rows, in one process or in several,
/// may share thresholds: once one ranking keeps `top` pairs that pass a threshold, no pair that fails it can
/// be among the best of all rows, nor tie with the last of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "match/keep_rule.hpp"

namespace fastid::match {

/// Thread-safe.
class SharedThresholds {
 public:
  /// \param own  for each query; empty: the defaults
  SharedThresholds(std::size_t n_queries, const KeepRule& rule, std::span<const QueryRule> own = {});

  std::size_t size() const { return packed_.size(); }
  const PairWeights& weights(std::size_t query) const { return own_[query].weights; }

  engine::Threshold threshold(std::size_t query) const { return unpacked(query, load(query)); }
  /// The threshold before any pair is kept.
  engine::Threshold first_threshold(std::size_t query) const;
  /// Lowers a threshold; a higher one changes nothing. \param to  its max_count is ignored, since the rule's
  /// holds; so are num and den by weights, and the offset without them
  void lower(std::size_t query, const engine::Threshold& to);

  /// All thresholds for another process, encoded for merge().
  std::vector<std::uint64_t> snapshot() const;
  /// Lowers each query's threshold to another process's, where that is lower. \param others  snapshot() of
  /// the same queries, perhaps of long ago; merging it twice changes nothing
  void merge(std::span<const std::uint64_t> others);

 private:
  std::uint64_t load(std::size_t query) const { return packed_[query].load(std::memory_order_relaxed); }
  std::uint64_t packed(std::size_t query, const engine::Threshold& threshold) const;
  engine::Threshold unpacked(std::size_t query, std::uint64_t value) const;
  bool is_lower(std::size_t query, std::uint64_t value, std::uint64_t than) const;
  void lower(std::size_t query, std::uint64_t to);

  std::vector<QueryRule> own_;
  std::vector<std::atomic<std::uint64_t>> packed_;  ///< what changes: num and den, or the offset
};

}  // namespace fastid::match
