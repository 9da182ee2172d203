/// \file
/// The steps that every question to a database has: its best pairs are ranked, and the rows of
/// the table are made of them and named.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "asking/counted_sites.hpp"
#include "asking/options.hpp"
#include "asking/pair_finder.hpp"
#include "asking/queries.hpp"
#include "base/clock.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"
#include "match/ranking.hpp"

namespace fastid::asking {

/// Says what the database is.
void say_database(const db::Reader& reader);
/// Warns of a dense panel whose linked sites are in no blocks.
void warn_of_linkage(const SearchOptions& options, const db::Reader& reader);

/// The warning, "" where there is nothing to warn of.
std::string linkage_of(const SearchOptions& options, const db::Reader& reader);

match::Provenance provenance_of(const SearchOptions& options, const db::Reader& reader,
                                const CountedSites& sites, const db::ChosenRows& chosen,
                                match::EvidenceParameters evidence,
                                std::vector<match::PopulationFacts> populations);

/// The queries, and which of their files were rejected (--keep-going).
match::Queries queries_of(const SearchOptions& options, const db::Reader& reader, PairFinder& finder,
                          match::MatchTable& table);

/// Each query with its shortlist, whose rows have no names yet. \param own  what it was ranked by
std::vector<match::QueryMatches> matches_of(const match::Queries& queries,
                                            std::span<const match::QueryRule> own,
                                            const std::vector<match::RankedPairs>& ranked,
                                            std::size_t threads);

/// QueryMatches::log10_agree_by_chance. \param log10_match_probability  of the query in an unrelated person
std::optional<double> agree_by_chance(double log10_match_probability, std::uint64_t n_profiles);

/// Names the listed rows; each stored profile's id is read once.
void name_rows(const db::Reader& reader, std::vector<match::QueryMatches>& queries);

/// Notes what the run took. \param total  since its start
void end_run(const Stopwatch& total, match::RunInfo& run);

}  // namespace fastid::asking
