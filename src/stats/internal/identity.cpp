#include "stats/internal/identity.hpp"

#include <algorithm>
#include <cmath>

#include "stats/internal/ratio_sums.hpp"
#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

class ExpectedSum {
 public:
  void add(const Event& event) {
    mean_ += event.mean();
    variance_ += event.variance();
  }
  Expected value() const { return {mean_, std::sqrt(variance_)}; }

 private:
  double mean_ = 0, variance_ = 0;
};

/// visit(site, kind) for each site that the row has called.
template <class Visit>
void for_each_shown(const RowView& row, Encoding by, const Visit& visit) {
  for_each_called(row, [&](std::size_t site, bool) { visit(site, kind_at(row, site, by)); });
}

}  // namespace

double log10_match_probability(const IdentityModel& model, const RowView& query) {
  LogProduct product;
  const SiteWeights weights = model.population().weights(query.called);
  for_each_shown(query, model.by(), [&](std::size_t site, std::size_t x) {
    product.multiply(model.differs(site, x).no, weights[site]);
  });
  return product.log10();
}

MatchProbability::MatchProbability(const PopulationModel& model) : model_(&model) {
  log10_.reserve(model.n_sites());
  for (const double q : model.minor_freq()) {
    const JointGenotypes strangers = genotypes_after(q, model.parameters().theta);
    std::array<double, kGenotypes>& of_site = log10_.emplace_back();
    for (std::size_t x = 0; x < kGenotypes; ++x) of_site[x] = std::log10(differs_given(strangers, x).no);
  }
}

double MatchProbability::log10(const RowView& query) const {
  double sum = 0;
  const SiteWeights weights = model_->weights(query.called);
  for_each_shown(query, Encoding::kAlleles,
                 [&](std::size_t site, std::size_t x) { sum += weights[site] * log10_[site][x]; });
  return sum;
}

IdentityRatios::IdentityRatios(const IdentityModel& model, const RowView& query, Relation alternative)
    : model_(&model), query_(query), alternative_(alternative) {}

double IdentityRatios::log10_lr(const RowView& stored) const {
  return with(stored).between(Relation::kSame, alternative_);
}

RelationRatios IdentityRatios::with(const RowView& stored) const {
  return with({&stored, 1}).front();
}

std::vector<RelationRatios> IdentityRatios::with(std::span<const RowView> stored) const {
  if (model_->population().blocks() == nullptr)
    return sums_of_ratios(
        query_, model_->by(),
        [this](std::size_t site, std::size_t x, std::size_t y) -> const RelationRatios& {
          return model_->ratios(site, x, y);
        },
        stored);
  std::vector<RelationRatios> all;
  for (const RowView& of : stored) all.push_back(weighed(of));
  return all;
}

RelationRatios IdentityRatios::weighed(const RowView& stored) const {
  RelationRatios sum;
  const SiteWeights weights = model_->population().weights(compared_sites(query_, stored));
  for_each_compared(query_, stored, [&](std::size_t site, bool, bool) {
    sum.add(model_->ratios(site, kind_at(query_, site, model_->by()), kind_at(stored, site, model_->by())),
            weights[site]);
  });
  return sum;
}

std::string_view name_of(Suggestion suggestion) {
  static constexpr std::array<std::string_view, 5> kNames{"same", "first-degree", "second-degree",
                                                          "unrelated", "inconclusive"};
  return kNames[static_cast<std::size_t>(suggestion)];
}

double mean_ratio(const RelationRatios& ratios) {
  return log10_mean(std::array{ratios[Relation::kSame], ratios[Relation::kParentChild],
                               ratios[Relation::kSibling], ratios[Relation::kHalfSibling]});
}

Suggestion suggest(const RelationRatios& ratios, double margin) {
  struct Choice {
    Suggestion suggestion;
    double log10;
  };
  std::array<Choice, 4> choices{
      {{Suggestion::kSame, ratios[Relation::kSame]},
       {Suggestion::kFirstDegree, std::max(ratios[Relation::kParentChild], ratios[Relation::kSibling])},
       {Suggestion::kSecondDegree, ratios[Relation::kHalfSibling]},
       {Suggestion::kUnrelated, ratios[Relation::kUnrelated]}}};
  std::ranges::stable_sort(choices, std::ranges::greater{}, &Choice::log10);
  return choices[0].log10 - choices[1].log10 >= margin ? choices[0].suggestion : Suggestion::kInconclusive;
}

std::vector<Event> mismatch_events(const IdentityModel& model, const RowView& query,
                                   std::span<const Word> compared) {
  std::vector<Event> events;
  events.reserve(count_set(compared));
  for_each_compared(query, {query.bits, compared, {}}, [&](std::size_t site, bool, bool) {
    events.push_back(model.differs(site, kind_at(query, site, model.by())));
  });
  return events;
}

Expected expected_mismatches(const PopulationModel& model, Relation relation) {
  ExpectedSum sum;
  for (const double q : model.minor_freq()) {
    const JointGenotypes bits = joint_shown(q, model.parameters(), relation, Encoding::kMinor);
    sum.add({bits[0][1] + bits[1][0], bits[0][0] + bits[1][1]});
  }
  return sum.value();
}

Expected expected_mismatches(const IdentityModel& model, Relation relation, const RowView& query) {
  ExpectedSum sum;
  const PopulationModel& population = model.population();
  for_each_shown(query, model.by(), [&](std::size_t site, std::size_t x) {
    if (relation == Relation::kUnrelated) return sum.add(model.differs(site, x));  // the model has its table
    sum.add(differs_given(
        joint_shown(population.minor_freq()[site], population.parameters(), relation, model.by()), x));
  });
  return sum.value();
}

}  // namespace fastid::stats
