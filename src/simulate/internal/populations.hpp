/// \file
/// Populations that have drifted apart.
#pragma once

#include <cstdint>
#include <vector>

#include "panel/panel.hpp"

namespace fastid::simulate {

/// What became of the frequencies `minor_freq` in population `index`: at each site a draw from the
/// Balding-Nichols model (D. J. Balding, R. A. Nichols, Genetica 1995), a beta distribution with parameters
/// q (1 - fst) / fst and (1 - q) (1 - fst) / fst, rounded to millionths. 0, 1, and all where fst is 0, stay.
std::vector<double> drifted(const std::vector<double>& minor_freq, double fst, std::uint64_t seed,
                            std::uint64_t index);

/// `panel` with populations pop1 .. popN that have drifted from `minor_freq`, after its own.
/// \throws InputError naming `source` where it has one of that name already.
Panel with_drifted(const Panel& panel, const std::vector<double>& minor_freq, std::uint32_t n, double fst,
                   std::uint64_t seed, const std::string& source);

}  // namespace fastid::simulate
