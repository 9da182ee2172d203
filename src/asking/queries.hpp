/// \file
/// The queries of a search, from all their files, and whether they are compared by alleles or by bits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "asking/options.hpp"
#include "asking/pair_finder.hpp"
#include "db/database.hpp"
#include "import/import.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"

namespace fastid::asking {

/// Reads every sample of every file onto the panel, in order; prints one line of counts for each file, or one
/// for all where there are many. A sample with no called site of the panel is left out with a warning. \param
/// failed takes files that are rejected; null: a rejected file is an error \throws InputError where a file is
/// rejected, or no query is left. \param threads  that read as many files at the same time
match::Queries read_queries(const std::vector<std::string>& files, const Panel& panel,
                            const imports::ImportOptions& options,
                            std::vector<match::FailedInput>* failed = nullptr, std::size_t threads = 1);

/// The queries, and which of their files were rejected (--keep-going).
match::Queries queries_of(const SearchOptions& options, const db::Reader& reader, PairFinder& finder,
                          match::MatchTable& table);

/// The first query whose file says only where a minor allele was seen; null if there is none.
const match::QuerySource* without_alleles(const match::Queries& queries);

/// What was asked for (--by). If nothing was: alleles where the database and every query, and every known
/// contributor, say which alleles were seen; else bits, which is said. \throws InputError naming the file
/// that does not say so, where alleles were asked for
Encoding compared_by(const SearchOptions& options, const db::Reader& reader, const match::Queries& queries,
                     const match::Queries& known);

}  // namespace fastid::asking
