/// \file
/// Runs repeated until their median is steady.
#pragma once

#include <cstddef>
#include <functional>

namespace fastid::tune {

/// The median of some runs, and how far the middle half lies apart as a share of it. No seconds: too few runs
/// took a time that can be believed.
struct Timing {
  double seconds = 0, spread = 0;
  std::size_t runs = 0;
};

struct Repeats {
  double steady = 0.01;  ///< the spread at which a median of at least five is believed
  std::size_t most = 25;
};

/// `run` gives seconds, or any other number that is to be steady; what is not above zero is left out. The
/// first run brings pages and clocks up, and does not count. \throws Interrupted
Timing steady_median(const Repeats& repeats, const std::function<double()>& run);

}  // namespace fastid::tune
