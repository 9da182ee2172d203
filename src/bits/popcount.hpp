/// \file
/// The number of bits that are set, without the call of a library that std::popcount is where plain x86-64
/// has no instruction for it. Loops that decide a command's time are compiled for each instruction set
/// instead (base/cpu_target.hpp).
#pragma once

#include <cstdint>

namespace fastid {

constexpr int bits_set(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;                                 // sums of 2 bits
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);  // of 4
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;                       // of 8
  return static_cast<int>(word * 0x0101010101010101 >> 56);
}

}  // namespace fastid
