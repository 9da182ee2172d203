/// \file
/// Vectors of bits with which a device is proved before it is used.
#pragma once

#include <cstdint>
#include <random>

#include "bits/blocks.hpp"

namespace fastid {

/// The same random bits each time, of units that end within a word.
inline BitBlocks few_random_vectors(std::uint32_t n) {
  constexpr std::uint32_t kUnits = 301;
  BitBlocks few({n, kUnits}, BitBlocks::Start::kAllCalled);
  std::minstd_rand random(1);
  for (std::uint32_t vector = 0; vector < n; ++vector)
    for (std::uint32_t unit = 0; unit < kUnits; ++unit) few.set(vector, unit, random() % 2 == 0);
  return few;
}

}  // namespace fastid
