/// \file
/// What this CPU could do at best: loops of nothing but the instructions that a comparison cannot do without,
/// on operands that stay in registers. No kernel that compares word by word is faster; what looks
/// counts up (engine/cpu/cpu_lookup.hpp) can be.
///
///   one word of 32 profiles against one query:   combine (kernel_case.hpp) -> popcount -> add
///
/// Each loop runs independent chains of these on distinct registers, so that only the number of instructions
/// and of the CPU's units counts, not their latency. Which number of chains and which form is best differs
/// between CPUs, so there are several loops of each kind, and the bound is that of the fastest.
///
/// A trap: the xor of a register with itself costs nothing, so a loop of it shows a third too much.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/kernel_case.hpp"

namespace fastid {

/// Runs a loop so often and gives the number of bits that it has counted or compared. Uses no memory.
using BoundLoop = double (*)(std::uint64_t rounds);

/// Reads `n_words` words, a multiple of 1,024, 64-byte aligned, and gives something that depends on all.
using ReadLoop = Word (*)(const Word* words, std::size_t n_words);

/// The loops of one instruction set.
struct BoundLoops {
  std::vector<BoundLoop> popcount;                           ///< popcount alone
  std::array<std::vector<BoundLoop>, kKernelCases> compare;  ///< of each KernelCase
  ReadLoop read = nullptr;
};

/// Of the best instruction set that this CPU has.
const BoundLoops& bound_loops();

/// Of one of cpu_engine_targets(); null for any other name. Not thread-safe.
const BoundLoops* bound_loops_of(const std::string& target);

/// The instructions of a case as the loops run them: "xor, popcount, add".
std::string_view instructions_of(KernelCase which);

/// What a comparison of one word reads from memory, at least: 4 bytes of each plane.
constexpr std::size_t planes_read(KernelCase which) {
  return reads_called(which) ? 2 : 1;
}

}  // namespace fastid
