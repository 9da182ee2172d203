/// \file
/// Vectors of bits with which a device is proved before it is used.
#pragma once

#include <cstdint>
#include <random>

#include "bits/blocks.hpp"

namespace fastid::opencl {

/// The same random bits each time, of vectors that end within a block, and of units that end within a word.
inline BitBlocks few_random_vectors() {
  constexpr std::uint32_t kVectors = 70, kUnits = 301;
  BitBlocks few({kVectors, kUnits}, BitBlocks::Start::kAllCalled);
  std::minstd_rand random(1);
  for (std::uint32_t vector = 0; vector < kVectors; ++vector)
    for (std::uint32_t unit = 0; unit < kUnits; ++unit) few.set(vector, unit, random() % 2 == 0);
  return few;
}

}  // namespace fastid::opencl
