#include "questions/pairs/cohort/relations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "questions/pairs/run.hpp"
#include "stats/evidence.hpp"
#include "stats/kinship.hpp"

namespace fastid::pairs {
namespace {

using stats::Degree;
using stats::Relation;

constexpr std::array<Relation, stats::kRelations> kRelations{Relation::kSame,    Relation::kParentChild,
                                                             Relation::kSibling, Relation::kHalfSibling,
                                                             Relation::kCousin,  Relation::kUnrelated};

/// The relation of this name, if a pair can be named so.
std::optional<std::string_view> of_this_name(std::string_view word) {
  for (const Relation relation : kRelations)
    if (word == name_of(relation)) return name_of(relation);
  return std::nullopt;
}

Degree degree_of(std::string_view relation) {
  if (relation == name_of(Relation::kSame)) return Degree::kSame;
  if (relation == name_of(Relation::kHalfSibling)) return Degree::kSecond;
  if (relation == name_of(Relation::kCousin)) return Degree::kThird;
  if (relation == kDistant) return Degree::kThird;
  return relation == name_of(Relation::kUnrelated) ? Degree::kUnrelated : Degree::kFirst;
}

/// The relation that stands for a degree along the map. No value where none is named.
std::optional<std::string_view> of_degree(std::string_view degree) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kStand{
      {{"1.5", "sibling"}, {"2", "half-sibling"}, {"3", "cousin"}, {"4", kDistant}, {"5", kDistant}}};
  const auto* const at =
      std::ranges::find(kStand, degree, &std::pair<std::string_view, std::string_view>::first);
  return at == kStand.end() ? std::nullopt : std::optional(at->second);
}

bool is_parent(const match::ClosePair& pair) {
  return pair.ibs0 <= kMostIbs0OfParent * pair.both_het;
}

bool is_by_chance(const match::ClosePair& pair) {
  return pair.log10_chance_pairs && stats::explained_by_chance(*pair.log10_chance_pairs);
}

}  // namespace

std::string_view relation_of_kinship(double kinship) {
  switch (stats::degree_of(kinship)) {
    case Degree::kSame:
      return name_of(Relation::kSame);
    case Degree::kFirst:
      return name_of(Relation::kSibling);
    case Degree::kSecond:
      return name_of(Relation::kHalfSibling);
    case Degree::kThird:
      return name_of(Relation::kCousin);
    case Degree::kUnrelated:
      break;
  }
  return name_of(Relation::kUnrelated);
}

std::string_view relation_of(const match::ClosePair& pair, const match::PairsFacts& facts) {
  if (const auto named = of_this_name(pair.relation)) return *named;
  if (pair.linked)
    if (const auto named = of_degree(pair.linked->figures.degree)) return *named;
  if (pair.relation == kUndecided && is_by_chance(pair)) return kUndecided;
  if (std::isnan(pair.kinship)) {
    const bool only_same = facts.by == Encoding::kMinor && facts.max_mismatch_rate <= kSameMismatchRate;
    return only_same ? kSame : kClose;
  }
  const std::string_view relation = relation_of_kinship(pair.kinship);
  if (relation == kUnrelated && facts.min_lr()) return kDistant;  // that is more than chance
  const bool first = relation == name_of(Relation::kSibling);
  return first && is_parent(pair) ? name_of(Relation::kParentChild) : relation;
}

bool is_related(std::string_view relation) {
  return relation != kUndecided && relation != kUnrelated;
}

std::size_t distance(std::string_view relation) {
  static constexpr std::array<std::string_view, 9> kOrder{
      kSame, "parent-child", "sibling", "half-sibling", "cousin", kDistant, kClose, kUndecided, kUnrelated};
  return static_cast<std::size_t>(std::ranges::find(kOrder, relation) - kOrder.begin());
}

bool agrees(std::string_view expected, std::string_view found) {
  const auto is_distant = [](std::string_view relation) {
    const Degree degree = degree_of(relation);
    return degree == Degree::kSecond || degree == Degree::kThird;
  };
  return expected == found || found == kClose || found == kUndecided ||
         (is_distant(expected) && is_distant(found));
}

bool must_be_found(std::string_view relation, const match::PairsFacts& facts) {
  const Degree degree = degree_of(relation);
  if (degree == Degree::kSame) return true;
  if (relation == kDistant || degree == Degree::kUnrelated || facts.max_mismatch_rate || !facts.min_kinship)
    return false;
  return *facts.min_kinship <= stats::least_kinship(degree);
}

std::optional<std::string_view> relation_named(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Relation>, 20> kOthers{
      {{"duplicate", Relation::kSame},
       {"duplicates", Relation::kSame},
       {"twin", Relation::kSame},
       {"twins", Relation::kSame},
       {"parent-offspring", Relation::kParentChild},
       {"siblings", Relation::kSibling},
       {"full-sibling", Relation::kSibling},
       {"full-siblings", Relation::kSibling},
       {"half-siblings", Relation::kHalfSibling},
       {"second-degree", Relation::kHalfSibling},
       {"grandparent", Relation::kHalfSibling},
       {"grandparent-grandchild", Relation::kHalfSibling},
       {"avuncular", Relation::kHalfSibling},
       {"uncle", Relation::kHalfSibling},
       {"aunt", Relation::kHalfSibling},
       {"cousins", Relation::kCousin},
       {"first-cousin", Relation::kCousin},
       {"first-cousins", Relation::kCousin},
       {"third-degree", Relation::kCousin},
       {"none", Relation::kUnrelated}}};
  const std::string lower = ascii_lower(word);
  if (const auto named = of_this_name(lower)) return named;
  const auto other =
      std::ranges::find(kOthers, std::string_view(lower), &std::pair<std::string_view, Relation>::first);
  if (other == kOthers.end()) return std::nullopt;
  return name_of(other->second);
}

}  // namespace fastid::pairs
