/// \file
/// What is kept of a query's pairs.
#pragma once

#include <cstdint>

namespace fastid {

/// What a pair must satisfy to be listed.
struct KeepRule {
  std::uint64_t top = 10;                ///< most pairs listed for each query, at least 1; kAll: no limit
  std::uint32_t max_count = UINT32_MAX;  ///< most mismatches, or alleles not seen
  std::uint32_t min_compared = 1;        ///< fewest compared sites; never less than 1

  static constexpr std::uint64_t kAll = UINT64_MAX;
};

/// Order by weight: a pair is worth denominator x max(its denominator, 1) - count x its count, and more is
/// better. Both members are below 2^24. Order by fraction where count is 0.
struct Balance {
  std::uint32_t count = 0;        ///< what one of the count costs
  std::uint32_t denominator = 0;  ///< what one of the denominator makes up for

  friend bool operator==(const Balance&, const Balance&) = default;
};

/// What holds for one query.
struct QueryRule {
  std::uint32_t max_count = UINT32_MAX;  ///< used if it is lower than the rule's
  Balance balance;
  bool only_positive = false;  ///< with a balance: list only pairs that are worth at least 0
};

}  // namespace fastid
