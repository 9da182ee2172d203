/// \file
/// The native engine's innermost step: blocks of 32 profiles against a group of 1 to 8 queries, counts in
/// registers.
///
///   query group:  word 0 of queries 0..Q-1 | (word 0 of their second words) | word 1 ...     Q = the group's
///   width block:        word 0 of profiles 0..31 | word 1 ... bits/blocks.hpp
///
/// Each vector of a block's word row meets Q broadcast query words. Counts start at what they are short of
/// their limits, below 0, so that one look at the signs of all is the test. They are stored only for blocks
/// with a profile that may pass.
///
/// The limit may let a pair through that fails its threshold, never the other way round: where the
/// denominator depends on the pair, the limit is that of the largest denominator that the query and the
/// profile allow. What comes through is rare, and Threshold::passes() decides. So no denominator is ever
/// counted in the loop.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/cpu/cpu_lookup.hpp"
#include "engine/kernel_case.hpp"

namespace fastid {

inline constexpr std::size_t kMaxGroup = 8;  ///< most queries that a kernel takes at once
inline constexpr std::array<std::size_t, 4> kGroupWidths = {1, 2, 4, 8};

/// Words of a query that counting takes; the second one may bear on the denominator alone.
constexpr std::size_t counted_words(KernelCase which) {
  return which == KernelCase::kInsideMasked ? 1 : query_words(which);
}

/// Blocks of a tile that follow one another. Planes and denominators are 128-byte aligned.
struct BlockRun {
  const Word* bits = nullptr;
  const Word* called = nullptr;                         ///< null where the case does not read it
  const std::uint32_t* profile_denominators = nullptr;  ///< 32 a block; where bounded_by_profile()
  std::size_t n_blocks = 0;
  std::size_t n_words = 0;  ///< of a profile
  /// Words after which the rest of a block is left out where no count is short of its limit; 0: no look.
  std::size_t look = 0;
  /// What is fetched into the cache while a block is compared, since the CPU alone would wait for memory in
  /// the first group's turn and leave it idle in the others': `fetch_words` of each plane, `fetch` words
  /// after the block's first.
  std::size_t fetch = 0, fetch_words = 0;

  /// All but the first `n` blocks.
  BlockRun after(std::size_t n) const {
    BlockRun rest = *this;
    rest.n_blocks -= n;
    rest.bits += n * n_words * kLanes;
    if (called != nullptr) rest.called += n * n_words * kLanes;
    if (profile_denominators != nullptr) rest.profile_denominators += n * kLanes;
    return rest;
  }
};

/// A group's thresholds as kernels test them. A pair of the group's query i may pass where count < limit(i)
/// and, where bounded_by_profile(), count <= ratio[i] * the profile's denominator. A limit of 0 lets none
/// pass.
struct GroupThresholds {
  std::array<std::int32_t, kMaxGroup> start{};  ///< -limit
  std::array<float, kMaxGroup> least{};         ///< start, rounded down where a float cannot hold it
  std::array<float, kMaxGroup> ratio{};         ///< rounded up

  std::uint32_t limit(std::size_t i) const { return static_cast<std::uint32_t>(-start[i]); }

  /// The limit where the profile weighs so much.
  std::uint32_t limit_for(std::size_t i, std::uint32_t denominator) const {
    return static_cast<std::uint32_t>(
        -static_cast<std::int32_t>(std::max(least[i], -(ratio[i] * static_cast<float>(denominator)) - 1)));
  }
};

/// What a kernel found.
struct BlockCounts {
  alignas(64) std::array<std::uint32_t, kMaxGroup * kLanes> count;  ///< [query][profile]
  std::uint32_t profiles = 0;                                       ///< bit i: profile i may pass
  std::size_t looks = 0, left_out = 0;  ///< added up: looks, and how often the rest was left out
};

/// Compares blocks with one group up to the first that has a profile which may pass for some query of the
/// group, and returns its place; n_blocks where there is none. counts.profiles are those of this block, and
/// their counts are stored at least.
using CountBlocks = std::size_t (*)(const BlockRun& blocks, const Word* query,
                                    const GroupThresholds& thresholds, BlockCounts& counts);

/// Bits set in each profile of `n_blocks` blocks of one plane: [block][profile]. Both 128-byte aligned.
using CountBits = void (*)(const Word* plane, std::size_t n_words, std::size_t n_blocks,
                           std::uint32_t* denominators);

/// All kernels of one instruction set: count_blocks[case][log2 of the group's width].
struct KernelTable {
  std::array<std::array<CountBlocks, kGroupWidths.size()>, kKernelCases> count_blocks{};
  CountBits count_bits = nullptr;
  /// Bits shared by blocks' `bits` and the words of one query.
  CountBlocks count_shared = nullptr;
  const LookupKernels* lookup = nullptr;  ///< null where there is none

  /// Whether the CPU counts the bits of a vector by one instruction. Those that do not look up in small
  /// tables.
  bool counts_bits() const { return lookup == nullptr || lookup->shape.sites == 6; }
};

/// The kernels of the best instruction set that this CPU has.
const KernelTable& best_kernels();
std::string best_kernel_target();

/// Instruction sets that the program was built with and that this CPU has, best first.
std::vector<std::string> kernel_targets();

/// The kernels of one of kernel_targets(); null for any other name. Not thread-safe: for tests and
/// measurements.
const KernelTable* kernels_of(const std::string& target);

}  // namespace fastid
