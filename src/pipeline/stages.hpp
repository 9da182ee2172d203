/// \file
/// What the stages of a run took, for -v.
#pragma once

#include <string>
#include <vector>

#include "pipeline/pipeline.hpp"

namespace fastid {

/// One line a stage: its time, what it moved or compared, its rate, and where the device's peak is known, the
/// share of it; what the engine's model expected stands beside it. Then the overlap: how much longer the
/// stages would have taken one after the other.
///
/// \param seconds  of the whole run
std::vector<std::string> describe_stages(const StreamStats& stats, const Engine& engine,
                                         const Problem& problem, double seconds);

}  // namespace fastid
