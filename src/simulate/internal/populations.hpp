/// \file
/// Populations that have drifted apart.
#pragma once

#include <cstdint>
#include <vector>

#include "panel/panel.hpp"

namespace fastid::simulate {

/// The frequencies of population `index`, which has drifted from `minor_freq`: at each site a draw from the
/// Balding-Nichols model (D. J. Balding, R. A. Nichols, Genetica 1995), a beta distribution with parameters q
/// (1 - fst) / fst and (1 - q) (1 - fst) / fst, rounded to millionths. Frequencies of 0 and 1 do not change,
/// and none changes where fst is 0.
std::vector<double> drifted(const std::vector<double>& minor_freq, double fst, std::uint64_t seed,
                            std::uint64_t index);

/// `panel` with populations pop1 .. popN, which have drifted from `minor_freq`, added after its own.
/// \throws InputError naming `source` where the panel already has a population of such a name.
Panel with_drifted(const Panel& panel, const std::vector<double>& minor_freq, std::uint32_t n, double fst,
                   std::uint64_t seed, const std::string& source);

}  // namespace fastid::simulate
