/// \file
/// The pairs that nothing speaks against.
#pragma once

#include "questions/dvi/event/state.hpp"

namespace fastid::dvi {

/// Names the undisputed pairs; their remains then type the families, whose ratios are made anew. \return
/// false where there is none
bool find_undisputed(EventState& state);

}  // namespace fastid::dvi
