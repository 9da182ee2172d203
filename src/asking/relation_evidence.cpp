#include "asking/relation_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "stats/evidence.hpp"

namespace fastid::asking {
namespace {

using stats::Relation;

constexpr std::size_t kRelated = stats::kRelations - 1;

match::RelationFigures lowest_of(std::span<const stats::RelationRatios> ratios) {
  const auto lowest = [&](Relation relation) {
    double least = ratios[0][relation];
    for (const stats::RelationRatios& in_population : ratios)
      least = std::min(least, in_population[relation]);
    return least;
  };
  return {lowest(Relation::kSame), lowest(Relation::kParentChild), lowest(Relation::kSibling),
          lowest(Relation::kHalfSibling), lowest(Relation::kCousin)};
}

/// The ratio of the likeliest relation other than "unrelated".
double best_of(const stats::RelationRatios& ratios) {
  return *std::max_element(ratios.log10.begin(), ratios.log10.begin() + kRelated);
}

}  // namespace

double log10_relations() {
  return std::log10(static_cast<double>(kRelated));
}

double not_by_chance(double log10_hypotheses, std::uint64_t n) {
  return log10_hypotheses + std::log10(static_cast<double>(n)) - std::log10(stats::kExplainedByChance);
}

RelationEvidence::RelationEvidence(std::span<const stats::PopulationModel> models, double margin,
                                   std::uint64_t n_pairs)
    : margin_(margin), speaks_above_(not_by_chance(log10_relations(), n_pairs)) {
  for (const stats::PopulationModel& model : models) kinship_.emplace_back(model);
}

RelationFindings RelationEvidence::weigh(const RowView& first, const RowView& second) const {
  return weigh(first, {&second, 1}).front();
}

std::vector<RelationFindings> RelationEvidence::weigh(const RowView& first,
                                                      std::span<const RowView> others) const {
  std::vector<std::vector<stats::RelationRatios>> by_population;
  for (const stats::KinshipModel& model : kinship_) by_population.push_back(model.ratios(first, others));
  return of_all(by_population);
}

std::vector<RelationFindings> RelationEvidence::weigh(std::span<const stats::LikelihoodRatios> first,
                                                      std::span<const RowView> others) const {
  std::vector<std::vector<stats::RelationRatios>> by_population;
  for (const stats::LikelihoodRatios& of_population : first) {
    auto& ratios = by_population.emplace_back();
    for (const stats::LikelihoodEvidence& of : of_population.with(others)) ratios.push_back(of.relations);
  }
  return of_all(by_population);
}

std::vector<RelationFindings> RelationEvidence::weigh(
    std::span<const stats::SamplePairs> pairs, const SampleLikelihoods& first,
    std::span<const SampleLikelihoods* const> others) const {
  std::vector<std::vector<stats::RelationRatios>> by_population;
  for (const stats::SamplePairs& in_population : pairs) {
    auto& ratios = by_population.emplace_back();
    for (const SampleLikelihoods* other : others) ratios.push_back(in_population.ratios(first, *other));
  }
  return of_all(by_population);
}

std::vector<RelationFindings> RelationEvidence::of_all(
    std::span<const std::vector<stats::RelationRatios>> by_population) const {
  const std::size_t n = by_population.front().size();
  std::vector<RelationFindings> found;
  found.reserve(n);
  std::vector<stats::RelationRatios> ratios(by_population.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < ratios.size(); ++p) ratios[p] = by_population[p][i];
    found.push_back(of(ratios));
  }
  return found;
}

/// The relation is called in one population: that whose best ratio is lowest. It is not named where chance
/// explains it: among many strangers some look like relatives.
RelationFindings RelationEvidence::of(std::span<const stats::RelationRatios> ratios) const {
  const auto worst = std::ranges::min_element(ratios, {}, best_of);
  const stats::RelationCall call = stats::likeliest_relation(*worst, margin_);
  const double best = best_of(*worst);
  const bool explained = call.likeliest != Relation::kUnrelated && best <= speaks_above_;
  return {.log10_lr = lowest_of(ratios),
          .log10_best = best,
          .population = static_cast<std::size_t>(worst - ratios.begin()),
          .margin = call.margin,
          .relation = call.decided && !explained ? std::string(name_of(call.likeliest)) : kUndecided};
}

}  // namespace fastid::asking
