#include "questions/pairs/cohort/groups.hpp"

#include <algorithm>
#include <map>

#include "base/union_find.hpp"
#include "questions/pairs/cohort/relations.hpp"

namespace fastid::pairs {
namespace {

/// Numbers the persons of a group in the order of its members.
void number_persons(UnionFind& persons, CohortGroup& group) {
  std::map<std::size_t, std::size_t> numbers;  // by root
  for (CohortGroup::Member& member : group.members)
    member.person = numbers.try_emplace(persons.find(member.profile), numbers.size() + 1).first->second;
  group.n_persons = numbers.size();
}

}  // namespace

std::vector<CohortGroup> groups_of(std::span<const CohortPair> pairs, std::size_t n_profiles) {
  UnionFind connected(n_profiles), persons(n_profiles);
  std::vector<bool> has_relative(n_profiles);
  for (const CohortPair& pair : pairs) {
    if (!is_related(pair.relation)) continue;
    has_relative[pair.first] = has_relative[pair.second] = true;
    connected.join(pair.first, pair.second);
    if (pair.relation == kSame) persons.join(pair.first, pair.second);
  }
  std::vector<CohortGroup> groups;
  std::map<std::size_t, std::size_t> places;  // by root
  for (std::size_t profile = 0; profile < n_profiles; ++profile) {
    if (!has_relative[profile]) continue;
    const auto [at, is_new] = places.try_emplace(connected.find(profile), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].members.push_back({.profile = profile});
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!is_related(pairs[i].relation)) continue;
    CohortGroup& group = groups[places.at(connected.find(pairs[i].first))];
    group.pairs.push_back(i);
    if (group.pairs.size() == 1 || distance(pairs[i].relation) < distance(group.closest))
      group.closest = pairs[i].relation;
  }
  for (CohortGroup& group : groups) number_persons(persons, group);
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [](const CohortGroup& group) { return group.members.size(); });
  return groups;
}

}  // namespace fastid::pairs
