/// \file
/// Where nobody was found: which typed members stand against a finding.
#pragma once

#include "questions/dvi/event/state.hpp"

namespace fastid::dvi {

/// Says of each missing member whom nobody was found for who would be without what was read of one typed
/// member.
void find_suspects(EventState& state);

}  // namespace fastid::dvi
