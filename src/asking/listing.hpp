/// \file
/// From a query's shortlist, which comes from the ranking, to the rows that are listed, and their order.
///
///   shortlist    in the order of match/ranking.hpp, by the query's weights or by fraction:
///                `shortlisted(top)` rows of each query
///   left out     rows with more chance matches than --max-chance-matches allows
///   listed       the first `top` by log10 LR as printed (of mixtures those with a mark first), then in the
///                shortlist's order; with --sort rate or without frequencies, only in the shortlist's order
#pragma once

#include <cstdint>
#include <optional>

#include "match/match_table.hpp"

namespace fastid::asking {

/// How many rows are ranked so that `top` can be listed by evidence: twice as many, but at least 20,
/// so that a short list equals the first rows of a longer one; KeepRule::kAll for all.
std::uint64_t shortlisted(std::uint64_t top);

struct ListingRule {
  std::uint64_t top = 10;                     ///< rows to list at most; KeepRule::kAll: no limit
  std::uint64_t shortlist = 20;               ///< rows that the ranking kept at most
  double speaks_above = 0;                    ///< a log10_lr above it speaks for a match
  bool by_evidence = false;                   ///< then every row has a log10_lr
  std::optional<double> max_chance_matches;   ///< then every row has a log10_chance_matches
  std::optional<double> least_log10_lr = {};  ///< then every row has a log10_lr
};

/// Lists a query's rows, which are in the shortlist's order, and ranks them from 1. Also counts ties: rows
/// that are not listed and that differ from the last listed one only in their place in the database. They
/// include rows that the ranking cut off, of which only the counts are known.
void list_rows(const ListingRule& rule, match::QueryMatches& query);

}  // namespace fastid::asking
