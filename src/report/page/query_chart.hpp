/// \file
/// A query's histogram as a chart: all profiles that were looked at, what chance would bring, where relatives
/// would lie, and the profiles that are listed.
#pragma once

#include <string>

#include "match/match_table.hpp"

namespace fastid::report {

/// A figure (html) with its caption and, for who reads rather than looks, the same numbers as a table. Empty
/// where no histogram was collected. \param id  unique in the page
std::string histogram_figure(const MatchTable& matches, const QueryMatches& query, const std::string& id);

}  // namespace fastid::report
