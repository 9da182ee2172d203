/// \file
/// Calls of the system that a signal may break off.
#pragma once

#include <cerrno>

#include "base/threads.hpp"

namespace fastid {

/// What `call` gives once no signal breaks it off; where that does not end (a broken file system, for no
/// signal came), -1 with EINTR. \throws Interrupted where the signal asks the program to stop.
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
