/// \file
/// The page's section about a mixture by itself: how many people left it, and what is known of each.
#pragma once

#include <string>

#include "match/match_table.hpp"

namespace fastid::report {

/// How many people left a mixture, their shares or drop-outs, and its reads; "" where none of this is known.
/// \param number  of the query, from 1
std::string how_many_people(const match::MatchTable& matches, const match::QueryMatches& query,
                            std::size_t number);

/// How much of each contributor's genotypes is known; "" where that was not asked.
std::string what_of_each(const match::QueryMatches& query);

}  // namespace fastid::report
