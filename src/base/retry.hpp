/// \file
/// System calls that a signal may interrupt.
#pragma once

#include <cerrno>

#include "base/process.hpp"

namespace fastid {

/// Repeats `call` until no signal interrupts it, and returns its result. Returns -1 with EINTR where it is
/// interrupted without end (by a broken file system, since no signal came). \throws Interrupted where a
/// signal asks the program to stop.
template <class Call>
auto unbroken(const Call& call) {
  constexpr int kMostTries = 1000;
  auto result = call();
  for (int tries = 1; result < 0 && errno == EINTR && tries < kMostTries; ++tries) {
    check_interrupt();
    result = call();
  }
  return result;
}

}  // namespace fastid
