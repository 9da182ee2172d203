/// \file
/// The native engine's innermost step: one block of 32 profiles against a group of 1 to 8 queries, counts in
/// registers.
///
///   query group:  word 0 of queries 0..Q-1 | (word 0 of their second words) | word 1 ...     Q = the group's
///   width block:        word 0 of profiles 0..31 | word 1 ... bits/blocks.hpp
///
/// Each vector of a block's word row meets Q broadcast query words. Counts are tested where they are, in
/// registers; they are stored only for blocks with a profile that may pass. The test may let a pair through
/// that fails its bar, never the other way round: Bar::passes() decides.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// What a comparison with its masks boils down to. d, c: a stored profile's bits and called sites; q, m: the
/// query's first and second word. Bits are 0 where called is 0, so that most masks need no instruction of
/// their own.
///
///                       counted          weight       q             m     comparison
///   kDiffer             d ^ q            |called|     bits          -     identity, nothing masked
///   kDifferQueryMask    (d & m) ^ q      |called|     bits          called identity, no called plane
///   kDifferStoredMask   (q & c) ^ d      |c|          bits          -     identity, queries all called
///   kDifferBothMasks    (d ^ q) & m & c  |m & c|      bits          called identity
///   kInside             d & q            |d|          called & ~bits -    mixture, queries all called
///   kInsideMasked       d & q            |d & m|      called & ~bits called mixture
///   kMissing            q & ~d           |q|          bits          -     reverse mixture, no called plane
///   kMissingMasked      q & (c ^ d)      |q & c|      bits          -     reverse mixture
enum class KernelCase {
  kDiffer,
  kDifferQueryMask,
  kDifferStoredMask,
  kDifferBothMasks,
  kInside,
  kInsideMasked,
  kMissing,
  kMissingMasked
};
inline constexpr std::size_t kKernelCases = 8;

/// What a case's weight depends on: the query alone, the stored profile alone, or both.
enum class WeightOf { kQuery, kProfile, kPair };

constexpr WeightOf weight_source(KernelCase which) {
  switch (which) {
    case KernelCase::kDiffer:
    case KernelCase::kDifferQueryMask:
    case KernelCase::kMissing:
      return WeightOf::kQuery;
    case KernelCase::kDifferStoredMask:
    case KernelCase::kInside:
      return WeightOf::kProfile;
    default:
      return WeightOf::kPair;
  }
}

/// Words of a query that the case needs: q, or q and m.
constexpr std::size_t query_words(KernelCase which) {
  return which == KernelCase::kDifferQueryMask || which == KernelCase::kDifferBothMasks ||
                 which == KernelCase::kInsideMasked
             ? 2
             : 1;
}

constexpr bool reads_called(KernelCase which) {
  return which == KernelCase::kDifferStoredMask || which == KernelCase::kDifferBothMasks ||
         which == KernelCase::kMissingMasked;
}

inline constexpr std::size_t kMaxGroup = 8;  ///< most queries that a kernel takes at once
inline constexpr std::array<std::size_t, 4> kGroupWidths = {1, 2, 4, 8};

/// Queries a group holds at most: counts and weights of a group must stay in registers together.
constexpr std::size_t max_group(KernelCase which) {
  return weight_source(which) == WeightOf::kPair ? kMaxGroup / 2 : kMaxGroup;
}

/// One block, 128-byte aligned; `profile_weights` (32 of them, aligned too) only where weight_source() is
/// kProfile.
struct BlockInput {
  const Word* bits = nullptr;
  const Word* called = nullptr;
  const std::uint32_t* profile_weights = nullptr;
  std::size_t n_words = 0;
};

/// A group's bars in the form that a register test takes. A pair may pass where count < limit and, unless the
/// weight is the query's (whose limit says it all), count <= ratio * weight in single precision. A limit of 0
/// lets none pass.
struct GroupBars {
  static constexpr float kOpenRatio = 1e20f;  ///< large, but finite: 0 times it is 0

  std::array<std::uint32_t, kMaxGroup> limit{};
  std::array<float, kMaxGroup> ratio{};

  std::uint32_t largest_limit() const { return *std::max_element(limit.begin(), limit.end()); }

  /// The limits without the ratios: what can be asked of counts and weights of some of the words.
  GroupBars limits_alone() const {
    GroupBars made{limit, {}};
    made.ratio.fill(kOpenRatio);
    return made;
  }
};

/// Counts of a group: [query][profile]. Weights only where weight_source() is kPair.
struct BlockCounts {
  alignas(64) std::array<std::uint32_t, kMaxGroup * kLanes> count;
  alignas(64) std::array<std::uint32_t, kMaxGroup * kLanes> weight;
};

/// Compares one block with one group. Returns the profiles (bit i: profile i of the block) that may pass the
/// bar of some query of the group; counts are stored for these at least.
using CountBlock = std::uint32_t (*)(const BlockInput& block, const Word* query, const GroupBars& bars,
                                     BlockCounts& counts);

/// Bits set in each profile of `n_blocks` blocks of one plane: [block][profile]. Both 128-byte aligned.
using CountBits = void (*)(const Word* plane, std::size_t n_words, std::size_t n_blocks,
                           std::uint32_t* weights);

/// All kernels of one instruction set: count_block[case][log2 of the group's width].
struct KernelTable {
  std::array<std::array<CountBlock, kGroupWidths.size()>, kKernelCases> count_block{};
  CountBits count_bits = nullptr;
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
