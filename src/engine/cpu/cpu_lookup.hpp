/// \file
/// The native engine's step for many queries where no instruction counts the bits of a vector. Counts of
/// several sites at once are looked up in tables, instead of a logic operation, a population count and an
/// addition for each vector of words.
///
/// A vector holds one byte of index for each profile: the stored bits of a group of 4 sites. Two queries
/// share a table for each group. For every value of the index the table holds what the group's sites add to
/// the count: in the low nibble for the first query, in the high nibble for the second. So one lookup and one
/// addition count 4 sites of 32 profiles for 2 queries:
///
///   index    [group][vector][profile]     one byte each: the profile's bits at the group's sites
///   tables   [group][pair of queries][value of the index]
///   sums     [vector][pair][first even, first odd, second even, second odd profiles]   16 bits each
///
/// The tables contain what a comparison counts and the query's mask, so these cost no time. A mask of the
/// stored profiles needs two sequences of groups: one for their bits, one for the sites that they have called
/// without a minor allele.
///
/// Sums may be too small but are never too large. A nibble must hold the sum of a step's lookups. A
/// step adds four, which count all sites, except that every fourth one counts at most 3 for the first query,
/// whose nibble must not overflow into the second query's; an overflow of the second query's nibble is lost.
/// A byte sums the steps of a span and may wrap where nearly all sites of the span count. So the sums of
/// unrelated people lose almost nothing, and so few pairs pass by mistake that counting them again, by the
/// definition, takes almost no time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bits/blocks.hpp"

namespace fastid::engine {

inline constexpr std::size_t kLineWords = 64 / sizeof(Word);  ///< words of a cache line
inline constexpr std::size_t kGroupSites = 4;                 ///< the bits of an index
inline constexpr std::size_t kTableBytes = 16;                ///< a table's entries
inline constexpr std::size_t kWordGroups = kWordBits / kGroupSites;
inline constexpr std::size_t kSpanWords = 12;  ///< words of a span: sums of unrelated people fit a byte
inline constexpr std::size_t kMaxSet = 4;      ///< most queries that are counted together
inline constexpr std::size_t kMaxLookupProfiles = 256;  ///< most profiles that are counted together

/// How an instruction set does it.
struct LookupShape {
  std::size_t step = 0;         ///< groups whose lookups are added before the nibbles are separated
  std::size_t elements = 0;     ///< of a vector, a profile in each
  std::size_t vectors = 0;      ///< vectors counted together
  std::size_t pairs_a_set = 0;  ///< pairs of queries counted together

  std::size_t profiles() const { return elements * vectors; }
  std::size_t queries() const { return 2 * pairs_a_set; }
  std::size_t sums() const { return profiles() * queries(); }
  /// Steps of `n_planes` planes of `n_words` words. A span's last step may have fewer groups.
  std::size_t steps(std::size_t n_planes, std::size_t n_words) const {
    const auto of_span = [&](std::size_t n) { return ceil_div(n_planes * n * kWordGroups, step); };
    return n_words / kSpanWords * of_span(kSpanWords) + of_span(n_words % kSpanWords);
  }
};

/// How a set's queries are tested: a pair passes if sum < limit and, where profiles' denominators are given,
/// if sum < fraction * denominator / 65,536 + more - less. A limit of 0 lets no pair pass.
struct SetLimits {
  std::array<std::uint16_t, kMaxSet> limit{};
  std::array<std::uint16_t, kMaxSet> fraction{}, more{}, less{};
};

/// What the sums of a set are tested against.
struct LookupTest {
  const SetLimits* limits = nullptr;            ///< null: nothing is tested
  const std::uint16_t* denominators = nullptr;  ///< from arrange_denominators(); null: only limits are tested
};

/// What is fetched into L2 while steps are added: `lines` cache lines of each plane, some of them at every
/// step. If all were fetched at once, they would delay the loading of tables into L1.
struct LookupFetch {
  const Word* bits = nullptr;
  const Word* called = nullptr;  ///< null where that plane is not read
  std::size_t lines = 0;

  /// Removes the first `n` lines and returns them.
  LookupFetch take(std::size_t n) {
    LookupFetch taken = *this;
    taken.lines = std::min(n, lines);
    lines -= taken.lines;
    bits += taken.lines * kLineWords;
    if (called != nullptr) called += taken.lines * kLineWords;
    return taken;
  }
};

/// A pair that may pass: the places of the profile and the query among those that are counted together;
/// LookupPass::find() returns their places in the tile and in the problem.
struct PairPlace {
  std::uint32_t profile = 0;
  std::uint32_t query = 0;
};

/// The kernels of one instruction set. All pointers are 64-byte aligned.
struct LookupKernels {
  LookupShape shape;

  /// Writes one span of the index of shape.profiles() profiles: n * kWordGroups rows of profiles() bytes,
  /// `stride` bytes apart.
  ///
  /// \param bits    the span's first word in the first block; blocks are `block_words` apart
  /// \param called  null: the index is of bits; else the same word of the called plane: the index is of the
  ///                sites that are called and have no minor allele
  /// \param n       words of the span
  void (*pack)(const Word* bits, const Word* called, std::size_t block_words, std::size_t n,
               std::uint8_t* index, std::size_t stride) = nullptr;

  /// Adds `steps` steps of shape.step groups, of at most kSpanWords words, to the sums, or starts new sums if
  /// `begin`. With a test it returns false if no sum passes; the sums must then not be used.
  bool (*add)(const std::uint8_t* index, const std::uint8_t* tables, std::size_t steps, bool begin,
              const LookupTest& test, std::uint16_t* sums, const LookupFetch& fetch) = nullptr;

  /// The profiles' denominators, 16 bits each, in the order in which add() reads them.
  void (*arrange_denominators)(const std::uint32_t* denominators, std::uint16_t* arranged) = nullptr;

  /// Writes the pairs that pass, at most shape.sums() of them, and returns their number.
  std::size_t (*list)(const std::uint16_t* sums, const LookupTest& test, PairPlace* hits) = nullptr;
};

}  // namespace fastid::engine
