#include "linked/relations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/log_number.hpp"

namespace fastid::linked {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

struct Facts {
  std::string_view name;
  Degree degree;
};
constexpr std::array<Facts, kRelations> kFacts{{{"same", Degree::kSame},
                                                {"parent-child", Degree::kParentChild},
                                                {"sibling", Degree::kSibling},
                                                {"three-quarter-sibling", Degree::kThreeQuarterSibling},
                                                {"half-sibling", Degree::kSecond},
                                                {"grandparent", Degree::kSecond},
                                                {"avuncular", Degree::kSecond},
                                                {"double-first-cousin", Degree::kSecond},
                                                {"first-cousin", Degree::kThird},
                                                {"great-grandparent", Degree::kThird},
                                                {"half-avuncular", Degree::kThird},
                                                {"grand-avuncular", Degree::kThird},
                                                {"first-cousin-once-removed", Degree::kFourth},
                                                {"half-first-cousin", Degree::kFourth},
                                                {"great-great-grandparent", Degree::kFourth},
                                                {"great-grand-avuncular", Degree::kFourth},
                                                {"second-cousin", Degree::kFifth},
                                                {"half-first-cousin-once-removed", Degree::kFifth},
                                                {"great-great-grand-avuncular", Degree::kFifth}}};

using ByDegree = std::array<std::vector<double>, kDegrees>;

ByDegree by_degree(const Ratios& ratios) {
  ByDegree of;
  for (const Relation relation : all_relations())
    if (ratios[relation]) of[static_cast<std::size_t>(degree_of(relation))].push_back(*ratios[relation]);
  of[static_cast<std::size_t>(Degree::kUnrelated)] = {0};
  return of;
}

double any_of(const ByDegree& ratios) {
  const auto at = [&](Degree degree) -> const std::vector<double>& {
    return ratios[static_cast<std::size_t>(degree)];
  };
  std::vector<double> first;
  for (const Degree degree : {Degree::kParentChild, Degree::kSibling, Degree::kThreeQuarterSibling})
    first.insert(first.end(), at(degree).begin(), at(degree).end());
  std::vector<double> means;
  if (!first.empty()) means.push_back(stats::log10_mean(first));
  for (const Degree degree : {Degree::kSecond, Degree::kThird, Degree::kFourth, Degree::kFifth})
    if (!at(degree).empty()) means.push_back(stats::log10_mean(at(degree)));
  return stats::log10_mean(means);
}

/// The difference of the highest to the next of two log10 likelihoods.
double margin_of(double best, double next) {
  return std::isinf(next) ? std::numeric_limits<double>::infinity() : best - next;
}

/// The relation whose likelihood is above all others', and above "unrelated", by the margin.
std::optional<Relation> decided_relation(const Ratios& ratios, double margin) {
  std::optional<Relation> best;
  double next = 0;
  for (const Relation relation : all_relations()) {
    if (!ratios[relation]) continue;
    if (!best || *ratios[relation] > *ratios[*best]) {
      if (best) next = std::max(next, *ratios[*best]);
      best = relation;
    } else {
      next = std::max(next, *ratios[relation]);
    }
  }
  return best && *ratios[*best] - next >= margin ? best : std::nullopt;
}

}  // namespace

std::string_view name_of(Relation relation) {
  return kFacts[static_cast<std::size_t>(relation)].name;
}

std::optional<Relation> relation_named(std::string_view name) {
  if (name == "cousin") return Relation::kFirstCousin;
  const auto found = std::ranges::find(kFacts, name, &Facts::name);
  return found == kFacts.end() ? std::nullopt : std::optional(static_cast<Relation>(found - kFacts.begin()));
}

std::array<Relation, kRelations> all_relations() {
  std::array<Relation, kRelations> all{};
  for (std::size_t r = 0; r < kRelations; ++r) all[r] = static_cast<Relation>(r);
  return all;
}

std::string_view name_of(Degree degree) {
  static constexpr std::array<std::string_view, kDegrees> kNames{"0", "1", "1", "1.5",      "2",
                                                                 "3", "4", "5", "unrelated"};
  return kNames[static_cast<std::size_t>(degree)];
}

Degree degree_of(Relation relation) {
  return kFacts[static_cast<std::size_t>(relation)].degree;
}

std::string Findings::range() const {
  const std::string_view first = name_of(nearest), last = name_of(farthest);
  return first == last ? std::string(first) : std::string(first) + "-" + std::string(last);
}

Findings findings_of(const Ratios& ratios, double margin) {
  const ByDegree relations = by_degree(ratios);
  std::array<double, kDegrees> log10{};
  for (std::size_t d = 0; d < kDegrees; ++d) log10[d] = stats::log10_mean(relations[d]);
  const std::size_t best = static_cast<std::size_t>(std::ranges::max_element(log10) - log10.begin());
  double next = kImpossible;
  std::size_t nearest = best, farthest = best;
  for (std::size_t d = 0; d < kDegrees; ++d) {
    if (d == best) continue;
    next = std::max(next, log10[d]);
    if (log10[best] - log10[d] >= margin) continue;
    nearest = std::min(nearest, d);
    farthest = std::max(farthest, d);
  }
  Findings found{.log10_any = any_of(relations),
                 .likeliest = static_cast<Degree>(best),
                 .margin = margin_of(log10[best], next),
                 .decided = false,
                 .nearest = static_cast<Degree>(nearest),
                 .farthest = static_cast<Degree>(farthest),
                 .relation = {}};
  found.decided = found.margin >= margin;
  if (found.decided) found.relation = decided_relation(ratios, margin);
  return found;
}

Weights weights_of(const Ratios& ratios) {
  constexpr double kLeast = 1e-6;
  double top = 0;  // "unrelated"
  for (const auto& ratio : ratios.log10)
    if (ratio) top = std::max(top, *ratio);
  Weights weights{};
  double sum = std::pow(10, -top);
  for (std::size_t r = 0; r < kRelations; ++r)
    if (ratios.log10[r]) sum += weights[r] = std::pow(10, *ratios.log10[r] - top);
  for (double& weight : weights) {
    weight /= sum;
    if (weight < kLeast) weight = 0;
  }
  return weights;
}

}  // namespace fastid::linked
