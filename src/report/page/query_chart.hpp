/// \file
/// A query's histogram as a chart: all profiles that were counted, the number expected by chance, where
/// relatives would lie, and the listed profiles.
#pragma once

#include <string>

#include "match/match_table.hpp"

namespace fastid::report {

/// A figure (html) with its caption and the same numbers as a table. Empty where no histogram was collected.
/// \param id  unique in the page
std::string histogram_figure(const match::MatchTable& matches, const match::QueryMatches& query,
                             const std::string& id);

}  // namespace fastid::report
