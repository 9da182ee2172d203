/// \file
/// What fastid computes: three counts for a pair of profiles. The code here is the definition; every engine
/// must equal it to the bit.
///
/// Sources. The bit expressions: D. O. Ricke, FastID, IEEE HPEC 2017. All pairs as a matrix product: E.
/// Binder, T. M. Low, D. T. Popovici, "A Portable GPU Framework for SNP Comparisons". Masks for sites not
/// called: ours.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"

namespace fastid {

/// What is counted for a query q and a stored profile d, whose called sites are cq and cd.
///
///                     counted at sites of cq & cd    denominator         command
///   kIdentity         q ^ d      mismatches          compared       fastid search
///   kMixture          d & ~q     not_seen            minor_alleles  fastid mixture
///   kReverseMixture   q & ~d     not_seen            minor_alleles  fastid mixture --reverse
///
/// The denominator is what the count is a fraction of. The mixture is q for kMixture, d for kReverseMixture.
enum class Comparison { kIdentity, kMixture, kReverseMixture };

/// The counts of one pair, in sites. Each lies in [0, n_sites].
struct PairCounts {
  std::uint32_t count = 0;          ///< mismatches, or minor alleles not seen: lower is better
  std::uint32_t minor_alleles = 0;  ///< kIdentity 0; else the person's minor alleles at the compared sites:
                                    ///< |d & cq & cd| for kMixture, |q & cq & cd| for kReverseMixture
  std::uint32_t compared = 0;       ///< |cq & cd|

  friend bool operator==(const PairCounts&, const PairCounts&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const PairCounts&, const PairCounts&) = default;
};

/// What `count` is a fraction of: `compared` for kIdentity, otherwise `minor_alleles`. May be 0.
constexpr std::uint32_t denominator_of(Comparison comparison, const PairCounts& counts) {
  return comparison == Comparison::kIdentity ? counts.compared : counts.minor_alleles;
}

/// The sites of one word that `count` counts, from that word of the query and of the stored profile.
///
/// \param both  the sites that both have called
constexpr Word differing(Comparison comparison, Word query, Word stored, Word both) {
  switch (comparison) {
    case Comparison::kIdentity:
      return (query ^ stored) & both;
    case Comparison::kMixture:
      return stored & ~query & both;
    case Comparison::kReverseMixture:
      break;
  }
  return query & ~stored & both;
}

/// Counts one pair, one word at a time: the slow, plain definition.
///
/// \param query   n_words words of both planes
/// \param blocks  the same number of sites as the query
/// \param profile in [0, blocks.shape.n_profiles)
PairCounts count_pair(Comparison comparison, const RowView& query, const BlocksView& blocks,
                      std::uint64_t profile);

}  // namespace fastid
