/// \file
/// One query against one stored person, in one population, by the bits or by the alleles that were seen
/// (IdentityModel::by()). Sites are taken to be unlinked, except that the sites of a linkage block
/// (stats/linkage_blocks.hpp) weigh as one.
///
/// Rows have the model's sites; a bit is 0 where it is not called (RowView). All sums run over the words of a
/// row: 100,000 sites take well under a millisecond.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/identity_model.hpp"
#include "stats/internal/poisson_binomial.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// log10 of the probability of the query's bits (genotypes), at its called sites, in an unrelated person of
/// the population: the product of P(x | the query shows x). 0 where nothing is called.
double log10_match_probability(const IdentityModel& model, const RowView& query);

/// log10_match_probability() by alleles of many queries, without the tables of an IdentityModel.
class MatchProbability {
 public:
  /// \param model  must outlive this object
  explicit MatchProbability(const PopulationModel& model);

  double log10(const RowView& query) const;

 private:
  const PopulationModel* model_;
  std::vector<std::array<double, kGenotypes>> log10_;  ///< [site][x]: of x in an unrelated person, given x
};

/// The ratios of one query with stored people; of many together each takes a fraction of the time.
class IdentityRatios {
 public:
  /// \param model, query  must outlive this object \param alternative  the hypothesis that log10_lr()
  /// compares "same person" with
  IdentityRatios(const IdentityModel& model, const RowView& query, Relation alternative);

  /// The log10 ratio of the same person to the alternative, over the sites called in both, as with() gives
  /// it.
  double log10_lr(const RowView& stored) const;
  /// log10_lr() of many people, in less time than with() takes.
  std::vector<double> log10_lr(std::span<const RowView> stored) const;

  /// The ratios of all relations, over the sites called in both.
  RelationRatios with(const RowView& stored) const;
  std::vector<RelationRatios> with(std::span<const RowView> stored) const;

 private:
  /// The ratios of `relations`; 0 for the other relations.
  std::vector<RelationRatios> of_relations(std::span<const Relation> relations,
                                           std::span<const RowView> stored) const;
  /// As add_figures(), with each site multiplied by its weight.
  void add_weighed(std::span<const std::span<const SeenFigures>> tables, std::span<const RowView> stored,
                   std::span<double> sums) const;

  const IdentityModel* model_;
  RowView query_;
  Relation alternative_;
  std::vector<std::uint32_t> places_;  ///< IdentityModel::places_of()
};

/// The relation of two profiles that the ratios suggest.
enum class Suggestion { kSame, kFirstDegree, kSecondDegree, kUnrelated, kInconclusive };

/// "same", "first-degree", "second-degree", "unrelated", "inconclusive".
std::string_view name_of(Suggestion suggestion);

/// The hypothesis (the same person; first degree: the likelier of parent-child and full siblings; second
/// degree: half siblings; unrelated) that makes the data at least 10^margin times as probable as each other
/// one does; else kInconclusive. This is not a probability: it does not take into account how common
/// relatives are in the database.
Suggestion suggest(const RelationRatios& ratios, double margin = 1);

/// log10 of the mean of the ratios to unrelated people of the same person and of relatives of the first and
/// second degree: among strangers the mean of this mean is 1, so that at most N / R of N have R or more.
double mean_ratio(const RelationRatios& ratios);

/// By how much an unrelated person differs from the query at each site of `compared` that the query has
/// called: the events for a PoissonBinomial. \param compared  words of a mask; the query's `called` for all
/// of its sites
std::vector<Event> mismatch_events(const IdentityModel& model, const RowView& query,
                                   std::span<const Word> compared);

/// The expected number of mismatches and its standard deviation (sites are taken as independent).
struct Expected {
  double mean = 0, sd = 0;
};

/// Mismatches of bits between two random people with this relation, over all sites of the panel, without
/// errors (kSame: with the model's error rate). With theta 0: unrelated sum 2c(1-c), parent-child sum 2p^2q,
/// siblings sum c(1-c)/2 + p^2q; c = 1 - p^2.
Expected expected_mismatches(const PopulationModel& model, Relation relation);

/// The mismatches of a person with this relation to the query, over its called sites: the place of a mark in
/// its histogram.
Expected expected_mismatches(const IdentityModel& model, Relation relation, const RowView& query);

}  // namespace fastid::stats
