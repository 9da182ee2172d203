/// \file
/// Queries that go by the likelihoods of their genotypes in place of calls: whether they may, and what a
/// database is ranked by.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/weighted_count.hpp"
#include "import/import.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "stats/likelihoods.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

/// Turns ImportOptions::likelihoods off where queries cannot go by them. \param why_not  "" where they can
/// \throws UsageError where a rule was named that cannot be followed
void settle_likelihoods(imports::ImportOptions& options, const std::string& why_not);

/// Notes how queries were read that go by their likelihoods.
void note_likelihoods(const imports::ImportOptions& options, match::ReadingParameters& reading);

/// What a sample says in each population. \param alternative  of LikelihoodRatios
std::vector<stats::LikelihoodRatios> ratios_of_sample(std::span<const stats::PopulationModel> models,
                                                      Encoding by, const SampleLikelihoods& sample,
                                                      stats::Relation alternative);

/// Ranks by weights of likelihoods where a query has them, by the highest of the pairs' sums, else as the
/// problem has it; null where all queries go by their calls. \param problem  its queries must outlive the
/// count
std::unique_ptr<engine::WeightedCount> weighted_count(std::span<const stats::PopulationModel> models,
                                                      std::span<const stats::RelationPair> pairs,
                                                      const match::Queries& queries,
                                                      const engine::Problem& problem, std::size_t threads);

}  // namespace fastid::asking
