/// \file
/// What is done where a kernel finds more than a device's buffer holds.
#pragma once

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "engine/rectangle.hpp"

namespace fastid {

/// Calls find(pairs), which returns whether the buffer held all that was found; where it did not, the same of
/// both halves of the pairs. \throws DeviceError where it does not hold what one pair has; what `find` throws
template <class Find>
void find_in_halves(const Rectangle& pairs, const Find& find) {
  if (find(pairs)) return;
  if (pairs.pairs() < 2)
    throw DeviceError(fmt::format("the device found more combinations than there are; {}", kDistrust));
  const auto [lower, upper] = halves_of(pairs);
  find_in_halves(lower, find);
  find_in_halves(upper, find);
}

}  // namespace fastid
