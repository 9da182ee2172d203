/// \file
/// The places that a candidate for a missing member may have in the family instead: a relative who is not
/// typed, or one whom the family does not list.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/pedigree.hpp"

namespace fastid::kin {

struct FamilyRole {
  std::string name;                    ///< "aunt", "sibling of mother"
  std::vector<stats::Member> members;  ///< the family, with who is added for it
  std::size_t place = 0;               ///< the candidate's, among the members
};

/// Every other member who is not typed; and of each typed member a full sibling (unless that is the missing
/// one's own place), a child and, where one is not listed, a parent. \param missing  the place of the member
/// who is asked for \param half_siblings  and three-quarter siblings (their other parents are siblings) of
/// each typed member too: along the map any near relative shares so much that as a full sibling it is far
/// more probable than a stranger
std::vector<FamilyRole> other_roles(std::span<const stats::Member> members, std::size_t missing,
                                    bool half_siblings);

}  // namespace fastid::kin
