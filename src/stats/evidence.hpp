/// \file
/// What a search asks: one query and what it found, in one or several populations. Where there are several,
/// and several numbers of contributors, the worst for the claim that the two belong together is what counts:
/// the lowest likelihood ratio, the highest probability of a chance match.
///
/// Chance. p is the probability that an unrelated person, drawn from the population, has so few mismatches
/// (alleles not seen) or fewer with the query, over the sites compared in this hit; chance_matches = N p, N
/// the number of profiles in the database (all of it, not a shard). With --reverse the stored mixture takes
/// the query's part, and each query that of a stored person; N p is then what N mixtures as inclusive as this
/// one would bring by chance.
///
/// Limits. limit() holds for a stored profile that has all of the query's sites. Fewer sites make few
/// mismatches easier, so a hit with no-calls may pass the limit with more chance matches than asked for, and
/// no hit that does pass by its own sites is ever cut by the limit. So: search with limit(), then drop hits
/// for which within() is false. The chance matches of a whole search are then expected to be at most the E
/// asked for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/comparison.hpp"
#include "stats/internal/identity.hpp"
#include "stats/mixture.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// What all queries of a search have in common.
struct Question {
  Comparison comparison = Comparison::kIdentity;  ///< or kMixture, also with --reverse
  std::uint64_t n_profiles = 1;                   ///< of the whole database
  Relation alternative = Relation::kUnrelated;    ///< what log10_lr holds "same person" against; not kSame
  std::span<const PopulationModel> populations;   ///< one or more, all with the queries' sites
  /// One for each population, but for kIdentity, where there is none.
  std::vector<std::unique_ptr<const MixtureModel>> mixtures;
};

/// The likelihood ratio for one number of contributors.
struct ContributorRatio {
  unsigned contributors = 1;
  double log10_lr = 0;
  double drop_out = 0, drop_out_alternative = 0;  ///< of the two hypotheses: given, or each at its best
  double log10_likelihood = 0;  ///< log10 P(the mixture's bits | the person's), under the likelier hypothesis
};

/// One hit in one population.
struct HitEvidence {
  double log10_lr = 0;              ///< mixtures: the lowest of by_contributors
  double log10_lr_sibling = 0;      ///< identity: the same person against a full sibling
  RelationRatios relations;         ///< identity
  double log10_chance = 0;          ///< p above; of mixtures it is P(RMNE | L), the column p_rmne
  double log10_chance_matches = 0;  ///< of N p
  /// Mixtures: for each number of contributors reckoned with, lowest first.
  std::vector<ContributorRatio> by_contributors;
  bool saturated = false;  ///< N P(RMNE given 0) > 1 over the compared sites; false for kIdentity
};

/// One hit in all populations.
struct HitReport {
  HitEvidence worst;              ///< each number the worst for the claim; by_contributors of lr_population
  std::size_t lr_population = 0;  ///< where in `each` the worst log10_lr comes from
  std::size_t chance_population = 0;  ///< and the worst log10_chance
  std::vector<HitEvidence> each;      ///< one for each model, in their order
  /// Identity: by the relations in the population in which "same person" against "unrelated" is the lowest.
  /// Inconclusive in place of same or a relative where chance explains the hit: among many strangers some
  /// look like relatives.
  Suggestion suggests = Suggestion::kInconclusive;
  /// Chance does not explain the hit, and yet it is suggested that it is not the same person; of mixtures:
  /// yet the person is less probable as a contributor than somebody else is, or than a parent, child or full
  /// sibling is, each with the number of contributors that suits it best, in the population with the greatest
  /// log10_likelihood. (Under frequencies of another population a true contributor may well look like a
  /// relative of one, and the other way round.)
  bool relative = false;
};

/// Fewer chance matches than this do not explain a hit.
inline constexpr double kExplainedByChance = 0.01;

/// One query in one population, before any hit.
struct QueryEvidence {
  double log10_match_probability = 0;  ///< of the query's bits; kMixture: 0, a mixture is no person
  double log10_p_rmne_0 = 0;           ///< kMixture: log10 P(RMNE given 0); else 0
  ContributorEstimate contributors;    ///< kMixture: of the data
  unsigned low = 0, high = 0;          ///< kMixture: the number given, else the interval; else 0
  double expected_saturation = 0;      ///< kMixture: with the number given, else the best estimate
  bool saturated = false;              ///< kMixture
};

/// Evidence for one query. The question must outlive it. One thread at a time for each object.
class QueryEvaluator {
 public:
  QueryEvaluator(const Question& question, RowView query);
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

  /// Largest count whose expected number of chance matches is at most max_expected in every population, over
  /// the query's called sites. Nothing: not even a count of 0 is rare enough. \param max_expected  > 0, else
  /// UsageError
  std::optional<std::uint32_t> limit(double max_expected) const;

  /// The lowest likelihood ratio of one hit, as hit() has it, and nothing else.
  double log10_lr(const RowView& stored) const;

  /// Evidence of one hit. \param counts  as count_pair() gives them for the two
  HitReport hit(const RowView& stored, const PairCounts& counts) const;

  /// Expected number of unrelated profiles at each count, 0 .. called sites, in one population: the curve for
  /// the histogram.
  std::vector<double> expected_histogram(std::size_t population) const;

  /// log10 of the unrelated profiles expected at `count` or fewer, over the query's called sites, in one
  /// population; between two whole counts the logarithm goes straight, and below 0 it stays.
  double log10_expected_at_most(std::size_t population, double count) const;

  /// Mean and sd of mismatches with the query, for marks in its histogram (not for mixtures).
  Expected expected_mismatches(std::size_t population, Relation relation) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True where the hit's own expected number of chance matches is at most max_expected.
bool within(const HitReport& hit, double max_expected);

}  // namespace fastid::stats
