#include "questions/pairs/cohort/pedigree_relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "questions/pairs/cohort/relations.hpp"
#include "stats/evidence.hpp"

namespace fastid::pairs {
namespace {

constexpr std::size_t kGenerations = 3;
constexpr unsigned kMostBirths = 8;

using Couple = std::pair<std::size_t, std::size_t>;

/// Passes a person's listed parents to `see`.
template <class See>
void for_each_parent(const asking::Person& person, const See& see) {
  if (person.father) see(*person.father);
  if (person.mother) see(*person.mother);
}

class Pedigree {
 public:
  explicit Pedigree(const asking::FamilyFile& family) : people_(family.people), age_(people_.size()) {
    put_in_order(family.path);
    inbreeding_.resize(people_.size());
    for (const std::size_t person : order_)
      if (const auto& [father, mother] = parents(person); father && mother)
        inbreeding_[person] = kinship(*father, *mother, kMostBirths);
  }

  std::string_view relation(std::size_t a, std::size_t b) const {
    if (is_parent(a, b) || is_parent(b, a)) return name_of(stats::Relation::kParentChild);
    const auto of_a = parents(a), of_b = parents(b);
    const bool siblings = of_a.first && of_a.second && of_a == of_b;
    const std::string_view by_kinship = relation_of_kinship(kinship(a, b, kMostBirths));
    return siblings || by_kinship == kSame ? name_of(stats::Relation::kSibling) : by_kinship;
  }

 private:
  using Parents = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;
  Parents parents(std::size_t person) const { return {people_[person].father, people_[person].mother}; }

  bool is_parent(std::size_t a, std::size_t of) const {
    return people_[of].father == a || people_[of].mother == a;
  }

  /// Puts parents before their children.
  void put_in_order(const std::string& path) {
    std::vector<std::size_t> parents_left(people_.size());
    std::vector<std::vector<std::size_t>> children(people_.size());
    for (std::size_t i = 0; i < people_.size(); ++i)
      for_each_parent(people_[i], [&](std::size_t parent) {
        children[parent].push_back(i);
        ++parents_left[i];
      });
    for (std::size_t i = 0; i < people_.size(); ++i)
      if (parents_left[i] == 0) order_.push_back(i);
    for (std::size_t at = 0; at < order_.size(); ++at) {
      age_[order_[at]] = at;
      for (const std::size_t child : children[order_[at]])
        if (--parents_left[child] == 0) order_.push_back(child);
    }
    if (order_.size() == people_.size()) return;
    const auto loop = std::ranges::find_if(parents_left, [](std::size_t left) { return left > 0; });
    const asking::Person& person = people_[static_cast<std::size_t>(loop - parents_left.begin())];
    throw InputError(
        path, "",
        fmt::format("{} is an own ancestor, or descends from somebody who is", printable(person.name)),
        "put the parents right");
  }

  /// The kinship over paths of at most `births` births: half the sum over the listed parents of the later
  /// born of the two.
  double kinship(std::size_t a, std::size_t b, unsigned births) const {
    if (a == b) return 0.5 + inbreeding_[a] / 2;
    if (births == 0) return 0;
    if (age_[a] < age_[b]) std::swap(a, b);
    double sum = 0;
    for_each_parent(people_[a], [&](std::size_t parent) { sum += kinship(parent, b, births - 1) / 2; });
    return sum;
  }

  const std::vector<asking::Person>& people_;
  std::vector<std::size_t> order_, age_;  ///< age_: place in order_
  std::vector<double> inbreeding_;
};

/// A person, and the ancestors within kGenerations, each once.
std::vector<std::size_t> ancestors_of(const std::vector<asking::Person>& people, std::size_t person) {
  std::vector<std::size_t> all{person};
  for (std::size_t generation = 0, from = 0; generation < kGenerations; ++generation) {
    const std::size_t end = all.size();
    for (; from < end; ++from)
      for_each_parent(people[all[from]], [&](std::size_t parent) { all.push_back(parent); });
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Pairs of wanted people with a common ancestor.
std::vector<Couple> candidates(const asking::FamilyFile& family, const std::vector<bool>& wanted,
                               std::size_t most) {
  std::vector<std::vector<std::size_t>> descendants(family.people.size());
  for (std::size_t i = 0; i < family.people.size(); ++i)
    if (wanted[i])
      for (const std::size_t ancestor : ancestors_of(family.people, i)) descendants[ancestor].push_back(i);
  std::vector<Couple> pairs;
  for (const std::vector<std::size_t>& of_one : descendants) {
    for (std::size_t b = 1; b < of_one.size(); ++b) {
      if (pairs.size() + b > most)
        throw InputError(family.path, "",
                         fmt::format("has more than {} pairs of people with a common ancestor within {} "
                                     "generations",
                                     with_commas(most), kGenerations),
                         "give a pedigree of fewer people");
      for (std::size_t a = 0; a < b; ++a) pairs.emplace_back(of_one[a], of_one[b]);
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

std::vector<ImpliedRelation> implied_relations(const asking::FamilyFile& family,
                                               const std::vector<bool>& wanted, std::size_t most) {
  const Pedigree pedigree(family);
  std::vector<ImpliedRelation> relations;
  for (const auto& [a, b] : candidates(family, wanted, most))
    if (const std::string_view relation = pedigree.relation(a, b); relation != kUnrelated)
      relations.push_back({a, b, relation});
  return relations;
}

}  // namespace fastid::pairs
