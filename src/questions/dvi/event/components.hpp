/// \file
/// The assignments of those who are left once the undisputed pairs are named.
#pragma once

#include <cstddef>
#include <vector>

#include "questions/dvi/event/findings.hpp"
#include "questions/dvi/event/state.hpp"

namespace fastid::dvi {

/// Sets of a family's missing members who can be exchanged, by their places among them.
using AlikeSets = std::vector<std::vector<std::size_t>>;

struct Assigned {
  std::vector<Component> components;
  std::vector<AlikeSets> alike;  ///< of each family
};

/// Of those who are left. Says of a missing member that he or she is uninformative, or that candidates were
/// left out, where there would be too many assignments.
Assigned assign_rest(EventState& state);

}  // namespace fastid::dvi
