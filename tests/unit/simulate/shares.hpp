/// \file
/// How near a drawn share must come to its probability.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace fastid::testing {

/// Within five standard deviations of a share `p` of `n` draws.
inline void expect_share(std::size_t count, double p, std::size_t n) {
  const double mean = p * static_cast<double>(n), deviation = std::sqrt(mean * (1 - p)) + 1e-9;
  EXPECT_NEAR(static_cast<double>(count), mean, 5 * deviation + 0.5) << p;
}

}  // namespace fastid::testing
