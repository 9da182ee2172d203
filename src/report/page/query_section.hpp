/// \file
/// What the page says of one query: the finding, the matches with those that stand apart marked, the
/// histogram, and the sites that speak against each match.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.hpp"

namespace fastid::report {

/// A section of the page, "query-NUMBER".
std::string query_section(const MatchTable& matches, const QueryMatches& query, const Options& options,
                          std::size_t number);

}  // namespace fastid::report
