/// \file
/// The best rate that this CPU could reach: loops of only the instructions that a comparison needs, on
/// operands that stay in registers. No kernel that compares word by word is faster; a kernel that looks up
/// counts (engine/cpu/cpu_lookup.hpp) can be.
///
///   one word of 32 profiles against one query:   combine (kernel_case.hpp) -> popcount -> add
///
/// Each loop runs independent chains of these on distinct registers, so that only the number of instructions
/// and of the CPU's units matters, not the latency. The best number of chains and the best form differ
/// between CPUs, so there are several loops of each kind, and the bound is the rate of the fastest.
///
/// Operands must differ: the xor of a register with itself costs nothing, so a loop with such an xor would
/// show a rate that is a third too high.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/kernel_case.hpp"

namespace fastid::bench {

/// Runs a loop for `rounds` rounds and returns its units: bits counted or compared, cells computed, or minima
/// added. Uses no memory.
using BoundLoop = double (*)(std::uint64_t rounds);

/// Reads `n_words` words, a multiple of 1,024, 64-byte aligned, and returns a value that depends on all of
/// them.
using ReadLoop = Word (*)(const Word* words, std::size_t n_words);

/// The loops of one instruction set.
struct BoundLoops {
  std::vector<BoundLoop> popcount;                                   ///< popcount alone
  std::array<std::vector<BoundLoop>, engine::kKernelCases> compare;  ///< of each KernelCase
  std::vector<BoundLoop> cells;  ///< cells of the pair-HMM's table in float (hmm/cpu/forward.hpp)
  std::vector<BoundLoop> minima_float, minima_double;  ///< min, add (engine/cpu/min_plus.hpp)
  ReadLoop read = nullptr;
};

/// The loops of the best instruction set of this CPU.
const BoundLoops& bound_loops();

/// The loops of one of cpu_engine_targets(); null for any other name. Not thread-safe.
const BoundLoops* bound_loops_of(const std::string& target);

/// The instructions that the loops of a case run: "xor, popcount, add".
std::string_view instructions_of(engine::KernelCase which);

/// The number of planes that a comparison reads; each takes at least 4 bytes for a word.
constexpr std::size_t planes_read(engine::KernelCase which) {
  return engine::reads_second(which) ? 2 : 1;
}

}  // namespace fastid::bench
