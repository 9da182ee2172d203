/// \file
/// The values of drop-out that are tried where none is given. The search runs in its logit, in which the
/// likelihood of a mixture is about as steep everywhere.
#pragma once

#include <algorithm>
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

/// Where `value`, a smooth function with one peak between low and high, is largest: by golden sections until
/// it is near, then by parabolas, the last of which is as good as exact.
template <class Value>
double peak_between(double low, double high, const Value& value) {
  constexpr double kShare = 0.6180339887498949;  // (sqrt(5) - 1) / 2
  constexpr double kNear = 0.05;
  const double first = low, last = high;
  double left = high - kShare * (high - low), right = low + kShare * (high - low);
  double at_left = value(left), at_right = value(right);
  while (high - low > kNear)
    if (at_left > at_right) {
      high = right, right = left, at_right = at_left;
      at_left = value(left = high - kShare * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = value(right = low + kShare * (high - low));
    }
  double peak = (low + high) / 2;
  for (const double step : {0.02, 0.001, 0.0001}) {
    const double top = top_of(value(peak - step), value(peak), value(peak + step));
    peak = std::clamp(peak + step * std::clamp(top, -2., 2.), first, last);
  }
  return peak;
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
