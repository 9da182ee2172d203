/// \file
/// The results of the kernels of bench_micro.cl, computed on the host, as a device must compute them that
/// does all of the work.
#pragma once

#include <cstdint>

#include "tune/measure/micro.hpp"

namespace fastid::tune {

/// Operands whose values the kernel's compiler does not know.
inline constexpr std::uint32_t kMask = 0xFFFFDFFF, kFlip = 0x00002000;

/// The result of one work-item. \param words  in a value (MICRO_VEC)
std::uint32_t host_chains(const ChainRun& run, std::uint32_t words, std::uint32_t item, std::uint32_t salt);

/// The result of a work-item that begins at word `at`.
std::uint32_t host_local_reads(std::uint32_t at, std::uint32_t rounds, std::uint32_t mask);

/// The result of a work-item of matrix_rate(): of a warp, work-item 4 r + g has words g and g + 4 of rows r
/// and r + 8 and of column r, and the counts of both rows with columns 2 g and 2 g + 1.
std::uint32_t host_matrix_products(std::uint32_t rounds, std::uint32_t item, std::uint32_t salt);

/// The exclusive or of all words that fill() writes for `n` times four words.
std::uint32_t host_stream_sum(std::uint32_t n, std::uint32_t salt);

}  // namespace fastid::tune
