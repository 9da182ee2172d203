/// \file
/// The page's section about one query: the finding, the matches, of which those that stand apart are marked,
/// the histogram, and the sites that speak against each match.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.hpp"

namespace fastid::report {

/// The section as html, with the id "query-NUMBER".
std::string query_section(const MatchTable& matches, const QueryMatches& query, const Options& options,
                          std::size_t number);

}  // namespace fastid::report
