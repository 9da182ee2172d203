/// \file
/// What a search asks: one query and what it found, in one or several populations. Where there are several,
/// the worst for the claim that the two belong together is what counts: the lowest likelihood ratio, the
/// highest probability of a chance match.
///
/// Chance. p is the probability that an unrelated person, drawn from the population, has so few mismatches
/// (excluded alleles) or fewer with the query, over the sites compared in this hit; expected_false = N p, N
/// the number of profiles in the database (all of it, not a shard). With --reverse p is P(RMNE | L) of the
/// stored mixture, and N p is what N mixtures as inclusive as this one would bring by chance.
///
/// Limits. limit() holds for a stored profile that has all of the query's sites. Fewer sites make few
/// mismatches easier, so a hit with no-calls may pass the limit with more false matches than asked for, and
/// no hit that does pass by its own sites is ever cut by the limit. So: search with limit(), then drop hits
/// for which within() is false. The false hits of a whole search are then expected to be at most the E asked
/// for. With --reverse there is no limit to give before the search, and within() alone decides.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/comparison.hpp"
#include "stats/identity.hpp"
#include "stats/mixture.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// One hit in one population.
struct HitEvidence {
  double log10_lr = 0;
  double log10_chance = 0;          ///< p above; of mixtures it is P(RMNE | L), the column p_rmne
  double log10_expected_false = 0;  ///< of N p
  unsigned contributors = 0;        ///< of the mixture, given or estimated; 0 for kIdentity
  bool saturated = false;           ///< N P(RMNE given 0) > 1 over the compared sites; false for kIdentity
};

/// One hit in all chosen populations.
struct HitReport {
  HitEvidence worst;              ///< each number the worst for the claim; contributors are those of log10_lr
  std::size_t lr_population = 0;  ///< where in `each` the worst log10_lr comes from
  std::size_t chance_population = 0;  ///< and the worst log10_chance
  std::vector<HitEvidence> each;      ///< one for each model, in their order
};

/// One query in one population, before any hit.
struct QueryEvidence {
  double log10_match_probability = 0;  ///< of the query's bits; kMixture: 0, a mixture is no person
  double log10_p_rmne_0 = 0;           ///< kMixture: log10 P(RMNE given 0); else 0
  ContributorEstimate contributors;    ///< kMixture
  unsigned contributors_used = 0;      ///< kMixture: those given, else the best estimate; else 0
  double expected_saturation = 0;      ///< kMixture: with contributors_used
  bool saturated = false;              ///< kMixture
};

/// Evidence for one query. The models must outlive it. One thread at a time for each object.
class QueryEvaluator {
 public:
  /// \param models        one or more, all with the query's sites
  /// \param n_profiles    of the whole database
  /// \param contributors  of mixtures, in [1, kMostContributors]; else estimated, of each mixture in each
  ///                      population
  /// \throws UsageError (contributors)
  QueryEvaluator(Comparison comparison, std::span<const PopulationModel> models, RowView query,
                 std::uint64_t n_profiles, std::optional<unsigned> contributors);
  ~QueryEvaluator();
  QueryEvaluator(QueryEvaluator&&) noexcept;

  std::span<const PopulationModel> models() const;

  /// For each model, in order.
  const std::vector<QueryEvidence>& query() const;
  /// Where in query() the worst is: the highest match probability (kMixture: P(RMNE given 0)).
  std::size_t worst_population() const;
  /// True where any population says so.
  bool saturated() const;
  /// Share of the query's called sites with bit 1.
  double saturation() const;

  /// Largest count whose expected number of false matches is at most max_expected in every population, over
  /// the query's called sites. Nothing: not even a count of 0 is rare enough. kReverseMixture: all of the
  /// query's sites (no limit). \param max_expected  > 0, else UsageError
  std::optional<std::uint32_t> limit(double max_expected) const;

  /// Evidence of one hit. \param counts  as count_pair() gives them for the two
  HitReport hit(const RowView& stored, const PairCounts& counts) const;

  /// True where the hit's own expected number of false matches is at most max_expected.
  static bool within(const HitReport& hit, double max_expected);

  /// Expected number of unrelated profiles at each count, 0 .. called sites, in one population: the curve for
  /// the histogram. Empty for kReverseMixture, where each stored mixture has a curve of its own.
  std::vector<double> expected_histogram(std::size_t population) const;

  /// Mean and sd of mismatches with the query, for marks in its histogram (not for mixtures).
  Expected expected_mismatches(std::size_t population, Relation relation) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::stats
