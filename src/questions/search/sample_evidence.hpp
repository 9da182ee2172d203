/// \file
/// Queries whose genotypes are not called but weighed by their likelihoods: what a shortlist is worth.
#pragma once

#include <functional>

#include "asking/stored_profiles.hpp"
#include "base/progress.hpp"
#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid::search {

/// Reads the stored profiles of a shortlist again and fills in its evidence. \param sample  of the query
/// \param look  at each row once it has figures, with its profile \param progress  counts rows
void weigh_sample(const stats::Question& question, const SampleLikelihoods& sample,
                  const asking::ShortlistSource& source,
                  const std::function<void(const RowView&, match::MatchRow&)>& look, Progress& progress,
                  match::QueryMatches& matches);

}  // namespace fastid::search
