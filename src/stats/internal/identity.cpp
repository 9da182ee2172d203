#include "stats/internal/identity.hpp"

#include <algorithm>
#include <array>
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
    : model_(&model), query_(query), alternative_(alternative), places_(model.places_of(query)) {}

double IdentityRatios::log10_lr(const RowView& stored) const {
  return log10_lr({&stored, 1}).front();
}

std::vector<double> IdentityRatios::log10_lr(std::span<const RowView> stored) const {
  std::vector<double> log10;
  for (const RelationRatios& ratios : of_relations(std::array{Relation::kSame, alternative_}, stored))
    log10.push_back(ratios.between(Relation::kSame, alternative_));
  return log10;
}

RelationRatios IdentityRatios::with(const RowView& stored) const {
  return with({&stored, 1}).front();
}

std::vector<RelationRatios> IdentityRatios::with(std::span<const RowView> stored) const {
  static constexpr std::array kAll{Relation::kSame, Relation::kParentChild, Relation::kSibling,
                                   Relation::kHalfSibling, Relation::kCousin};
  return of_relations(kAll, stored);
}

std::vector<RelationRatios> IdentityRatios::of_relations(std::span<const Relation> relations,
                                                         std::span<const RowView> stored) const {
  std::vector<Relation> asked;
  std::vector<std::span<const SeenFigures>> tables;
  for (const Relation relation : relations) {
    if (relation == Relation::kUnrelated) continue;  // its ratios are 0
    asked.push_back(relation);
    tables.push_back(model_->table(relation));
  }
  std::vector<double> sums(tables.size() * stored.size());
  if (model_->population().blocks() == nullptr)
    add_figures(tables, places_, people_of(stored, model_->by()), sums);
  else
    add_weighed(tables, stored, sums);
  std::vector<RelationRatios> all(stored.size());
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].log10[static_cast<std::size_t>(asked[r])] = sums[r * all.size() + i];
  return all;
}

void IdentityRatios::add_weighed(std::span<const std::span<const SeenFigures>> tables,
                                 std::span<const RowView> stored, std::span<double> sums) const {
  constexpr std::size_t kGroup = 8;  // rows whose sums do not wait for each other
  const std::vector<TwoPlanes> people = people_of(stored, model_->by());
  for (std::size_t first = 0; first < stored.size(); first += kGroup) {
    const std::size_t end = std::min(first + kGroup, stored.size());
    std::vector<SiteWeights> weights;  // a number for each site: of few rows at a time
    for (const RowView& row : stored.subspan(first, end - first))
      weights.push_back(model_->population().weights(compared_sites(query_, row)));
    for_each_called(query_, [&](std::size_t site, bool) {
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t seen = people[i].seen_at(site);
        if (seen == 0) continue;
        const double weight = weights[i - first][site];
        for (std::size_t r = 0; r < tables.size(); ++r)
          sums[r * stored.size() + i] += weight * tables[r][places_[site]][seen];
      }
    });
  }
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
  std::vector<Event> events(count_set(compared_sites(query, {{}, compared, {}})));
  const TwoPlanes planes = planes_of(query, model.by());
  std::size_t at = 0;
  for (std::size_t word = 0; word < compared.size(); ++word) {
    const Word low = planes.low[word], high = planes.high[word];
    for_each_set(word, query.called[word] & compared[word], [&](std::size_t site) {
      const std::size_t shift = site % kWordBits;
      events[at++] = model.differs_from(site, (low >> shift & 1) | (high >> shift & 1) << 1);
    });
  }
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
