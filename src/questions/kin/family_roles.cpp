#include "questions/kin/family_roles.hpp"

#include <algorithm>
#include <utility>

namespace fastid {
namespace {

/// A family that grows by relatives of one member.
class Grown {
 public:
  Grown(std::span<const stats::Member> members, std::size_t of)
      : role_{.members = {members.begin(), members.end()}}, of_(of) {}

  FamilyRole with_sibling() && {
    const std::size_t father = parent(role_.members[of_].father), mother = parent(role_.members[of_].mother);
    return std::move(*this).with({.father = father, .mother = mother, .typed = {}}, "sibling");
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
  /// The parent, who is added where none is listed.
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

/// Whether a sibling of a member stands where the missing one does.
bool siblings_are_alike(std::span<const stats::Member> members, std::size_t missing, std::size_t of) {
  const stats::Member &asked = members[missing], &other = members[of];
  const bool are_siblings =
      asked.father && asked.mother && asked.father == other.father && asked.mother == other.mother;
  return are_siblings && std::ranges::none_of(members, [&](const stats::Member& member) {
           return member.father == missing || member.mother == missing;
         });
}

}  // namespace

std::vector<FamilyRole> other_roles(std::span<const stats::Member> members, std::size_t missing) {
  std::vector<FamilyRole> roles;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!members[i].typed && i != missing)
      roles.push_back({members[i].name, {members.begin(), members.end()}, i});
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].typed) continue;
    if (!siblings_are_alike(members, missing, i)) roles.push_back(Grown(members, i).with_sibling());
    roles.push_back(Grown(members, i).with_child());
    if (!members[i].father || !members[i].mother) roles.push_back(Grown(members, i).with_parent());
  }
  std::erase_if(roles, [](const FamilyRole& role) { return role.members.size() > stats::kMostMembers; });
  return roles;
}

}  // namespace fastid
