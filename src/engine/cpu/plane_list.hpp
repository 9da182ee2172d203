/// \file
/// The planes that a case of a table multiplies.
#pragma once

#include <array>
#include <cstddef>

#include "engine/comparison.hpp"

namespace fastid {

/// Different planes of one side, each once.
struct PlaneList {
  std::array<Plane, 6> planes{};
  std::size_t n = 0;

  constexpr std::size_t place_of(Plane plane) const {
    for (std::size_t i = 0; i < n; ++i)
      if (planes[i] == plane) return i;
    return n;
  }
  constexpr void add(Plane plane) {
    if (place_of(plane) == n) planes[n++] = plane;
  }
};

}  // namespace fastid
