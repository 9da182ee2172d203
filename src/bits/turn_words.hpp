/// \file
/// The step of transposing bits that moves whole words.
#pragma once

#include "bits/blocks.hpp"

namespace fastid {

using FourWords = Word __attribute__((vector_size(4 * sizeof(Word))));

/// Transposes four rows of four words: word j of row i becomes word i of row j.
inline void turn_words(FourWords* rows) {
  const FourWords low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const FourWords high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const FourWords low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const FourWords high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

}  // namespace fastid
