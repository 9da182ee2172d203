/// \file
/// What the stages of a run took, for -v.
#pragma once

#include <string>
#include <vector>

#include "pipeline/stream.hpp"

namespace fastid::pipeline {

/// One line for each stage: its time, what it moved or compared, its rate, the fraction of the device's peak
/// and the time that the engine's model predicted, if these are known (not 0). Then the overlap: how many
/// times as long the stages would have taken one after the other.
///
/// \param bits     that were compared: queries x profiles x sites
/// \param seconds  the time of the whole run
std::vector<std::string> describe_stages(const StreamStats& stats, const engine::DevicePeaks& peaks,
                                         const engine::ExpectedTimes& expected, double bits, double seconds);

}  // namespace fastid::pipeline
