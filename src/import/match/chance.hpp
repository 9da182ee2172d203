/// \file
/// The probability that so low a share arises by chance.
#pragma once

#include <cstdint>

namespace fastid::imports {

/// log10 of an upper bound on the probability of a share of `share` or less among `n` independent events
/// whose mean probability is `p`; 0 where `share` is not below `p`. Hoeffding's bound, which also holds for
/// unequal probabilities: exp(-n KL(share || p)), where KL is the relative entropy.
/// \param share, p  in [0, 1]
double log10_chance(double share, std::uint64_t n, double p);

}  // namespace fastid::imports
