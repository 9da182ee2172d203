/// \file
/// What the kernels of bench_micro.cl compute, on the host: what a device that really does the work writes.
#pragma once

#include <cstdint>

#include "tune/measure/micro.hpp"

namespace fastid::tune {

/// Operands that the kernel's compiler does not know.
inline constexpr std::uint32_t kMask = 0xFFFFDFFF, kFlip = 0x00002000;

/// The result of one work-item. \param words  of a value (MICRO_VEC)
std::uint32_t host_chains(const ChainRun& run, std::uint32_t words, std::uint32_t item, std::uint32_t salt);

/// Of a work-item that begins at word `at`.
std::uint32_t host_local_reads(std::uint32_t at, std::uint32_t rounds, std::uint32_t mask);

/// All words that fill() makes of `n` times four, exclusively ored.
std::uint32_t host_stream_sum(std::uint32_t n, std::uint32_t salt);

}  // namespace fastid::tune
