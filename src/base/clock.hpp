/// \file
/// Wall-clock time of day for records, and a stopwatch for -v.
#pragma once

#include <chrono>
#include <string>

namespace fastid {

/// "2026-11-20T16:05:09Z". SOURCE_DATE_EPOCH (seconds) replaces the clock where it is set, so that a build of
/// the same inputs can be repeated to the byte.
std::string utc_now();

/// The time as utc_now() prints it, but always from the clock, for records of when something was done.
std::string utc_clock();

/// Measures the seconds since its construction.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace fastid
