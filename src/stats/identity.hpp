/// \file
/// One query against one stored person, in one population. Loci are taken to be unlinked.
///
/// Rows have the model's sites; a bit is 0 where it is not called (RowView). All sums run over the words of a
/// row: 100,000 sites take well under a millisecond.
#pragma once

#include <vector>

#include "bits/rows.hpp"
#include "stats/poisson_binomial.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// log10 of the probability that a random person shows the query's bits at its called sites: product of c or
/// 1 - c. 0 where nothing is called.
double log10_match_probability(const PopulationModel& model, const RowView& query);

/// log10 likelihood ratio of "the same person" against "unrelated people", over the sites called in both.
/// -infinity only where the error rate is 0 and the two differ.
double log10_identity_ratio(const PopulationModel& model, const RowView& query, const RowView& stored);

/// P(a random person differs from the query) at each site of `compared` that the query has called: c where
/// its bit is 0, 1 - c where it is 1. For PoissonBinomial. \param compared  words of a mask; the query's
/// `called` for all of its sites
std::vector<Event> mismatch_events(const PopulationModel& model, const RowView& query,
                                   std::span<const Word> compared);

/// Who the two people are to each other.
enum class Relation { kSame, kParentChild, kSiblings, kUnrelated };

/// How many mismatches to expect, and their standard deviation (sites taken as independent).
struct Expected {
  double mean = 0, sd = 0;
};

/// Mismatches between two random people who are so related, over all sites of the panel; theta 0, no errors
/// (kSame: with the model's error rate). unrelated sum 2c(1-c), parent-child sum 2p^2q, siblings sum
/// c(1-c)/2 + p^2q.
Expected expected_mismatches(const PopulationModel& model, Relation relation);

/// The same given one of the two, the query, over its called sites: where a mark stands in its histogram.
Expected expected_mismatches(const PopulationModel& model, Relation relation, const RowView& query);

}  // namespace fastid::stats
