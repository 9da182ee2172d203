/// \file
/// The CPU engine's innermost step: it compares blocks of 32 profiles with a group of 1 to 8 queries and
/// keeps the counts in registers.
///
///     query group:  word 0 of queries 0..Q-1 | (word 0 of their second words) | word 1 ...
///     block:        word 0 of profiles 0..31 | word 1 ...
///
/// Q is the group's width; bits/blocks.hpp has the picture of a block.
///
/// Each vector of a block's word row is combined with Q broadcast query words. A count starts at minus its
/// limit and grows, so one test of the signs of all counts says whether any is still below its limit. Counts
/// are stored only for blocks with a profile that may pass.
///
/// The limit may let through a pair that fails its threshold, but never stops one that passes: where the
/// denominator depends on the pair, the limit is that of the largest denominator that the query and the
/// profile allow. Few pairs come through, and Threshold::passes() decides on them. So the loop never counts
/// a denominator.
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

namespace fastid::engine {

inline constexpr std::size_t kMaxGroup = 8;  ///< most queries that a kernel takes at once
inline constexpr std::array<std::size_t, 4> kGroupWidths = {1, 2, 4, 8};

/// The different planes of one side that a case of the table multiplies.
constexpr PlaneList planes_of(KernelCase which, bool of_query) {
  PlaneList list;
  const Terms terms = terms_in_few_words(which);
  for (const Term& term : terms.counted())
    for (const Product& product : term.all()) list.add(of_query ? product.query : product.stored);
  return list;
}

/// How many words of a query counting takes: one where the second affects only the denominator.
constexpr std::size_t counted_words(KernelCase which) {
  if (counts_both_alleles(which)) return planes_of(which, true).n;
  return which == KernelCase::kInsideMasked ? 1 : query_words(which);
}

/// Consecutive blocks of a tile. Planes and denominators are 128-byte aligned.
struct BlockRun {
  const Word* bits = nullptr;
  const Word* second = nullptr;                         ///< plane; null where it is not read
  const std::uint32_t* profile_denominators = nullptr;  ///< 32 for each block; if bounded_by_profile()
  std::size_t n_blocks = 0;
  std::size_t n_words = 0;    ///< of a profile
  std::size_t n_counted = 0;  ///< of them, the first ones: no query has a site in the others
  /// After this many words the kernel checks whether any count is still below its limit, and leaves out the
  /// rest of the block if none is; 0: it does not check.
  std::size_t words_before_check = 0;
  /// While a block is compared, `fetch_words` words of each plane, from `fetch` words after the block's first
  /// one, are fetched into the cache. Otherwise the CPU would wait for memory while it compares the first
  /// group, and memory would be idle while it compares the others.
  std::size_t fetch = 0, fetch_words = 0;

  /// All but the first `n` blocks.
  BlockRun after(std::size_t n) const {
    BlockRun rest = *this;
    rest.n_blocks -= n;
    rest.bits += n * n_words * kLanes;
    if (second != nullptr) rest.second += n * n_words * kLanes;
    if (profile_denominators != nullptr) rest.profile_denominators += n * kLanes;
    return rest;
  }
};

/// A group's thresholds as kernels test them. A pair of the group's query i may pass if count < limit(i) and,
/// where bounded_by_profile(), count < ratio[i] * the profile's denominator - beyond[i]. A limit of 0 lets no
/// pair pass.
struct GroupThresholds {
  std::array<std::int32_t, kMaxGroup> start{};  ///< -limit
  std::array<float, kMaxGroup> least{};         ///< start, rounded down where a float cannot hold it
  std::array<float, kMaxGroup> ratio{};         ///< rounded up
  std::array<float, kMaxGroup> beyond{};        ///< -(Threshold::offset / den + 1), rounded down

  std::uint32_t limit(std::size_t i) const { return static_cast<std::uint32_t>(-start[i]); }

  /// The limit for a profile with this denominator.
  std::uint32_t limit_for(std::size_t i, std::uint32_t denominator) const {
    const float from =
        std::max(least[i], beyond[i] - ratio[i] * static_cast<float>(std::max(denominator, 1u)));
    return static_cast<std::uint32_t>(-static_cast<std::int32_t>(std::min(from, 0.0F)));
  }
};

/// What a kernel found.
struct BlockCounts {
  alignas(64) std::array<std::uint32_t, kMaxGroup * kLanes> count{};  ///< [query][profile]
  std::uint32_t profiles = 0;                                         ///< bit i: profile i may pass
  std::size_t checks = 0, left_out = 0;  ///< summed: checks, and how many of them left out the rest
};

/// Compares blocks with one group until a block has a profile that may pass for some query of the group, and
/// returns that block's place, or n_blocks if there is none. counts.profiles then holds the block's profiles
/// that may pass; counts.count holds at least their counts.
using CountBlocks = std::size_t (*)(const BlockRun& blocks, const Word* query,
                                    const GroupThresholds& thresholds, BlockCounts& counts);

/// Counts the own bits of each profile of `n_blocks` blocks, as [block][profile]: those of `plane`, those
/// that are in either plane, or the bound of the terms' denominator. The pointers are 128-byte aligned.
using CountBits = void (*)(const Word* plane, const Word* other, std::size_t n_words, std::size_t n_blocks,
                           std::uint32_t* denominators);

/// All kernels of one instruction set: count_blocks[encoding][case][log2 of the group's width].
struct KernelTable {
  using OfCases = std::array<std::array<CountBlocks, kGroupWidths.size()>, kKernelCases>;
  std::array<OfCases, 2> count_blocks{};
  CountBits count_bits = nullptr, count_bits_of_either = nullptr;
  std::array<CountBits, kKernelCases> count_bound{};  ///< of the cases of the table
  /// Count the bits that profiles have in common with the words of one query: those of `bits`, or those that
  /// are in either plane.
  CountBlocks count_shared = nullptr, count_shared_called = nullptr;
  /// In steps of two groups, and of four; null where there are none.
  std::array<const LookupKernels*, 2> lookup{};

  /// Of lookups that count a case; null where there are none.
  const LookupKernels* lookup_of(KernelCase which) const {
    return lookup[most_of_a_site(which) <= 2 ? 1 : 0];
  }
  /// Whether the CPU counts the bits of a vector at once; lookups are for those that do not.
  bool has_vector_popcount() const { return lookup.front() == nullptr; }
};

/// Counts the own bits of the profiles of n_blocks blocks, from block `first` on: their called sites where
/// the case reads these, else their bits; for a case of the table the largest denominator that the profile's
/// planes allow.
void count_own_bits(const KernelTable& kernels, KernelCase which, const BlocksView& blocks, std::size_t first,
                    std::size_t n_blocks, std::uint32_t* denominators);

/// The kernels of the best instruction set that this CPU has.
const KernelTable& best_kernels();
std::string best_kernel_target();

/// Instruction sets that the program was built with and that this CPU has, best first.
std::vector<std::string> kernel_targets();

/// The kernels of one of kernel_targets(); null for any other name. Not thread-safe: for tests and
/// measurements.
const KernelTable* kernels_of(const std::string& target);

}  // namespace fastid::engine
