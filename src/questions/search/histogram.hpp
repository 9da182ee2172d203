/// \file
/// What a query's histogram is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid::search {

/// The median, and half the distance between the quantiles that correspond to one standard deviation below
/// and above the mean of a normal distribution. The few relatives in a database hardly change either.
/// Profiles are taken to be spread evenly within each count. \param at_count  [count]: how many profiles; no
/// value where there are none
std::optional<match::CentreAndSpread> centre_and_spread(std::span<const std::uint64_t> at_count);

/// Adds to a histogram of counted profiles what the model expects, and the marks of relations (identity).
/// \param n_profiles  of the whole database
void explain_histogram(const stats::QueryEvaluator& figures, engine::Comparison comparison,
                       std::uint64_t n_profiles, match::QueryHistogram& histogram);

}  // namespace fastid::search
