#include "questions/kin/family_roles.hpp"

#include <algorithm>
#include <utility>

namespace fastid::kin {
namespace {

using ParentOf = std::optional<std::size_t> stats::Member::*;

/// A family that grows by relatives of one member.
class Grown {
 public:
  Grown(std::span<const stats::Member> members, std::size_t of)
      : role_{.members = {members.begin(), members.end()}}, of_(of) {}

  FamilyRole with_sibling() && {
    const std::size_t father = parent(role_.members[of_].father), mother = parent(role_.members[of_].mother);
    return std::move(*this).with({.father = father, .mother = mother, .typed = {}}, "sibling");
  }
  /// \param common  the parent whom the two share
  FamilyRole with_half_sibling(ParentOf common) && {
    stats::Member sibling{.typed = {}};
    sibling.*common = parent(role_.members[of_].*common);
    return std::move(*this).with(std::move(sibling), "half-sibling");
  }
  /// \param other  the member's parent whose sibling is the other's second parent
  FamilyRole with_three_quarter_sibling(ParentOf common, ParentOf other) && {
    stats::Member sibling{.typed = {}};
    sibling.*common = parent(role_.members[of_].*common);
    const std::size_t own = parent(role_.members[of_].*other);
    const std::size_t father = parent(role_.members[own].father), mother = parent(role_.members[own].mother);
    sibling.*other = role_.members.size();
    role_.members.push_back({.father = father, .mother = mother, .typed = {}});
    return std::move(*this).with(std::move(sibling), "three-quarter-sibling");
  }
  FamilyRole with_child() && {
    return std::move(*this).with({.father = of_, .mother = {}, .typed = {}}, "child");
  }
  FamilyRole with_parent() && {
    std::optional<std::size_t>& none =
        role_.members[of_].father ? role_.members[of_].mother : role_.members[of_].father;
    role_.place = parent(none);
    return std::move(*this).named("parent");
  }

 private:
  /// The parent; one is added where none is listed.
  std::size_t parent(std::optional<std::size_t>& of) {
    if (!of) of = role_.members.size();
    const std::size_t place = *of;
    if (place == role_.members.size()) role_.members.push_back({.typed = {}});
    return place;
  }
  FamilyRole with(stats::Member member, const char* what) && {
    role_.place = role_.members.size();
    role_.members.push_back(std::move(member));
    return std::move(*this).named(what);
  }
  FamilyRole named(const char* what) && {
    role_.name = std::string(what) + " of " + role_.members[of_].name;
    return std::move(role_);
  }

  FamilyRole role_;
  std::size_t of_;
};

void add_half_siblings(std::span<const stats::Member> members, std::size_t of,
                       std::vector<FamilyRole>& roles) {
  const ParentOf father = &stats::Member::father, mother = &stats::Member::mother;
  for (const ParentOf common : {father, mother}) {
    roles.push_back(Grown(members, of).with_half_sibling(common));
    roles.push_back(
        Grown(members, of).with_three_quarter_sibling(common, common == father ? mother : father));
  }
}

/// Whether a sibling of a member has the same place in the family as the missing member.
bool siblings_are_alike(std::span<const stats::Member> members, std::size_t missing, std::size_t of) {
  const stats::Member &asked = members[missing], &other = members[of];
  const bool are_siblings =
      asked.father && asked.mother && asked.father == other.father && asked.mother == other.mother;
  return are_siblings && std::ranges::none_of(members, [&](const stats::Member& member) {
           return member.father == missing || member.mother == missing;
         });
}

}  // namespace

std::vector<FamilyRole> other_roles(std::span<const stats::Member> members, std::size_t missing,
                                    bool half_siblings) {
  std::vector<FamilyRole> roles;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!members[i].typed && i != missing)
      roles.push_back({members[i].name, {members.begin(), members.end()}, i});
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].typed) continue;
    if (!siblings_are_alike(members, missing, i)) roles.push_back(Grown(members, i).with_sibling());
    if (half_siblings) add_half_siblings(members, i, roles);
    roles.push_back(Grown(members, i).with_child());
    if (!members[i].father || !members[i].mother) roles.push_back(Grown(members, i).with_parent());
  }
  std::erase_if(roles, [](const FamilyRole& role) { return role.members.size() > stats::kMostMembers; });
  return roles;
}

}  // namespace fastid::kin
