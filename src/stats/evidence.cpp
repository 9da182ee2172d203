#include "stats/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "stats/internal/block_limit.hpp"
#include "stats/internal/tail_bound.hpp"
#include "stats/kinship.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// Whether the query has a site called that the stored profile lacks.
bool has_missing(const RowView& query, const RowView& stored) {
  Word missing = 0;
  for (std::size_t word = 0; word < query.called.size(); ++word)
    missing |= query.called[word] & ~stored.called[word];
  return missing != 0;
}

std::vector<Word> missing_sites(const RowView& query, const RowView& stored) {
  std::vector<Word> sites(query.called.size());
  for (std::size_t word = 0; word < sites.size(); ++word)
    sites[word] = query.called[word] & ~stored.called[word];
  return sites;
}

/// log10(E / N): the highest chance probability at which N profiles give at most E expected matches.
double log10_chance_for(double max_expected, double log10_profiles) {
  if (!(max_expected > 0))
    throw UsageError(fmt::format("--max-chance-matches is {}; give a number above 0", max_expected));
  return std::log10(max_expected) - log10_profiles;
}

double log10_of(std::uint64_t n) {
  return std::log10(static_cast<double>(n));
}

/// Whether two people may be relatives of the first or second degree by KING's kinship, which takes no
/// frequencies, so that populations counted as one do not mislead it. True where the kinship is at most three
/// of its standard errors below the bound of the third degree (people of mixed populations have too low a
/// kinship), or has no value.
bool may_be_relatives(const RowView& one, const RowView& other) {
  constexpr double kErrors = 3;
  const engine::GenotypeCounts counts = engine::count_genotypes(one, other);
  const std::optional<double> kinship = king_kinship(counts);
  if (!kinship) return true;
  const double steps = counts.first_het + counts.second_het - 2.0 * counts.both_het, far = counts.ibs0;
  const double mean = (steps + 4 * far) / counts.compared;  // of squared differences in minor copies
  const double variance = (steps + 16 * far) / counts.compared - mean * mean;
  const double error =
      std::sqrt(counts.compared * variance) / (4.0 * std::min(counts.first_het, counts.second_het));
  return *kinship + kErrors * error >= least_kinship(Degree::kThird);
}

/// The ratios with -infinity for relatives.
RelationRatios without_relatives(const RelationRatios& ratios) {
  RelationRatios left = ratios;
  for (const Relation relation : {Relation::kParentChild, Relation::kSibling, Relation::kHalfSibling})
    left.log10[static_cast<std::size_t>(relation)] = -std::numeric_limits<double>::infinity();
  return left;
}

}  // namespace

bool explained_by_chance(double log10_chance_matches) {
  return log10_chance_matches >= std::log10(kExplainedByChance);
}

Suggestion unless_by_chance(Suggestion suggests, double log10_chance_matches) {
  return suggests != Suggestion::kUnrelated && explained_by_chance(log10_chance_matches)
             ? Suggestion::kInconclusive
             : suggests;
}

Relation likeliest_relative(const RelationRatios& relations) {
  Relation likeliest = Relation::kParentChild;
  for (const Relation relation : {Relation::kSibling, Relation::kHalfSibling})
    if (relations[relation] > relations[likeliest]) likeliest = relation;
  return likeliest;
}

Standing standing_of(const RelationRatios& relations, std::uint64_t n_profiles) {
  constexpr double kBeyondChance = 2, kBeyondRelatives = 3;  // factors of 100 and 1,000
  const double least = log10_of(n_profiles) + kBeyondChance, same = relations[Relation::kSame],
               relative = relations[likeliest_relative(relations)];
  if (same >= least && same >= relative + kBeyondRelatives) return Standing::kApart;
  return std::max(same, relative) >= least ? Standing::kRelative : Standing::kStranger;
}

void judge_contributor(HitReport& report, std::uint64_t n_profiles) {
  const RelationRatios& relations = report.worst.relations;
  report.suggests = suggest(relations, kContributorMargin);
  report.standing = standing_of(relations, n_profiles);
  report.relative = report.standing == Standing::kRelative;
  report.likeliest_relative = likeliest_relative(relations);
}

/// The evidence for one query in one population.
class PopulationEvaluator {
 public:
  /// \param supports  of a mixture
  PopulationEvaluator(const Question& question, std::size_t population, const Stain& stain,
                      std::vector<StainSupport> supports)
      : question_(&question),
        stain_(question.comparison == engine::Comparison::kMixture ? &question.stains[population] : nullptr),
        people_(stain_ == nullptr ? &question.identities[population] : nullptr),
        query_(stain.shown),
        measured_(stain.measured),
        evidence_(described(std::move(supports))) {
    chance_.emplace(events(query_.called));
    log10_none_ = blocks() != nullptr
                      ? bounds(query_.called, this->population().weights(query_.called), 0).log10_none
                      : chance_->log10_none();
    if (stain_ == nullptr) {
      evidence_.log10_match_probability =
          blocks() != nullptr ? log10_match_probability(*people_, query_) : log10_none_;
      identity_.emplace(*people_, query_, question.alternative);
      return;
    }
    evidence_.log10_p_rmne_0 = log10_none_;
    evidence_.saturated = log10_of(question.n_profiles) + log10_none_ > 0;
  }

  const QueryEvidence& query() const { return evidence_; }
  const PoissonBinomial& chance() const { return *chance_; }

  /// The largest count whose chance probability is at most this; no value where every count's is higher.
  std::optional<std::uint32_t> largest_within(double log10_chance) const {
    if (blocks() == nullptr) return chance_->largest_within(log10_chance);
    return BlockLimit(*blocks(), query_.called, event_sites(query_.called), events(query_.called))
        .largest_within(log10_chance);
  }

  /// Mixtures: what the stain says of each person; else empty.
  std::vector<StainEvidence> contributions(std::span<const RowView> people) const {
    if (stain_ == nullptr) return {};
    return stain_->weigh({query_, measured_}, evidence_.supports, people);
  }

  /// Identity: the likelihood ratio of each, as hit() gives it.
  std::vector<double> log10_lr(std::span<const RowView> stored) const { return identity_->log10_lr(stored); }

  /// Identity: the relations with each; else empty.
  std::vector<RelationRatios> relations(std::span<const RowView> stored) const {
    return identity_ ? identity_->with(stored) : std::vector<RelationRatios>();
  }

  /// \param relatives  identity: whether the two may be relatives \param relations  identity: of relations()
  /// \param contribution  mixtures: one of contributions()
  HitEvidence hit(const RowView& stored, const engine::PairCounts& counts, bool relatives,
                  const RelationRatios* relations, const StainEvidence* contribution) const {
    const Tails tails = tails_of(stored, counts);
    HitEvidence hit{.log10_chance = tails.log10_chance,
                    .log10_chance_matches = log10_of(question_->n_profiles) + tails.log10_chance};
    if (identity_) {
      hit.relations = *relations;
      hit.log10_lr = hit.relations.between(Relation::kSame, question_->alternative);
      hit.log10_lr_sibling = hit.relations.between(Relation::kSame, Relation::kSibling);
      if (!relatives) hit.relations = without_relatives(hit.relations);
      const double profiles = log10_of(question_->n_profiles);
      hit.log10_chance_matches =
          std::min(profiles, std::max(hit.log10_chance_matches, profiles - mean_ratio(hit.relations)));
      hit.weak = explained_by_chance(profiles + tails.log10_none);
      return hit;
    }
    hit.relations = contribution->relations;
    hit.support = contribution->support;
    hit.log10_lr = hit.relations.between(Relation::kSame, question_->alternative);
    hit.log10_chance_matches =
        std::min(hit.log10_chance_matches, log10_of(question_->n_profiles) - hit.relations[Relation::kSame]);
    hit.saturated = log10_of(question_->n_profiles) + tails.log10_none > 0;
    return hit;
  }

 private:
  /// log10 probabilities that the count is at most a given one, and that it is 0.
  struct Tails {
    double log10_chance = 0, log10_none = 0;
  };

  const PopulationModel& population() const {
    return stain_ == nullptr ? people_->population() : stain_->population();
  }
  const LinkageBlocks* blocks() const { return population().blocks().get(); }
  Encoding by() const { return question_->by; }

  /// The events that a random person has a mismatch (mixtures: an allele not seen) at these sites.
  std::vector<Event> events(std::span<const Word> compared) const {
    return stain_ == nullptr ? mismatch_events(*people_, query_, compared)
                             : not_seen_events(stain_->population(), query_, compared,
                                               evidence_.supports.back().contributors, stain_->by());
  }

  /// The sites of events(): a mixture that shows both alleles of a site has no event there.
  std::vector<std::size_t> event_sites(std::span<const Word> compared) const {
    std::vector<std::size_t> sites;
    for_each_called({query_.bits, compared, {}}, [&](std::size_t site, bool) {
      if (stain_ == nullptr || kind_at(query_, site, by()) != kBothAlleles) sites.push_back(site);
    });
    return sites;
  }

  /// log10 of bounds on the probabilities that a weighted count is at most `most`, and that it is 0.
  Tails bounds(std::span<const Word> compared, const SiteWeights& weights, double most) const {
    const std::vector<Event> of_sites = events(compared);
    std::vector<double> of_events;
    for (const std::size_t site : event_sites(compared)) of_events.push_back(weights[site]);
    return {log10_tail_bound(of_sites, of_events, most), log10_tail_bound(of_sites, of_events, 0)};
  }

  /// The count of a hit, where each site counts by its weight.
  double weighted_count(const RowView& stored, std::span<const Word> compared,
                        const SiteWeights& weights) const {
    const engine::Terms terms = engine::terms_of(question_->comparison, by());
    double sum = 0;
    for (const engine::Term& term : terms.counted())
      for (std::size_t word = 0; word < compared.size(); ++word)
        for_each_set(
            word,
            engine::counted_sites(term, query_.bits[word], query_.major_word(word), query_.called[word],
                                  stored.bits[word], stored.major_word(word), stored.called[word]),
            [&](std::size_t site) { sum += term.weight * weights[site]; });
    return sum;
  }

  QueryEvidence described(std::vector<StainSupport> supports) const {
    QueryEvidence evidence;
    if (stain_ == nullptr) return evidence;
    evidence.supports = std::move(supports);
    if (measured_ == nullptr)
      evidence.expected_saturation = stain_->expected_saturation(query_, evidence.supports);
    return evidence;
  }

  Tails tails_of(const RowView& stored, const engine::PairCounts& counts) const {
    if (blocks() != nullptr) {
      const std::vector<Word> compared = compared_sites(query_, stored);
      const SiteWeights weights = population().weights(compared);
      return bounds(compared, weights, weighted_count(stored, compared, weights));
    }
    const std::vector<Event> missing =
        has_missing(query_, stored) ? events(missing_sites(query_, stored)) : std::vector<Event>();
    const auto compared = [&] { return events(compared_sites(query_, stored)); };
    const double none =
        std::isfinite(log10_none_) ? log10_none_ - log10_none(missing) : log10_none(compared());
    if (counts.count == 0) return {none, none};
    const std::optional<double> chance = chance_->log10_cdf_without(counts.count, missing);
    return {chance ? *chance : log10_tail(compared(), counts.count), none};
  }

  const Question* question_;
  const StainModel* stain_;      ///< null for kIdentity
  const IdentityModel* people_;  ///< null for kMixture
  RowView query_;
  const MeasuredStain* measured_;  ///< of a mixture; null: not measured
  QueryEvidence evidence_;
  std::optional<PoissonBinomial> chance_;  ///< over the query's called sites; always set
  double log10_none_ = 0;                  ///< probability that none of its events happens
  std::optional<IdentityRatios> identity_;
};

StainExplanations explanations_of(const Question& question, const Stain& stain) {
  StainExplanations all;
  const auto related = [](const std::vector<StainSupport>& supports) { return names_relatives(supports); };
  for (const StainModel& model : question.stains) all.push_back(model.supports(stain));
  const auto likeliest = std::ranges::max_element(
      all, {}, [](const std::vector<StainSupport>& supports) { return supports.front().log_stain; });
  if (related(*likeliest) || std::ranges::none_of(all, related)) return all;
  for (std::size_t p = 0; p < all.size(); ++p)
    if (related(all[p])) all[p] = question.stains[p].supports(stain, false);
  return all;
}

struct QueryEvaluator::Impl {
  const Question& question;
  RowView query;
  std::vector<PopulationEvaluator> populations;
  std::vector<QueryEvidence> evidence;

  /// \param relations  identity: this hit's relations() in each population \param contributions  mixtures:
  /// this hit's contributions() in each population
  HitReport report(const RowView& stored, const engine::PairCounts& counts,
                   std::span<const RelationRatios> relations,
                   std::span<const StainEvidence> contributions) const;

  /// [hit][population].
  template <class Figures, class OfPopulation>
  std::vector<Figures> of_all(std::size_t hits, const OfPopulation& of_population) const {
    std::vector<Figures> all(hits * populations.size());
    for (std::size_t p = 0; p < populations.size(); ++p) {
      const std::vector<Figures> figures = of_population(populations[p]);
      for (std::size_t i = 0; i < figures.size(); ++i) all[i * populations.size() + p] = figures[i];
    }
    return all;
  }
  std::vector<RelationRatios> relations(std::span<const RowView> stored) const {
    return of_all<RelationRatios>(
        stored.size(), [&](const PopulationEvaluator& population) { return population.relations(stored); });
  }
};

QueryEvaluator::QueryEvaluator(const Question& question, RowView query, const MeasuredStain* measured,
                               const StainExplanations* explained)
    : impl_(new Impl{question, query, {}, {}}) {
  const Stain stain(query, measured);
  StainExplanations supports(question.populations.size());
  if (question.comparison == engine::Comparison::kMixture)
    supports = explained != nullptr ? *explained : explanations_of(question, stain);
  for (std::size_t p = 0; p < question.populations.size(); ++p)
    impl_->populations.emplace_back(question, p, stain, std::move(supports[p]));
  for (const PopulationEvaluator& population : impl_->populations)
    impl_->evidence.push_back(population.query());
}

QueryEvaluator::~QueryEvaluator() = default;
QueryEvaluator::QueryEvaluator(QueryEvaluator&&) noexcept = default;

const std::vector<QueryEvidence>& QueryEvaluator::query() const {
  return impl_->evidence;
}

std::size_t QueryEvaluator::worst_population() const {
  const auto chance = impl_->question.comparison == engine::Comparison::kMixture
                          ? &QueryEvidence::log10_p_rmne_0
                          : &QueryEvidence::log10_match_probability;
  const auto worst = std::ranges::max_element(impl_->evidence, {}, chance);
  return static_cast<std::size_t>(worst - impl_->evidence.begin());
}

bool QueryEvaluator::saturated() const {
  return std::ranges::any_of(impl_->evidence, &QueryEvidence::saturated);
}

double QueryEvaluator::saturation() const {
  return stats::saturation(impl_->query, impl_->question.by);
}

std::optional<std::uint32_t> QueryEvaluator::limit(double max_expected) const {
  const double log10_chance = log10_chance_for(max_expected, log10_of(impl_->question.n_profiles));
  const Question& question = impl_->question;
  std::uint32_t limit = most_differences(question.comparison, question.by, count_set(impl_->query.called));
  for (const PopulationEvaluator& population : impl_->populations) {
    const std::optional<std::uint32_t> largest = population.largest_within(log10_chance);
    if (!largest) return std::nullopt;
    // A mixture's events are its sites that lack an allele, so their number is the highest possible count of
    // alleles not seen.
    if (*largest < population.chance().n()) limit = std::min(limit, *largest);
  }
  return limit;
}

std::vector<double> QueryEvaluator::log10_lr(std::span<const RowView> stored) const {
  std::vector<double> lowest(stored.size(), std::numeric_limits<double>::infinity());
  const bool mixture = impl_->question.comparison == engine::Comparison::kMixture;
  for (const PopulationEvaluator& population : impl_->populations) {
    std::vector<double> ratios;
    if (!mixture) ratios = population.log10_lr(stored);
    for (const StainEvidence& of : population.contributions(stored))
      ratios.push_back(of.relations.between(Relation::kSame, impl_->question.alternative));
    for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::min(lowest[i], ratios[i]);
  }
  return lowest;
}

HitReport QueryEvaluator::hit(const RowView& stored, const engine::PairCounts& counts) const {
  return hits({&stored, 1}, {&counts, 1}).front();
}

std::vector<RelationRatios> QueryEvaluator::ratios_by_blocks(std::span<const RowView> stored) const {
  const Question& question = impl_->question;
  const bool by_blocks = question.comparison == engine::Comparison::kIdentity &&
                         !question.populations.empty() && question.populations.front().blocks() != nullptr;
  return by_blocks ? impl_->relations(stored) : std::vector<RelationRatios>();
}

std::vector<double> QueryEvaluator::log10_lr(std::span<const RelationRatios> by_blocks) const {
  const std::size_t populations = impl_->populations.size();
  std::vector<double> lowest;
  for (std::size_t at = 0; at < by_blocks.size(); at += populations) {
    lowest.push_back(std::numeric_limits<double>::infinity());
    for (const RelationRatios& ratios : by_blocks.subspan(at, populations))
      lowest.back() = std::min(lowest.back(), ratios.between(Relation::kSame, impl_->question.alternative));
  }
  return lowest;
}

std::vector<HitReport> QueryEvaluator::hits(std::span<const RowView> stored,
                                            std::span<const engine::PairCounts> counts,
                                            std::span<const RelationRatios> by_blocks) const {
  const std::size_t populations = impl_->populations.size();
  const bool mixture = impl_->question.comparison == engine::Comparison::kMixture;
  // At most one of the two gets entries, by what is asked.
  std::vector<RelationRatios> relations;
  std::vector<StainEvidence> contributions;
  if (mixture)
    contributions = impl_->of_all<StainEvidence>(stored.size(), [&](const PopulationEvaluator& population) {
      return population.contributions(stored);
    });
  else if (by_blocks.empty())
    by_blocks = relations = impl_->relations(stored);
  const auto of_hit = [&](const auto& all, std::size_t i) {
    return std::span(all).subspan(all.empty() ? 0 : i * populations, all.empty() ? 0 : populations);
  };
  std::vector<HitReport> reports;
  for (std::size_t i = 0; i < stored.size(); ++i)
    reports.push_back(impl_->report(stored[i], counts[i], of_hit(by_blocks, i), of_hit(contributions, i)));
  return reports;
}

HitReport QueryEvaluator::Impl::report(const RowView& stored, const engine::PairCounts& counts,
                                       std::span<const RelationRatios> relations,
                                       std::span<const StainEvidence> contributions) const {
  HitReport report;
  const bool relatives = question.comparison != engine::Comparison::kIdentity ||
                         question.by != Encoding::kAlleles || may_be_relatives(query, stored);
  for (std::size_t p = 0; p < populations.size(); ++p)
    report.each.push_back(populations[p].hit(stored, counts, relatives,
                                             relations.empty() ? nullptr : &relations[p],
                                             contributions.empty() ? nullptr : &contributions[p]));
  report.relatives = relatives;
  const auto lowest = std::ranges::min_element(report.each, {}, &HitEvidence::log10_lr);
  const auto likeliest = std::ranges::max_element(report.each, {}, [](const HitEvidence& hit) {
    return std::pair(hit.log10_chance_matches, hit.log10_chance);
  });
  report.lr_population = static_cast<std::size_t>(lowest - report.each.begin());
  report.chance_population = static_cast<std::size_t>(likeliest - report.each.begin());
  report.worst = *lowest;
  report.worst.log10_chance = likeliest->log10_chance;
  report.worst.log10_chance_matches = likeliest->log10_chance_matches;
  report.worst.saturated = std::ranges::any_of(report.each, &HitEvidence::saturated);
  report.worst.weak = std::ranges::any_of(report.each, &HitEvidence::weak);
  if (question.comparison == engine::Comparison::kMixture) {
    judge_contributor(report, question.n_profiles);
    return report;
  }
  const auto sibling = std::ranges::min_element(report.each, {}, &HitEvidence::log10_lr_sibling);
  report.worst.log10_lr_sibling = sibling->log10_lr_sibling;
  const auto same = [](const HitEvidence& hit) { return hit.relations[Relation::kSame]; };
  report.suggests = unless_by_chance(suggest(std::ranges::min_element(report.each, {}, same)->relations),
                                     report.worst.log10_chance_matches);
  if (report.worst.weak) report.suggests = Suggestion::kInconclusive;
  report.relative =
      report.suggests == Suggestion::kFirstDegree || report.suggests == Suggestion::kSecondDegree;
  return report;
}

std::vector<double> QueryEvaluator::expected_histogram(std::size_t population) const {
  std::vector<double> expected = impl_->populations.at(population).chance().pmf();
  for (double& count : expected) count *= static_cast<double>(impl_->question.n_profiles);
  // For a mixture pmf() is shorter, since it lacks no allele at many sites.
  expected.resize(std::size_t{most_differences(impl_->question.comparison, impl_->question.by,
                                               count_set(impl_->query.called))} +
                  1);
  return expected;
}

double QueryEvaluator::log10_expected_at_most(std::size_t population, std::uint32_t count) const {
  const PoissonBinomial& chance = impl_->populations.at(population).chance();
  return log10_of(impl_->question.n_profiles) + chance.log10_cdf(std::min<std::uint32_t>(count, chance.n()));
}

Expected QueryEvaluator::expected_mismatches(std::size_t population, Relation relation) const {
  return stats::expected_mismatches(impl_->question.identities[population], relation, impl_->query);
}

Question make_question(engine::Comparison comparison, Encoding by, std::uint64_t n_profiles,
                       Relation alternative, std::span<const PopulationModel> populations,
                       std::span<const RowView> known, const StainParameters& parameters,
                       std::size_t threads) {
  Question question{.comparison = comparison,
                    .by = by,
                    .n_profiles = n_profiles,
                    .alternative = alternative,
                    .populations = populations,
                    .identities = {},
                    .stains = {}};
  for (const PopulationModel& population : populations)
    if (comparison == engine::Comparison::kIdentity)
      question.identities.emplace_back(population, by, threads);
    else
      question.stains.emplace_back(population, known, by, parameters);
  return question;
}

bool within(const HitReport& hit, double max_expected) {
  return hit.worst.log10_chance_matches <= std::log10(max_expected);
}

}  // namespace fastid::stats
