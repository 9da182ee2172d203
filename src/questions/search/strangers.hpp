/// \file
/// Where the profiles of a database lie beside where the figure by mismatches expects strangers.
#pragma once

#include <cstddef>
#include <span>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid::search {

/// Holds queries against a systematic sample of the database, some 500 to 1,000 profiles, and fills in
/// QueryMatches::strangers: of all queries, or, of many, of 16 to 31 at equal distances. The sample depends
/// on the database's size alone. Nothing is filled in where it has fewer than 100 profiles that share a site
/// with the query. \param database  the profiles that are searched \param question  of people; without
/// populations nothing is expected \throws InputError, Interrupted
void measure_strangers(const BlockSource& database, const ProfileRows& queries,
                       const stats::Question& question, std::size_t threads,
                       std::span<match::QueryMatches> matches);

}  // namespace fastid::search
