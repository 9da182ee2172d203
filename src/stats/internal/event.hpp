/// \file
/// One of the independent events whose count is a number of mismatches, or of alleles that a mixture lacks.
#pragma once

#include <cstdint>

namespace fastid::stats {

/// One event: P(it happens), P(it does not), P(it counts twice). All are given, since 1 - yes loses the
/// digits of a small `no`.
struct Event {
  double yes = 0, no = 1, twice = 0;

  double mean() const { return yes + 2 * twice; }
  double variance() const { return yes * no + twice * (4 * no + yes); }
  /// The highest count.
  std::uint32_t most() const { return twice > 0 ? 2 : 1; }
};

/// Whether both a count of 0 and a count above 0 are possible.
inline bool is_open(const Event& event) {
  return event.no > 0 && event.yes + event.twice > 0;
}

}  // namespace fastid::stats
