/// \file
/// The page's section about one query: the finding, the matches (marked where they stand apart) and the
/// histogram. Also the sites that speak against each match, for the annex.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.hpp"

namespace fastid::report {

/// The section as html, with the id "query-NUMBER".
std::string query_section(const match::MatchTable& matches, const match::QueryMatches& query,
                          const Options& options, std::size_t number);

/// The sites that speak against each match of a query, in collapsed parts; "" where there are none to list.
std::string differing_sites(const match::MatchTable& matches, const match::QueryMatches& query);

}  // namespace fastid::report
