/// \file
/// What is said of a search on standard error, before it and after.
#pragma once

#include <vector>

#include "analysis/queries.hpp"
#include "analysis/search.hpp"
#include "match/match_table.hpp"

namespace fastid {

/// What is listed of each query with --max-chance-matches; nothing where there are no limits.
void say_limits(const SearchOptions& options, const Queries& queries, const std::vector<ChosenLimit>& limits);

/// Ties that were cut off, ratios by contributors, known contributors, and what makes a result doubtful.
void say_findings(Comparison comparison, const std::vector<QueryMatches>& queries);

}  // namespace fastid
