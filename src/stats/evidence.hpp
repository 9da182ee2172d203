/// \file
/// What a match is worth: one query and its hits, in one or several populations, by the bits or by the
/// alleles that were seen of both (Question::by). Where there are several populations, the value that is
/// worst for the claim that the two belong together counts: the lowest likelihood ratio, the highest
/// probability of a chance match.
///
/// Chance. p is the probability that an unrelated person, drawn from the population, has at most as many
/// mismatches (alleles not seen) with the query as this hit, over the sites compared in this hit.
/// chance_matches = N p, where N is the number of profiles in the whole database (not in a shard).
///
/// p takes people of one population with the model's frequencies. People who are more alike than that (of
/// another population, of several that were counted as one, at linked sites) are not rare by p, although
/// their genotypes speak against every relation. So for identity chance_matches is at least N / R, where R is
/// the mean of four ratios to unrelated people: of the same person, a parent or child, a full sibling and a
/// half sibling. Among strangers R is 1 in the mean, as each of the four is, so at most N / R of N strangers
/// have R or more. (Cousins' ratios are left out: people of one population look like cousins by the
/// frequencies of several. By alleles the ratio of a relative is 0 where KING's kinship, which takes no
/// frequencies, rules such a relative out.) It is never above N. For mixtures chance_matches is the lower of
/// N p and N / R, R being the ratio of a contributor to unrelated people, whose mean among strangers is 1: a
/// contributor who lost much has many alleles that are not seen, and so a high p. With
/// --reverse the stored mixture takes the place of the query, and each query that of a stored person; N p is
/// then the number of chance matches expected of N mixtures as inclusive as this one.
///
/// Linkage blocks (PopulationModel::weigh_by()). Ratios are then weighted ones, and p is a bound on the
/// probability that the weighted count of an unrelated person is at most the hit's
/// (stats/internal/tail_bound.hpp). expected_histogram() and log10_expected_at_most() are of plain counts, as
/// if all sites were unlinked.
///
/// Limits. limit() holds for a stored profile that has all of the query's sites. A few mismatches are more
/// probable over fewer sites, so a hit with no-calls may pass the limit although it has more chance matches
/// than asked for. No hit that passes by its own sites is ever cut off by the limit, which for mixtures goes
/// by N p alone. So search with limit(), then drop the hits for which within() is false. The chance matches
/// of a whole search are then expected to be at most the E asked for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/comparison.hpp"
#include "stats/internal/identity.hpp"
#include "stats/population_model.hpp"
#include "stats/stain.hpp"

namespace fastid::stats {

/// What all queries of a search have in common.
struct Question {
  engine::Comparison comparison = engine::Comparison::kIdentity;  ///< or kMixture, also with --reverse
  Encoding by = Encoding::kMinor;                                 ///< kAlleles: all rows have RowView::major
  std::uint64_t n_profiles = 1;                                   ///< of the whole database
  /// Hypothesis that log10_lr compares "same person" with; not kSame.
  Relation alternative = Relation::kUnrelated;
  std::span<const PopulationModel> populations;  ///< one or more, all with the queries' sites
  // Made by make_question(), one for each population.
  std::vector<IdentityModel> identities;  ///< kIdentity
  std::vector<StainModel> stains;         ///< kMixture
};

/// A question about these populations, with its models. \param known  mixtures: contributors in any case;
/// they and `populations` must outlive the question \param threads  that make the models; 0: one for each CPU
Question make_question(engine::Comparison comparison, Encoding by, std::uint64_t n_profiles,
                       Relation alternative, std::span<const PopulationModel> populations,
                       std::span<const RowView> known = {}, const StainParameters& parameters = {},
                       std::size_t threads = 1);

/// How a person stands out among the strangers of a database, as a contributor to a mixture.
enum class Standing { kStranger, kRelative, kApart };

/// The likeliest of the relations that can be told from the person's own contribution: parent-child, full
/// siblings and half siblings.
Relation likeliest_relative(const RelationRatios& relations);

/// kApart where the ratio of a contributor is at least 100 N, and at least 1,000 times that of each relative;
/// else kRelative where the contributor's or a relative's is at least 100 N. \param n_profiles  N
Standing standing_of(const RelationRatios& relations, std::uint64_t n_profiles);

/// One hit in one population.
struct HitEvidence {
  double log10_lr = 0;
  double log10_lr_sibling = 0;  ///< identity: the same person against a full sibling
  /// Identity: -infinity of relatives that KING's kinship rules out. Mixtures: of the person, or of a
  /// relative of the person, as a contributor.
  RelationRatios relations;
  double log10_chance = 0;  ///< log10 of p above; for mixtures p is P(RMNE | L), the column p_rmne
  /// log10 of N p; identity: of min(N, max(N p, N / R)), see above.
  double log10_chance_matches = 0;
  /// Identity: not even a hit without a mismatch would be beyond chance over the sites compared.
  bool weak = false;
  std::size_t support = 0;  ///< mixtures: the support (QueryEvidence) that adds most to the ratio
  bool saturated = false;   ///< N P(RMNE given 0) > 1 over the compared sites; false for kIdentity
};

/// One hit in all populations.
struct HitReport {
  HitEvidence worst;              ///< each number is the worst for the claim
  std::size_t lr_population = 0;  ///< index in `each` of the worst log10_lr
  /// Index in `each` of the worst log10_chance_matches.
  std::size_t chance_population = 0;
  std::vector<HitEvidence> each;  ///< one for each population model, in the same order
  /// Taken from the relations in the population where the ratio of "same person" (a contributor) to
  /// "unrelated" is lowest. Identity: it is inconclusive instead of same or a relative where chance explains
  /// the hit, since among many strangers some look like relatives, and in any case where the hit is weak.
  Suggestion suggests = Suggestion::kInconclusive;
  bool relatives = true;  ///< identity: whether KING's kinship allows relatives
  /// Identity: true where a relative is suggested. Mixtures: Standing::kRelative.
  bool relative = false;
  Standing standing = Standing::kStranger;           ///< mixtures, in lr_population
  Relation likeliest_relative = Relation::kSibling;  ///< mixtures: likeliest_relative() in lr_population
};

/// log10 of how much likelier than all else a hypothesis on a contributor must be to be suggested.
inline constexpr double kContributorMargin = 3;

/// Mixtures: puts what follows from `worst.relations`: suggests, standing, relative and likeliest_relative.
void judge_contributor(HitReport& report, std::uint64_t n_profiles);

/// The highest count of any pair of a query with so many called sites. A mixture shows an allele at each
/// called site, so that it lacks at most one of a person's there.
constexpr std::uint32_t most_differences(engine::Comparison comparison, Encoding by,
                                         std::uint32_t called_sites) {
  return comparison == engine::Comparison::kIdentity && by == Encoding::kAlleles ? 2 * called_sites
                                                                                 : called_sites;
}

/// Fewer chance matches than this do not explain a hit.
inline constexpr double kExplainedByChance = 0.01;
/// Whether so many chance matches explain a hit.
bool explained_by_chance(double log10_chance_matches);
/// `suggests`, or kInconclusive where it names the same person or a relative and chance explains the hit.
Suggestion unless_by_chance(Suggestion suggests, double log10_chance_matches);

/// A mixture's supports in each population.
using StainExplanations = std::vector<std::vector<StainSupport>>;

/// Two people of another population than the frequencies are of seem to be relatives. So contributors are
/// taken for relatives only where the population that makes the mixture most probable says that they may be.
/// \param question  of mixtures
StainExplanations explanations_of(const Question& question, const Stain& stain);

/// One query in one population, before any hit.
struct QueryEvidence {
  /// Probability of the query's bits or genotypes; 0 for kMixture, since a mixture is not a person.
  double log10_match_probability = 0;
  double log10_p_rmne_0 = 0;                  ///< kMixture: log10 P(RMNE given 0); else 0
  std::vector<StainSupport> supports;         ///< kMixture; fewer contributors first
  std::optional<double> expected_saturation;  ///< kMixture; no value of one that was measured
  bool saturated = false;                     ///< kMixture
};

/// Evidence for one query. The question must outlive the evaluator. An object may be used by one thread at a
/// time.
class QueryEvaluator {
 public:
  /// \param measured  of a mixture: what was measured of its alleles; null: only what it shows is known. It
  /// must outlive the evaluator \param explained  of a mixture: explanations_of(); null: they are fitted
  QueryEvaluator(const Question& question, RowView query, const MeasuredStain* measured = nullptr,
                 const StainExplanations* explained = nullptr);
  ~QueryEvaluator();
  QueryEvaluator(QueryEvaluator&&) noexcept;

  /// For each model, in order.
  const std::vector<QueryEvidence>& query() const;
  /// Index in query() of the population with the highest match probability (kMixture: P(RMNE given 0)).
  std::size_t worst_population() const;
  /// True where the query is saturated in any population.
  bool saturated() const;
  /// Share of the query's called sites with bit 1 (by alleles: with both alleles).
  double saturation() const;

  /// Largest count whose expected number of chance matches is at most max_expected in every population, over
  /// the query's called sites. No value where not even a count of 0 is rare enough. \param max_expected  > 0,
  /// else UsageError
  std::optional<std::uint32_t> limit(double max_expected) const;

  /// Only the lowest likelihood ratio of each of some hits, as hit() gives it. Together they take a fraction
  /// of the time.
  std::vector<double> log10_lr(std::span<const RowView> stored) const;
  double log10_lr(const RowView& stored) const { return log10_lr(std::span(&stored, 1)).front(); }

  /// The ratios of all relations of some hits in each population: [hit][population], for hits(). Empty for
  /// mixtures and without linkage blocks, where they take much longer than log10_lr().
  std::vector<RelationRatios> ratios_by_blocks(std::span<const RowView> stored) const;
  /// log10_lr() of hits whose ratios_by_blocks() are known.
  std::vector<double> log10_lr(std::span<const RelationRatios> by_blocks) const;

  /// Evidence of one hit. \param counts  count_pair() of the query and `stored`
  HitReport hit(const RowView& stored, const engine::PairCounts& counts) const;
  /// Evidence of several hits, which together take less time. \param by_blocks  ratios_by_blocks() of these
  /// hits, where they are known; else empty
  std::vector<HitReport> hits(std::span<const RowView> stored, std::span<const engine::PairCounts> counts,
                              std::span<const RelationRatios> by_blocks = {}) const;

  /// Expected number of unrelated profiles at each count, 0 .. most_differences(), in one population: the
  /// curve for the histogram.
  std::vector<double> expected_histogram(std::size_t population) const;

  /// log10 of the number of unrelated profiles expected at `count` or fewer, over the query's called sites,
  /// in one population, by mismatches alone.
  double log10_expected_at_most(std::size_t population, std::uint32_t count) const;

  /// Mean and standard deviation of the mismatches with the query, for the marks in its histogram (not for
  /// mixtures).
  Expected expected_mismatches(std::size_t population, Relation relation) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True where the hit's own expected number of chance matches is at most max_expected.
bool within(const HitReport& hit, double max_expected);

}  // namespace fastid::stats
