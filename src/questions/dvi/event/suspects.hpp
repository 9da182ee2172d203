/// \file
/// Typed members who speak against an identification, where nobody was found.
#pragma once

#include "questions/dvi/event/state.hpp"

namespace fastid::dvi {

/// For each missing member without a finding, notes who would be identified without the readings of one typed
/// member.
void find_suspects(EventState& state);

}  // namespace fastid::dvi
