/// \file
/// The pairs that nothing speaks against.
#pragma once

#include "questions/dvi/event/state.hpp"

namespace fastid::dvi {

/// Names the undisputed pairs, whose remains then type the families, and updates the families' ratios.
/// \return false where there is no such pair
bool find_undisputed(EventState& state);

}  // namespace fastid::dvi
