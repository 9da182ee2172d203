/// \file
/// Queries whose genotypes are not called but weighed by their likelihoods: what a database is ranked by, and
/// what a shortlist is worth.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "asking/listing.hpp"
#include "asking/queries.hpp"
#include "base/progress.hpp"
#include "bits/rows.hpp"
#include "engine/weighted_count.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid {

/// By weights of likelihoods where a query has them, else as the problem has it; null where all queries go by
/// their calls. \param problem  its queries must outlive the count
std::unique_ptr<WeightedCount> weighted_count(const stats::Question& question, const Queries& queries,
                                              const Problem& problem, std::size_t threads);

/// Reads the stored profiles of a shortlist again and fills in its evidence. \param sample  of the query
/// \param look  at each row once it has figures, with its profile \param progress  counts rows
void weigh_sample(const stats::Question& question, const SampleLikelihoods& sample, const BlockSource& source,
                  const std::function<void(const RowView&, MatchRow&)>& look, Progress& progress,
                  QueryMatches& matches);

}  // namespace fastid
