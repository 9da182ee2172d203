/// \file
/// The explanations of a stain, weighed by what the stain alone shows.
#pragma once

#include <vector>

#include "stats/internal/share_fit.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/stain.hpp"

namespace fastid::stats {

/// Explanations by drop-outs. \param known  the number of known contributors
std::vector<StainSupport> supports_by_drop_outs(const StainFit& fit, unsigned known,
                                                const StainParameters& parameters);
/// Explanations by shares. \param known  the number of known contributors \param relatives  whether two
/// contributors may be relatives
std::vector<StainSupport> supports_by_shares(const ShareFit& fit, unsigned known,
                                             const StainParameters& parameters, bool relatives);

/// Natural log of the sum of the supports' weights.
double log_sum(std::span<const StainSupport> supports);

}  // namespace fastid::stats
