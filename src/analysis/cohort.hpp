/// \file
/// From the close pairs of a cohort to its table: relations, groups, what was expected, exchanged labels, and
/// the largest set without relatives.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "match/close_pair.hpp"
#include "match/cohort_table.hpp"

namespace fastid {

/// The profiles of a database that took part.
struct CohortSide {
  CohortDatabase database;
  std::span<const std::string> ids;  ///< of all its rows
};

struct CohortOptions {
  PairSearch search;
  /// One, or two of which profiles of the first were compared with those of the second. Where both have an
  /// id, it is one person's.
  std::vector<CohortSide> sides;
  std::uint64_t n_compared = 0;
  /// Whether the search compared two rows, for databases of which not all pairs were; rows as in ClosePair.
  /// Empty: it compared all.
  std::function<bool(std::uint64_t first, std::uint64_t second)> compared;
  /// Whether a row was compared with all others that take part. Empty: all rows do.
  std::function<bool(std::uint64_t row)> takes_part;
  std::string expect;      ///< path of a file (analysis/cohort/expect_file.hpp); "": none
  bool unrelated = false;  ///< also choose the largest set without relatives; of one database only
};

/// \param pairs  in any order, each once \throws InputError where the file of --expect is refused.
CohortTable cohort_of(std::vector<ClosePair> pairs, const CohortOptions& options);

}  // namespace fastid
