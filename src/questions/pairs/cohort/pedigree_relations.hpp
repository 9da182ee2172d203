/// \file
/// The relations that a pedigree implies.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "asking/family.hpp"

namespace fastid::pairs {

/// Two people of a family file; first < second.
struct ImpliedRelation {
  std::size_t first = 0, second = 0;
  std::string_view relation;
};

/// The pairs of relatives up to the third degree among the people who are `wanted`, in order. Parents and
/// children, and siblings who share both listed parents, are named as such; all others by their kinship,
/// which counts paths of up to eight births. Only pairs with a common ancestor within three generations of
/// both (one may be the other's ancestor) are looked at. A parent who is not listed has no other children.
/// \throws InputError where somebody is an own ancestor, or more than `most` pairs are looked at.
std::vector<ImpliedRelation> implied_relations(const asking::FamilyFile& family,
                                               const std::vector<bool>& wanted, std::size_t most);

}  // namespace fastid::pairs
