/// \file
/// Other places in the family that a candidate for a missing member may have: of a relative who is not typed,
/// or of one whom the file does not list.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/pedigree.hpp"

namespace fastid::kin {

struct FamilyRole {
  std::string name;                    ///< "aunt", "sibling of mother"
  std::vector<stats::Member> members;  ///< the family, with the members added for this role
  std::size_t place = 0;               ///< the candidate's place among the members
};

/// The roles of every other member who is not typed, and for each typed member a full sibling (unless this is
/// the missing member's own place), a child and, where one is not listed, a parent. \param missing  the place
/// of the member who is looked for \param half_siblings  also half siblings and three-quarter siblings (whose
/// other parents are siblings) of each typed member. Needed along the map, where any near relative is far
/// more probable as a full sibling than as a stranger
std::vector<FamilyRole> other_roles(std::span<const stats::Member> members, std::size_t missing,
                                    bool half_siblings);

}  // namespace fastid::kin
