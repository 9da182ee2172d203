/// \file
/// Repeats runs until their median is steady.
#pragma once

#include <cstddef>
#include <functional>

namespace fastid::tune {

/// The median of some runs, and the width of their middle half as a share of it. `runs` is 0 where too few
/// runs have a plausible time.
struct Timing {
  double seconds = 0, spread = 0;
  std::size_t runs = 0;
};

struct Repeats {
  double steady = 0.01;  ///< the spread at which the median of at least five runs is accepted
  std::size_t most = 25;
};

/// `run` returns seconds, or any other number that should be steady; numbers that are not above zero are left
/// out. The first run loads pages and raises clocks, and does not count. \throws Interrupted
Timing steady_median(const Repeats& repeats, const std::function<double()>& run);

}  // namespace fastid::tune
