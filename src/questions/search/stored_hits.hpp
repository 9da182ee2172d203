/// \file
/// Rows of several shortlists by the stored profile that they are of, which is then looked at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "match/match_table.hpp"

namespace fastid::search {

/// The rows of one stored profile: of which query, and the row in its shortlist.
using StoredHits = std::vector<std::pair<std::size_t, match::MatchRow*>>;

/// By row of the database, ascending.
inline std::vector<std::pair<std::uint64_t, StoredHits>> hits_by_stored(
    std::span<match::QueryMatches> matches) {
  std::map<std::uint64_t, StoredHits> by_stored;
  for (std::size_t q = 0; q < matches.size(); ++q)
    for (match::MatchRow& row : matches[q].rows) by_stored[row.row].emplace_back(q, &row);
  return {by_stored.begin(), by_stored.end()};
}

}  // namespace fastid::search
