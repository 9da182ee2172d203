/// \file
/// The native engine's step for many queries: counts looked up for several sites at once, in place of a
/// logic operation, a population count and an addition for each vector of words.
///
/// A vector holds one byte of index a profile: the stored bits of a group of sites (6 where the CPU looks up
/// in 64 entries, else 4). A pair of queries has a table for each group: what the group's sites add to the
/// count, for every value of the index, in the low nibble for the first query and in the high one for the
/// second. So one lookup and one addition count 6 sites of 64 profiles for 2 queries:
///
///   index    [group][vector][profile]     one byte each: the profile's bits at the group's sites
///   tables   [group][pair of queries][value of the index]
///   sums     [vector][pair][first even, first odd, second even, second odd profiles]   16 bits each
///
/// What a comparison counts, and its masks of the query's side, are in the tables and cost nothing. A mask of
/// the stored side makes two runs of groups, one of bits and one of sites called without a minor allele.
///
/// Sums may be too small and are never too large. A nibble must hold what a step's lookups add up to: of 6
/// sites, three tables that count 5 at most; of 4 sites, four that count all (3 at most in every fourth group
/// for the first query, whose nibble must not run over into its neighbour; what runs over from the second
/// one's is lost). Bytes gather the steps of a span and may wrap where nearly all of its sites count. So
/// strangers' sums lose next to nothing, and so little passes by mistake that counting it again, by the
/// definition, costs nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bits/blocks.hpp"

namespace fastid {

inline constexpr std::size_t kLineWords = 64 / sizeof(Word);  ///< of a cache line
inline constexpr std::size_t kGroupWords = 3;                 ///< words whose sites make whole groups
inline constexpr std::size_t kSpanWords = 12;           ///< words of a span, whose strangers' sums fit a byte
inline constexpr std::size_t kMaxSet = 4;               ///< most queries that are counted together
inline constexpr std::size_t kMaxLookupProfiles = 256;  ///< most profiles that are counted together

/// What an instruction set makes of it.
struct LookupShape {
  std::size_t sites = 0;        ///< of a group: an index has so many bits, a table 2^sites entries
  std::size_t step = 0;         ///< groups whose lookups are added before the nibbles are taken apart
  std::size_t lanes = 0;        ///< profiles of a vector
  std::size_t vectors = 0;      ///< counted together
  std::size_t pairs_a_set = 0;  ///< pairs of queries counted together

  std::size_t profiles() const { return lanes * vectors; }
  std::size_t queries() const { return 2 * pairs_a_set; }
  std::size_t table_bytes() const { return std::size_t{1} << sites; }
  std::size_t sums() const { return profiles() * queries(); }
  /// Groups of a plane of `n_words` words. A word's bytes give 4 groups of 6 sites, or 8 of 4; the 2 sites
  /// left of each byte are gathered from 3 words into 4 groups more.
  std::size_t groups(std::size_t n_words) const {
    return sites == 4 ? n_words * 8 : n_words * 4 + ceil_div<std::size_t>(n_words, kGroupWords) * 4;
  }
  /// Steps of `n_planes` planes of so many words. A span's last one may lack groups.
  std::size_t steps(std::size_t n_planes, std::size_t n_words) const {
    const auto of_span = [&](std::size_t n) { return ceil_div(n_planes * groups(n), step); };
    return n_words / kSpanWords * of_span(kSpanWords) + of_span(n_words % kSpanWords);
  }
};

/// How a set's queries are tested: a pair passes where sum < limit and, if weighed, where
/// sum < share * denominator / 65,536 + more. A limit of 0 lets none pass.
struct SetLimits {
  std::array<std::uint16_t, kMaxSet> limit{};
  std::array<std::uint16_t, kMaxSet> share{}, more{};
};

/// What is fetched into L2 while steps are added: so many cache lines of each plane, some at every step. All
/// at once they would hold up the tables on their way to L1.
struct LookupFetch {
  const Word* bits = nullptr;
  const Word* called = nullptr;  ///< null where that plane is not read
  std::size_t lines = 0;

  /// The first `n` lines, which are then no longer among these.
  LookupFetch take(std::size_t n) {
    LookupFetch taken = *this;
    taken.lines = std::min(n, lines);
    lines -= taken.lines;
    bits += taken.lines * kLineWords;
    if (called != nullptr) called += taken.lines * kLineWords;
    return taken;
  }
};

/// Which pair may pass: the profile's and the query's places, among those that are counted together or, of
/// LookupPass::find(), in the tile and the problem.
struct PairPlace {
  std::uint32_t profile = 0;
  std::uint32_t query = 0;
};

/// The kernels of one instruction set. All pointers are 64-byte aligned.
struct LookupKernels {
  LookupShape shape;

  /// Writes a span of the index of shape.profiles() profiles: rows of profiles() bytes, `stride` bytes apart,
  /// groups(n) of them.
  ///
  /// \param bits    the first word of the span, of the first block; blocks are `block_words` apart
  /// \param called  null, or the same of the called plane: the index is then of the sites that are called and
  ///                have no minor allele, else of bits
  /// \param n       words of the span. All but a plane's last span have a multiple of kGroupWords.
  void (*pack)(const Word* bits, const Word* called, std::size_t block_words, std::size_t n,
               std::uint8_t* index, std::size_t stride) = nullptr;

  /// Adds `steps` of shape.step groups, of kSpanWords words at most, to the sums, or begins them. With
  /// `limits`, tests them too: false where no pair passes, and then the sums are worth nothing. \param
  /// denominators  as arranged; null: only limits count
  bool (*add)(const std::uint8_t* index, const std::uint8_t* tables, std::size_t steps, bool begin,
              const SetLimits* limits, const std::uint16_t* denominators, std::uint16_t* sums,
              const LookupFetch& fetch) = nullptr;

  /// What the profiles weigh, 16 bits each, in the order in which add() reads it.
  void (*arrange_denominators)(const std::uint32_t* denominators, std::uint16_t* arranged) = nullptr;

  /// Writes the pairs that pass, at most shape.sums() of them, and returns their number.
  std::size_t (*list)(const std::uint16_t* sums, const SetLimits& limits, const std::uint16_t* denominators,
                      PairPlace* hits) = nullptr;
};

}  // namespace fastid
