/// \file
/// The steps that every question to a database has: the rows of the table are made of its ranked pairs,
/// listed and named.
///
/// From a query's shortlist, which comes from the ranking, to the rows that are listed, and their order.
///
///   shortlist    in the order of match/ranking.hpp, by the query's weights or by fraction:
///                `shortlisted(top)` rows of each query
///   left out     rows with more chance matches than --max-chance-matches allows
///   listed       the first `top` by log10 LR as printed (of mixtures those with a mark first), then in the
///                shortlist's order; with --sort rate or without frequencies, only in the shortlist's order
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/counted_sites.hpp"
#include "asking/options.hpp"
#include "base/clock.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
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

/// Each query with its shortlist, whose rows have no names yet. \param own  what it was ranked by
std::vector<match::QueryMatches> matches_of(const match::Queries& queries,
                                            std::span<const match::QueryRule> own,
                                            const std::vector<match::RankedPairs>& ranked,
                                            std::size_t threads);

/// How many rows are ranked so that `top` can be listed by evidence: twice as many, but at least 20,
/// so that a short list equals the first rows of a longer one; KeepRule::kAll for all.
std::uint64_t shortlisted(std::uint64_t top);

struct ListingRule {
  std::uint64_t top = 10;                     ///< rows to list at most; KeepRule::kAll: no limit
  std::uint64_t shortlist = 20;               ///< rows that the ranking kept at most
  double speaks_above = 0;                    ///< a log10_lr above it speaks for a match
  bool by_evidence = false;                   ///< then every row has a log10_lr
  std::optional<double> max_chance_matches;   ///< then every row has a log10_chance_matches
  std::optional<double> least_log10_lr = {};  ///< then every row has a log10_lr
};

/// Lists a query's rows, which are in the shortlist's order, and ranks them from 1. Also counts ties: rows
/// that are not listed and that differ from the last listed one only in their place in the database. Rows
/// that the ranking cut off are among them; of these only the counts are known.
void list_rows(const ListingRule& rule, match::QueryMatches& query);

/// QueryMatches::log10_agree_by_chance. \param log10_match_probability  of the query in an unrelated person
std::optional<double> agree_by_chance(double log10_match_probability, std::uint64_t n_profiles);

/// Names the listed rows; each stored profile's id is read once.
void name_rows(const db::Reader& reader, std::vector<match::QueryMatches>& queries);

/// Notes what the run took. \param total  since its start
void end_run(const Stopwatch& total, match::RunInfo& run);

}  // namespace fastid::asking
