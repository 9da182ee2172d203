/// \file
/// The assignments of the missing members who are left once the undisputed pairs are named.
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

/// Assigns the missing members who are left. Where there would be too many assignments, notes that a missing
/// member is uninformative, or that candidates were left out.
Assigned assign_rest(EventState& state);

}  // namespace fastid::dvi
