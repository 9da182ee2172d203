/// \file
/// What two genotypes are worth as evidence of a relation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/rows.hpp"
#include "match/match_table.hpp"
#include "stats/kinship.hpp"
#include "stats/likelihoods.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

/// log10 of the number of relations that are held against "unrelated": same person, parent and child, and so
/// on.
double log10_relations();

/// A log10 ratio above it is not explained by chance: fewer than stats::kExplainedByChance of `n` pairs of
/// strangers have one. \param log10_hypotheses  of how many the best ratio is taken
double not_by_chance(double log10_hypotheses, std::uint64_t n);

/// The word for a relation that is not named.
inline constexpr const char* kUndecided = "undecided";

/// What was found of a pair.
struct RelationFindings {
  match::RelationFigures log10_lr;  ///< each the lowest of all populations
  double log10_best = 0;            ///< of the likeliest relation, in `population`
  std::size_t population = 0;       ///< that in which the best ratio is lowest; the relation is called there
  double margin = 0;                ///< log10 of the likeliest relation's ratio to the next one
  std::string relation;  ///< kUndecided where the margin is too small or chance explains the best ratio
};

class RelationEvidence {
 public:
  /// \param models  of each population; none: there is no evidence
  /// \param margin  log10, that a relation needs to be named
  /// \param n_pairs  pairs in which strangers may look like relatives by chance
  RelationEvidence(std::span<const stats::PopulationModel> models, double margin, std::uint64_t n_pairs);

  bool available() const { return !kinship_.empty(); }

  /// To be called only if available(). \param first, second  rows with `major` of the models' sites
  RelationFindings weigh(const RowView& first, const RowView& second) const;
  /// The same of one with each of several others.
  std::vector<RelationFindings> weigh(const RowView& first, std::span<const RowView> others) const;
  /// The same of somebody who goes by likelihoods. \param first  in each population
  std::vector<RelationFindings> weigh(std::span<const stats::LikelihoodRatios> first,
                                      std::span<const RowView> others) const;
  /// The same of two who both do. \param pairs  of each population
  std::vector<RelationFindings> weigh(std::span<const stats::SamplePairs> pairs,
                                      const SampleLikelihoods& first,
                                      std::span<const SampleLikelihoods* const> others) const;

 private:
  std::vector<RelationFindings> of_all(
      std::span<const std::vector<stats::RelationRatios>> by_population) const;
  RelationFindings of(std::span<const stats::RelationRatios> ratios) const;

  std::vector<stats::KinshipModel> kinship_;  ///< of each population
  double margin_;
  double speaks_above_;
};

}  // namespace fastid::asking
