/// \file
/// What was seen at two neighbouring sites as a number of four bits, by which tables are read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bits/blocks.hpp"

namespace fastid::engine {

inline constexpr std::size_t kPairCodes = 16;  ///< what can be seen at two sites
inline constexpr std::size_t kByteCodes = 4;   ///< of the eight sites of a byte

/// The codes of each two sites of a word: in the high bits the minor alleles of two sites, in the low bits
/// the major ones.
struct CodedWord {
  static constexpr Word kFirstPairs = 0x33333333;  ///< of each four sites

  Word first, second;  ///< of the first two of each four sites, and of the other two

  constexpr CodedWord(Word minor, Word major)
      : first((minor & kFirstPairs) << 2 | (major & kFirstPairs)),
        second((minor & ~kFirstPairs) | (major & ~kFirstPairs) >> 2) {}

  /// Of the eight sites of a byte.
  std::array<std::uint8_t, kByteCodes> codes(std::uint32_t byte) const {
    const Word a = first >> 8 * byte, b = second >> 8 * byte;
    return {static_cast<std::uint8_t>(a & 15), static_cast<std::uint8_t>(b & 15),
            static_cast<std::uint8_t>(a >> 4 & 15), static_cast<std::uint8_t>(b >> 4 & 15)};
  }
};

}  // namespace fastid::engine
