/// \file
/// Counts the bits that are set, with the instructions that the machine has.
#pragma once

#include <cstdint>
#include <span>

namespace fastid::imports {

std::uint64_t count_bits(std::span<const std::uint64_t> words);
/// Bits that are set in both; the two must have the same size.
std::uint64_t count_common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace fastid::imports
