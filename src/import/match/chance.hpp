/// \file
/// Whether so few of something is still chance.
#pragma once

#include <cstdint>

namespace fastid {

/// log10 of an upper bound for how likely a share of `share` or less is among `n` independent events whose
/// mean probability is `p`; 0 where `share` is not below `p`. Hoeffding's bound, which holds for events of
/// unequal probabilities too: exp(-n KL(share || p)), with KL the relative entropy of the two. \param share
/// in [0, 1] \param p      in [0, 1]
double log10_chance(double share, std::uint64_t n, double p);

}  // namespace fastid
