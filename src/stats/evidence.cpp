#include "stats/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/error.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

std::vector<Word> compared_sites(const RowView& query, const RowView& stored) {
  std::vector<Word> compared(query.called.size());
  for (std::size_t word = 0; word < compared.size(); ++word)
    compared[word] = query.called[word] & stored.called[word];
  return compared;
}

std::vector<Word> missing_sites(const RowView& query, const RowView& stored) {
  std::vector<Word> missing(query.called.size());
  for (std::size_t word = 0; word < missing.size(); ++word)
    missing[word] = query.called[word] & ~stored.called[word];
  return missing;
}

/// log10 of the probability that none of the events happens.
double log10_none_of(std::span<const Event> events) {
  double sum = 0;
  for (const auto& [yes, no] : events)
    sum += no < 0.5 ? std::log10(no) : std::log1p(-yes) / std::numbers::ln10;
  return sum;
}

/// log10 E as the greatest log10 probability that N profiles may have.
double log10_chance_for(double max_expected, double log10_profiles) {
  if (!(max_expected > 0))
    throw UsageError(fmt::format("--max-expected-false is {}; give a number above 0", max_expected));
  return std::log10(max_expected) - log10_profiles;
}

}  // namespace

/// One population's share of the work.
class PopulationEvaluator {
 public:
  PopulationEvaluator(Comparison comparison, const PopulationModel& model, const RowView& query,
                      double log10_profiles, std::optional<unsigned> contributors)
      : comparison_(comparison),
        model_(&model),
        query_(query),
        log10_profiles_(log10_profiles),
        contributors_(contributors),
        chance_(query_events()),
        log10_none_(log10_none_of(query_events())) {
    describe_query();
  }

  const QueryEvidence& query() const { return evidence_; }
  const PoissonBinomial& chance() const { return chance_; }

  HitEvidence hit(const RowView& stored, const PairCounts& counts) {
    if (comparison_ == Comparison::kReverseMixture)
      return evidence_of(stored, tails_of(events(stored, compared_sites(query_, stored)), counts.count));
    // As many sites as the query has are the query's own, and then its distribution serves.
    if (counts.compared == count_set(query_.called)) {
      const double chance = counts.count == 0 ? log10_none_ : chance_.log10_cdf(counts.count);
      return evidence_of(stored, {chance, log10_none_});
    }
    if (counts.count > 0) {
      const std::vector<Event> missing = events(query_, missing_sites(query_, stored));
      if (const auto thinned = chance_.log10_cdf_without(counts.count, missing))
        return evidence_of(stored, {*thinned, log10_none_ - log10_none_of(missing)});
    }
    return evidence_of(stored, tails_of(events(query_, compared_sites(query_, stored)), counts.count));
  }

 private:
  /// What may tell a random person from `known`, a query or a mixture.
  std::vector<Event> events(const RowView& known, std::span<const Word> compared) const {
    return comparison_ == Comparison::kIdentity ? mismatch_events(*model_, known, compared)
                                                : exclusion_events(*model_, known, compared);
  }

  /// With --reverse each stored mixture has events of its own, and the query none.
  std::vector<Event> query_events() const {
    if (comparison_ == Comparison::kReverseMixture) return {};
    return events(query_, query_.called);
  }

  void describe_query() {
    if (comparison_ != Comparison::kMixture) {
      evidence_.log10_match_probability = log10_match_probability(*model_, query_);
      return;
    }
    evidence_.log10_p_rmne_0 = log10_none_;
    evidence_.contributors = estimate_contributors(*model_, query_);
    evidence_.contributors_used = contributors_.value_or(evidence_.contributors.best);
    evidence_.expected_saturation = expected_saturation(*model_, query_, evidence_.contributors_used);
    evidence_.saturated = log10_profiles_ + evidence_.log10_p_rmne_0 > 0;
  }

  /// How probable so few events are, and that there is none at all.
  struct Tails {
    double log10_chance = 0, log10_none = 0;
  };
  static Tails tails_of(const std::vector<Event>& events, std::uint32_t count) {
    return {log10_tail(events, count), log10_none_of(events)};
  }

  HitEvidence evidence_of(const RowView& stored, const Tails& tails) {
    HitEvidence hit;
    hit.log10_chance = tails.log10_chance;
    hit.log10_expected_false = log10_profiles_ + hit.log10_chance;
    if (comparison_ == Comparison::kIdentity) {
      hit.log10_lr = log10_identity_ratio(*model_, query_, stored);
      return hit;
    }
    const bool reverse = comparison_ == Comparison::kReverseMixture;
    const RowView& mixture = reverse ? stored : query_;
    hit.contributors = reverse ? contributors_.value_or(estimate_contributors(*model_, mixture).best)
                               : evidence_.contributors_used;
    hit.log10_lr = mixture_model(hit.contributors).log10_ratio(mixture, reverse ? query_ : stored);
    hit.saturated = log10_profiles_ + tails.log10_none > 0;
    return hit;
  }

  const MixtureModel& mixture_model(unsigned contributors) {
    const auto found = mixtures_.find(contributors);
    if (found != mixtures_.end()) return found->second;
    return mixtures_.emplace(contributors, MixtureModel(*model_, contributors)).first->second;
  }

  Comparison comparison_;
  const PopulationModel* model_;
  RowView query_;
  double log10_profiles_;
  std::optional<unsigned> contributors_;
  PoissonBinomial chance_;  ///< over the query's called sites
  double log10_none_;       ///< that none of its events happens
  QueryEvidence evidence_;
  std::map<unsigned, MixtureModel> mixtures_;
};

struct QueryEvaluator::Impl {
  Comparison comparison;
  std::span<const PopulationModel> models;
  RowView query;
  double log10_profiles = 0;
  std::vector<PopulationEvaluator> populations;
  std::vector<QueryEvidence> evidence;
};

QueryEvaluator::QueryEvaluator(Comparison comparison, std::span<const PopulationModel> models, RowView query,
                               std::uint64_t n_profiles, std::optional<unsigned> contributors)
    : impl_(new Impl{comparison, models, query, std::log10(static_cast<double>(n_profiles)), {}, {}}) {
  if (contributors) check_contributors(*contributors);
  for (const PopulationModel& model : models) {
    impl_->populations.emplace_back(comparison, model, query, impl_->log10_profiles, contributors);
    impl_->evidence.push_back(impl_->populations.back().query());
  }
}

QueryEvaluator::~QueryEvaluator() = default;
QueryEvaluator::QueryEvaluator(QueryEvaluator&&) noexcept = default;

std::span<const PopulationModel> QueryEvaluator::models() const {
  return impl_->models;
}

const std::vector<QueryEvidence>& QueryEvaluator::query() const {
  return impl_->evidence;
}

std::size_t QueryEvaluator::worst_population() const {
  const auto chance = impl_->comparison == Comparison::kMixture ? &QueryEvidence::log10_p_rmne_0
                                                                : &QueryEvidence::log10_match_probability;
  const auto worst = std::ranges::max_element(impl_->evidence, {}, chance);
  return static_cast<std::size_t>(worst - impl_->evidence.begin());
}

bool QueryEvaluator::saturated() const {
  return std::ranges::any_of(impl_->evidence, &QueryEvidence::saturated);
}

double QueryEvaluator::saturation() const {
  return stats::saturation(impl_->query);
}

std::optional<std::uint32_t> QueryEvaluator::limit(double max_expected) const {
  const double log10_chance = log10_chance_for(max_expected, impl_->log10_profiles);
  std::uint32_t limit = count_set(impl_->query.called);
  if (impl_->comparison == Comparison::kReverseMixture) return limit;
  for (const PopulationEvaluator& population : impl_->populations) {
    const std::optional<std::uint32_t> largest = population.chance().largest_within(log10_chance);
    if (!largest) return std::nullopt;
    // A mixture's events are its sites with bit 0: as many as may be excluded at all.
    if (*largest < population.chance().n()) limit = std::min(limit, *largest);
  }
  return limit;
}

HitReport QueryEvaluator::hit(const RowView& stored, const PairCounts& counts) const {
  HitReport report;
  for (PopulationEvaluator& population : impl_->populations)
    report.each.push_back(population.hit(stored, counts));
  const auto lowest = std::ranges::min_element(report.each, {}, &HitEvidence::log10_lr);
  const auto likeliest = std::ranges::max_element(report.each, {}, &HitEvidence::log10_chance);
  report.lr_population = static_cast<std::size_t>(lowest - report.each.begin());
  report.chance_population = static_cast<std::size_t>(likeliest - report.each.begin());
  report.worst = {.log10_lr = lowest->log10_lr,
                  .log10_chance = likeliest->log10_chance,
                  .log10_expected_false = likeliest->log10_expected_false,
                  .contributors = lowest->contributors,
                  .saturated = std::ranges::any_of(report.each, &HitEvidence::saturated)};
  return report;
}

bool QueryEvaluator::within(const HitReport& hit, double max_expected) {
  return hit.worst.log10_expected_false <= std::log10(max_expected);
}

std::vector<double> QueryEvaluator::expected_histogram(std::size_t population) const {
  if (impl_->comparison == Comparison::kReverseMixture) return {};
  std::vector<double> expected = impl_->populations.at(population).chance().pmf();
  const double profiles = std::pow(10, impl_->log10_profiles);
  for (double& count : expected) count *= profiles;
  expected.resize(std::size_t{count_set(impl_->query.called)} +
                  1);  // of a mixture only some sites can exclude
  return expected;
}

Expected QueryEvaluator::expected_mismatches(std::size_t population, Relation relation) const {
  return stats::expected_mismatches(impl_->models[population], relation, impl_->query);
}

}  // namespace fastid::stats
