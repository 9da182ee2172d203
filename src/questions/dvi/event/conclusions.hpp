/// \file
/// The conclusions from the assignments.
#pragma once

#include "questions/dvi/event/components.hpp"
#include "questions/dvi/event/state.hpp"

namespace fastid::dvi {

/// Notes a conclusion for each missing member of the components.
void conclude(EventState& state, const Assigned& assigned);

}  // namespace fastid::dvi
