/// \file
/// The explanations of a stain, weighed by what the stain alone shows.
#pragma once

#include <vector>

#include "stats/internal/share_fit.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/stain.hpp"

namespace fastid::stats {

/// By drop-outs. \param known  how many people are
std::vector<StainSupport> supports_by_drop_outs(const StainFit& fit, unsigned known,
                                                const StainParameters& parameters);
/// By shares. \param relatives  whether two contributors may be
std::vector<StainSupport> supports_by_shares(const ShareFit& fit, unsigned known,
                                             const StainParameters& parameters, bool relatives);

/// log of the sum of their weights, natural.
double log_sum(std::span<const StainSupport> supports);

}  // namespace fastid::stats
