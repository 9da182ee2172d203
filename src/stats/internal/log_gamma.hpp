/// \file
/// The logarithm of the gamma function with its derivative, from any thread.
#pragma once

#include <cmath>

namespace fastid::stats {

struct LogGamma {
  double value = 0;
  double slope = 0;  ///< psi(x)
};

/// \param x  above 0
inline LogGamma log_gamma(double x) {
  constexpr double kLeast = 10;  // from here on Stirling's series has all digits of a double
  double product = 1, inverses = 0;
  for (; x < kLeast; ++x) {
    product *= x;
    inverses += 1 / x;
  }
  const double log = std::log(x), inverse = 1 / x, square = inverse * inverse;
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  const double tail =
      inverse *
      (1. / 12 -
       square * (1. / 360 -
                 square * (1. / 1260 -
                           square * (1. / 1680 - square * (1. / 1188 - square * (691. / 360360 -
                                                                                 square * (1. / 156)))))));
  const double slope_tail =
      square *
      (1. / 12 -
       square * (1. / 120 -
                 square * (1. / 252 -
                           square * (1. / 240 -
                                     square * (1. / 132 - square * (691. / 32760 - square * (1. / 12)))))));
  return {(x - .5) * log - x + kHalfLogTwoPi + tail - (product == 1 ? 0 : std::log(product)),
          log - inverse / 2 - slope_tail - inverses};
}

}  // namespace fastid::stats
