/// \file
/// The three comparisons with their masks, reduced to an operation on words: what engines implement.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace fastid {

/// What a comparison with its masks is reduced to. d, c: a stored profile's bits and called sites; q, m: the
/// query's first and second word. Bits are 0 where called is 0, so most masks need no instruction of their
/// own.
///
///                       counted          denominator       q             m     comparison
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

/// What a case's denominator depends on: the query alone, the stored profile alone, or both.
enum class DenominatorOf { kQuery, kProfile, kPair };

constexpr DenominatorOf denominator_source(KernelCase which) {
  switch (which) {
    case KernelCase::kDiffer:
    case KernelCase::kDifferQueryMask:
    case KernelCase::kMissing:
      return DenominatorOf::kQuery;
    case KernelCase::kDifferStoredMask:
    case KernelCase::kInside:
      return DenominatorOf::kProfile;
    default:
      return DenominatorOf::kPair;
  }
}

/// How many words of a query the case needs: 1 (q) or 2 (q and m).
constexpr std::size_t query_words(KernelCase which) {
  return which == KernelCase::kDifferQueryMask || which == KernelCase::kDifferBothMasks ||
                 which == KernelCase::kInsideMasked
             ? 2
             : 1;
}

/// Whether engines bound a pair's denominator by the number of the stored profile's own bits, in the plane
/// that reads_called() says. Not for kMissingMasked, where the query bounds it.
constexpr bool bounded_by_profile(KernelCase which) {
  return denominator_source(which) == DenominatorOf::kProfile || which == KernelCase::kDifferBothMasks ||
         which == KernelCase::kInsideMasked;
}

/// Whether the called plane is read. If so, it is also the stored profile's part of a pair's denominator;
/// otherwise the plane of bits is.
constexpr bool reads_called(KernelCase which) {
  return which == KernelCase::kDifferStoredMask || which == KernelCase::kDifferBothMasks ||
         which == KernelCase::kMissingMasked;
}

/// The case of a problem.
KernelCase kernel_case(const Problem& problem);

/// Whether the sites compared are counted pair by pair: for mixtures where calls are missing. Otherwise they
/// are the denominator, or all sites that the query has called.
inline bool counts_compared(const Problem& problem) {
  return problem.comparison != Comparison::kIdentity && problem.has_second;
}

/// What kernels read instead of a word of a query's bits and called sites: q and m (KernelCase).
struct QueryWords {
  Word q = 0, m = 0;
};
constexpr QueryWords query_words_of(Comparison comparison, Word bits, Word called) {
  return {comparison == Comparison::kMixture ? called & ~bits : bits, called};
}

/// The least count that does not pass `threshold` with this denominator; at most UINT32_MAX.
std::uint32_t limit_of(const Threshold& threshold, std::uint32_t denominator);

/// The largest denominator of this query's pairs; the denominator of each where denominator_source() is
/// kQuery.
std::uint32_t most_denominator(Comparison comparison, const RowView& query);

}  // namespace fastid
