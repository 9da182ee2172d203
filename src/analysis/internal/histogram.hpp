/// \file
/// What a query's histogram is compared with.
#pragma once

#include <cstdint>
#include <span>

#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid {

/// Adds to a histogram of counted profiles what the model expects, the marks of relations (identity), and the
/// chance matches at the counts of the listed rows. \param n_profiles  of the whole database
void explain_histogram(const stats::QueryEvaluator& figures, Comparison comparison, std::uint64_t n_profiles,
                       std::span<const MatchRow> listed, QueryHistogram& histogram);

}  // namespace fastid
