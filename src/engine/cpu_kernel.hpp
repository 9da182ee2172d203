/// \file
/// The native engine's innermost step: one block of 32 profiles against a group of 1 to 8 queries, counts in
/// registers.
///
///   query group:  word 0 of queries 0..Q-1 | (word 0 of their second words) | word 1 ...     Q = the group's
///   width block:        word 0 of profiles 0..31 | word 1 ... bits/blocks.hpp
///
/// Each vector of a block's word row meets Q broadcast query words. In the end each count is taken from its
/// limit, and one look at the signs of all is the test. Counts are stored only for blocks with a profile that
/// may pass.
///
/// The limit may let a pair through that fails its bar, never the other way round: where the weight depends
/// on the pair, the limit is that of the largest weight that the query and the profile allow. What comes
/// through is rare, and Bar::passes() decides. So no weight is ever counted in the loop.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/cpu_lookup.hpp"
#include "engine/kernel_case.hpp"

namespace fastid {

inline constexpr std::size_t kMaxGroup = 8;  ///< most queries that a kernel takes at once
inline constexpr std::array<std::size_t, 4> kGroupWidths = {1, 2, 4, 8};

/// Words of a query that counting takes; the second one may bear on the weight alone.
constexpr std::size_t counted_words(KernelCase which) {
  return which == KernelCase::kInsideMasked ? 1 : query_words(which);
}

/// One block, 128-byte aligned; `profile_weights` (32 of them, aligned too) where bounded_by_profile().
struct BlockInput {
  const Word* bits = nullptr;
  const Word* called = nullptr;
  const std::uint32_t* profile_weights = nullptr;
  std::size_t n_words = 0;
};

/// A group's bars as kernels test them. A pair of the group's query i may pass where count < limit[i] and,
/// where bounded_by_profile(), count <= ratio[i] * the profile's weight. A limit of 0 lets none pass.
struct GroupBars {
  std::array<std::int32_t, kMaxGroup> limit{};
  std::array<float, kMaxGroup> most{};   ///< limit - 1, rounded up where a float cannot hold it
  std::array<float, kMaxGroup> ratio{};  ///< rounded up

  /// The limit where the profile weighs so much.
  std::uint32_t limit_for(std::size_t i, std::uint32_t weight) const {
    return static_cast<std::uint32_t>(
        static_cast<std::int32_t>(std::min(most[i], ratio[i] * static_cast<float>(weight))) + 1);
  }
};

/// Counts of a group: [query][profile].
struct BlockCounts {
  alignas(64) std::array<std::uint32_t, kMaxGroup * kLanes> count;
};

/// Compares one block with one group. Returns the profiles (bit i: profile i of the block) that may pass for
/// some query of the group; counts are stored for these at least.
using CountBlock = std::uint32_t (*)(const BlockInput& block, const Word* query, const GroupBars& bars,
                                     BlockCounts& counts);

/// Bits set in each profile of `n_blocks` blocks of one plane: [block][profile]. Both 128-byte aligned.
using CountBits = void (*)(const Word* plane, std::size_t n_words, std::size_t n_blocks,
                           std::uint32_t* weights);

/// All kernels of one instruction set: count_block[case][log2 of the group's width].
struct KernelTable {
  std::array<std::array<CountBlock, kGroupWidths.size()>, kKernelCases> count_block{};
  CountBits count_bits = nullptr;
  /// Bits shared by a block's `bits` and the words of one query.
  CountBlock count_shared = nullptr;
  const LookupKernels* lookup = nullptr;  ///< null where there is none
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
