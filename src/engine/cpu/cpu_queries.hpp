/// \file
/// The CPU engine's queries: packed once for a problem, in the order in which its kernels read them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {

/// Queries that a kernel takes at once.
struct QueryGroup {
  std::size_t first = 0;  ///< its first query
  std::size_t size = 0;   ///< its queries
  /// The kernel's Q: `size`, or more if the group is padded with queries that no pair passes.
  std::size_t width = 0;
  std::size_t words = 0;  ///< where its words begin
};

/// All queries of a problem, cut into groups. Read-only once made, so workers share it.
class PackedQueries {
 public:
  /// Copies what it needs. \throws Failure where there is not enough memory.
  explicit PackedQueries(const Problem& problem);

  KernelCase which() const { return which_; }
  std::span<const QueryGroup> groups() const { return groups_; }
  std::size_t n_queries() const { return groups_.empty() ? 0 : groups_.back().first + groups_.back().size; }
  /// Words of a profile up to the last one in which a query has a site. Queries whose sites lie in the first
  /// chromosomes alone are counted without the rest.
  std::size_t asked_words() const { return asked_words_; }
  const Word* words(const QueryGroup& group) const { return words_.data() + group.words; }
  /// The largest denominator of query `i`'s pairs; the denominator of each where denominator_source() is
  /// kQuery.
  std::uint32_t denominator(std::size_t i) const { return denominators_[i]; }

  /// The thresholds of a group's queries as kernels test them. Never too strict.
  GroupThresholds group_thresholds(const QueryGroup& group, std::span<const Threshold> thresholds) const;

 private:
  void pack(const Problem& problem, std::size_t query, const QueryGroup& group);

  KernelCase which_;
  std::size_t asked_words_;
  std::uint32_t most_;  ///< the largest count of a pair
  std::vector<QueryGroup> groups_;
  WordBuffer words_;
  std::vector<std::uint32_t> denominators_;
};

}  // namespace fastid::engine
