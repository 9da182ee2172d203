/// \file
/// The CPU engine's step for many queries where no instruction counts the bits of a vector. Counts of
/// several sites at once are looked up in tables, instead of a logic operation, a population count and an
/// addition for each vector of words.
///
/// A vector holds one byte of index for each profile: 4 stored bits, of a group of sites. Two queries share a
/// table for each group. For every value of the index the table holds what the group's sites add to the
/// count: in the low nibble for the first query, in the high nibble for the second. By minor alleles a group
/// is 4 sites, by both alleles 2, each with a bit of either plane. So one lookup and one addition count a
/// group of 32 profiles for 2 queries:
///
///   index    [group][vector][profile]     one byte each: the profile's bits at the group's sites
///   tables   [group][pair of queries][value of the index]
///   sums     [vector][pair][first even, first odd, second even, second odd profiles]   16 bits each
///
/// The tables contain what a comparison counts and the masks that the index has, so these cost no time. By
/// minor alleles a mask of the stored profiles needs two sequences of groups: one for their bits, one for the
/// sites that they have called without a minor allele.
///
/// Sums may be too small but are never too large. A nibble must hold the sum of a step's lookups. A
/// step adds four groups that count at most 4 each, or for kinship two that count at most 8, except that one
/// of them counts at most 3, or 7, for the first query, whose nibble must not overflow into the second
/// query's; an overflow of the second query's nibble is lost. A byte sums the steps of a span and may wrap
/// where nearly all sites of the span count. So the sums of unrelated people lose almost nothing, and so few
/// pairs pass by mistake that counting them again, by the definition, takes almost no time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "engine/internal/coded_word.hpp"

namespace fastid::engine {

inline constexpr std::size_t kLineWords = 64 / sizeof(Word);  ///< words of a cache line
inline constexpr std::size_t kIndexBits = 4;
inline constexpr std::size_t kTableBytes = 16;  ///< a table's entries
inline constexpr std::size_t kWordGroups = kWordBits / kIndexBits;
inline constexpr std::size_t kMaxSet = 4;               ///< most queries that are counted together
inline constexpr std::size_t kMaxLookupProfiles = 256;  ///< most profiles that are counted together

/// What a sequence of groups has: of 32 sites a word, 4 bits for each group.
enum class IndexPlane : std::uint8_t {
  kBits,        ///< sites with a minor allele
  kOthers,      ///< sites called without one
  kFirstPairs,  ///< the codes of the first two of each four sites (CodedWord)
  kLastPairs    ///< those of the other two
};

/// A word of such a sequence. \param second  the second plane's; not read for kBits
constexpr Word index_word(IndexPlane plane, Word bits, Word second) {
  switch (plane) {
    case IndexPlane::kBits:
      return bits;
    case IndexPlane::kOthers:
      return second & ~bits;
    case IndexPlane::kFirstPairs:
      return CodedWord(bits, second).first;
    case IndexPlane::kLastPairs:
      break;
  }
  return CodedWord(bits, second).second;
}

/// The sequences of groups of an index. They alternate group by group.
struct IndexPlanes {
  std::array<IndexPlane, 2> plane{};
  std::size_t n = 1;
  std::size_t span_words = 12;  ///< words of a span: sums of unrelated people fit a byte

  std::span<const IndexPlane> all() const { return {plane.data(), n}; }
};

/// How an instruction set does it.
struct LookupShape {
  std::size_t step = 0;         ///< groups whose lookups are added before the nibbles are separated
  std::size_t elements = 0;     ///< of a vector, a profile in each
  std::size_t vectors = 0;      ///< vectors counted together
  std::size_t pairs_a_set = 0;  ///< pairs of queries counted together

  std::size_t profiles() const { return elements * vectors; }
  std::size_t queries() const { return 2 * pairs_a_set; }
  std::size_t sums() const { return profiles() * queries(); }
  /// Steps of `n_words` words of each plane. A span's last step may have fewer groups.
  std::size_t steps(const IndexPlanes& planes, std::size_t n_words) const {
    const auto of_span = [&](std::size_t n) { return ceil_div(planes.n * n * kWordGroups, step); };
    return n_words / planes.span_words * of_span(planes.span_words) + of_span(n_words % planes.span_words);
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
  const Word* second = nullptr;  ///< null where that plane is not read
  std::size_t lines = 0;

  /// Removes the first `n` lines and returns them.
  LookupFetch take(std::size_t n) {
    LookupFetch taken = *this;
    taken.lines = std::min(n, lines);
    lines -= taken.lines;
    bits += taken.lines * kLineWords;
    if (second != nullptr) second += taken.lines * kLineWords;
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

  /// Writes one span of an index plane of shape.profiles() profiles: n * kWordGroups rows of profiles()
  /// bytes, `stride` bytes apart.
  ///
  /// \param bits    the span's first word in the first block; blocks are `block_words` apart
  /// \param second  the same word of the second plane; not read for IndexPlane::kBits
  /// \param n       words of the span
  void (*pack)(IndexPlane plane, const Word* bits, const Word* second, std::size_t block_words, std::size_t n,
               std::uint8_t* index, std::size_t stride) = nullptr;

  /// Adds `steps` steps of shape.step groups, of at most a span, to the sums, or starts new sums if `begin`.
  /// With a test it returns false if no sum passes; the sums must then not be used.
  bool (*add)(const std::uint8_t* index, const std::uint8_t* tables, std::size_t steps, bool begin,
              const LookupTest& test, std::uint16_t* sums, const LookupFetch& fetch) = nullptr;

  /// The profiles' denominators, at least 1 and times `scale`, 16 bits each, in the order in which add()
  /// reads them.
  void (*arrange_denominators)(const std::uint32_t* denominators, std::uint32_t scale,
                               std::uint16_t* arranged) = nullptr;

  /// Writes the pairs that pass, at most shape.sums() of them, and returns their number.
  std::size_t (*list)(const std::uint16_t* sums, const LookupTest& test, PairPlace* hits) = nullptr;
};

}  // namespace fastid::engine
