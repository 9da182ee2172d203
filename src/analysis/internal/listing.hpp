/// \file
/// From a query's shortlist, which the ranking gave, to the rows that are listed, and their order.
///
///   shortlist    by rate, as match/ranking.hpp has it: `shortlisted(top)` rows of each query
///   left out     rows that chance explains better than --max-chance-matches allows
///   listed       the first `top` by log10 LR as printed, then in the shortlist's order; with --sort rate,
///   and
///                where there are no frequencies, in the shortlist's order alone
#pragma once

#include <cstdint>
#include <optional>

#include "match/match_table.hpp"

namespace fastid {

/// How many rows are ranked by rate for so many to be listed by evidence: twice as many, and 20 at least, so
/// that short lists are the first rows of longer ones; KeepRule::kAll for all.
std::uint64_t shortlisted(std::uint64_t top);

struct ListingRule {
  std::uint64_t top = 10;                    ///< KeepRule::kAll: no limit
  bool by_evidence = false;                  ///< then every row has a log10_lr
  std::optional<double> max_chance_matches;  ///< then every row has a log10_chance_matches
};

/// Lists a query's rows, which come in the shortlist's order; ranks are then from 1. Ties are counted: rows
/// that are not listed and that nothing but their place in the database tells from the last listed one, among
/// them those that the ranking cut off, of which it knows the counts alone.
void list_rows(Comparison comparison, const ListingRule& rule, QueryMatches& query);

}  // namespace fastid
