/// \file
/// Messages about a search on standard error, before and after it.
#pragma once

#include <vector>

#include "asking/options.hpp"
#include "asking/queries.hpp"
#include "match/match_table.hpp"

namespace fastid::asking {

/// Says what is listed for each query with --max-chance-matches; says nothing where there are no limits.
void say_limits(const SearchOptions& options, Encoding by, const match::Queries& queries,
                const std::vector<std::optional<match::ChosenLimit>>& limits);

/// Reports ties that were cut off, ratios by number of contributors, known contributors, and what makes a
/// result doubtful.
void say_findings(const match::MatchTable& table);

}  // namespace fastid::asking
