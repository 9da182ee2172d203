/// \file
/// Which of a query's pairs are kept.
#pragma once

#include <cstdint>

namespace fastid::match {

/// What a pair must satisfy to be listed.
struct KeepRule {
  std::uint64_t top = 10;                ///< most pairs listed for each query, at least 1; kAll: no limit
  std::uint32_t max_count = UINT32_MAX;  ///< most mismatches, or alleles not seen
  std::uint32_t min_compared = 1;        ///< fewest compared sites; never less than 1

  static constexpr std::uint64_t kAll = UINT64_MAX;
};

/// Order by weight: a pair is worth credit x max(its denominator, 1) - cost x its count, and more is better.
/// Both are below 2^24. Order by fraction where cost is 0.
struct PairWeights {
  std::uint32_t cost = 0;    ///< for a unit of the count
  std::uint32_t credit = 0;  ///< for a unit of the denominator

  friend bool operator==(const PairWeights&, const PairWeights&) = default;
};

/// The rule of one query.
struct QueryRule {
  std::uint32_t max_count = UINT32_MAX;  ///< used if it is lower than the rule's
  PairWeights weights;
  bool only_positive = false;  ///< by weight: list only pairs that are worth at least 0
};

}  // namespace fastid::match
