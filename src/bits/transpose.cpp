// Transposes a 32 x 32 bit matrix with vectors of four words: swaps squares of side 16, 8 and 4 between
// vectors, transposes groups of four vectors by words, swaps squares of side 2 and 1, and transposes the
// groups back.
#include <cstring>

#include "bits/turn_words.hpp"

namespace fastid {
namespace {

constexpr int kVectors = 8;
using Vector = FourWords;

/// Swaps the upper right and the lower left squares of side `kSide`, whose rows are in `upper` and `lower`.
template <int kSide>
inline void swap_squares(Vector& upper, Vector& lower, Word mask) {
  const Vector differ = (upper >> kSide ^ lower) & mask;
  lower ^= differ;
  upper ^= differ << kSide;
}

/// Swaps the squares of side 8 and less in sixteen words.
inline void finish_half(Vector* v) {
  swap_squares<8>(v[0], v[2], 0x00FF00FF);
  swap_squares<8>(v[1], v[3], 0x00FF00FF);
  swap_squares<4>(v[0], v[1], 0x0F0F0F0F);
  swap_squares<4>(v[2], v[3], 0x0F0F0F0F);
  turn_words(v);
  swap_squares<2>(v[0], v[2], 0x33333333);
  swap_squares<2>(v[1], v[3], 0x33333333);
  swap_squares<1>(v[0], v[1], 0x55555555);
  swap_squares<1>(v[2], v[3], 0x55555555);
  turn_words(v);
}

}  // namespace

void transpose32(Word* words) {
  Vector v[kVectors];
  std::memcpy(v, words, sizeof v);
  // Unrolled by hand: the compiler keeps vectors in registers only where every index is a constant.
  swap_squares<16>(v[0], v[4], 0x0000FFFF);
  swap_squares<16>(v[1], v[5], 0x0000FFFF);
  swap_squares<16>(v[2], v[6], 0x0000FFFF);
  swap_squares<16>(v[3], v[7], 0x0000FFFF);
  finish_half(v);
  finish_half(v + 4);
  std::memcpy(words, v, sizeof v);
}

}  // namespace fastid
