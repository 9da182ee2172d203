/// \file
/// The values of drop-out that are tried where none is given. The search runs in its logit, in which the
/// likelihood of a mixture is about as steep everywhere.
#pragma once

#include <cmath>
#include <vector>

#include "stats/mixture.hpp"

namespace fastid::stats {

inline double logit(double share) {
  return std::log(share / (1 - share));
}

inline double share_of(double logit) {
  return 1 / (1 + std::exp(-logit));
}

/// The position of the maximum of the parabola through three points, in steps from the middle one; 0 where it
/// has none.
inline double top_of(double before, double at, double after) {
  const double bend = before - 2 * at + after;
  return bend < 0 ? (before - after) / (2 * bend) : 0;
}

inline constexpr std::size_t kTriedDropOuts = 8;

/// From kLeastDropOut to kMostDropOut, evenly spaced in the logit.
inline std::vector<double> drop_outs_to_try() {
  const double low = logit(kLeastDropOut), step = (logit(kMostDropOut) - low) / (kTriedDropOuts - 1);
  std::vector<double> tried;
  for (std::size_t i = 0; i < kTriedDropOuts; ++i)
    tried.push_back(share_of(low + static_cast<double>(i) * step));
  tried.front() = kLeastDropOut;
  tried.back() = kMostDropOut;
  return tried;
}

}  // namespace fastid::stats
