/// \file
/// Whether a search is by alleles or by bits.
#pragma once

#include "asking/options.hpp"
#include "asking/queries.hpp"
#include "db/database.hpp"

namespace fastid::asking {

/// The first query whose file says only where a minor allele was seen; null if there is none.
const match::QuerySource* without_alleles(const match::Queries& queries);

/// What was asked for (--by). If nothing was: alleles where the database and every query, and every known
/// contributor, say which alleles were seen; else bits, which is said. \throws InputError naming the file
/// that does not say so, where alleles were asked for
Encoding compared_by(const SearchOptions& options, const db::Reader& reader, const match::Queries& queries,
                     const match::Queries& known);

}  // namespace fastid::asking
