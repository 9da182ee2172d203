/// \file
/// A question with its masks, as engines implement it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {

/// What a question with its masks is reduced to. d, c: a stored profile's bits and called sites; q, m: the
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
///
/// kAlleles and what follows it count both alleles, one case for each row of terms_of(), in its order. The
/// stored profile's two words are those of its planes, minor and major, and so are the query's.
enum class KernelCase {
  kDiffer,
  kDifferQueryMask,
  kDifferStoredMask,
  kDifferBothMasks,
  kInside,
  kInsideMasked,
  kMissing,
  kMissingMasked,
  kAlleles
};
inline constexpr std::size_t kKernelCases = static_cast<std::size_t>(KernelCase::kAlleles) + kComparisons;

/// The case by both alleles of a question.
constexpr KernelCase by_alleles(Comparison comparison) {
  return static_cast<KernelCase>(static_cast<int>(KernelCase::kAlleles) + static_cast<int>(comparison));
}

/// Whether the case is one of the table.
constexpr bool counts_both_alleles(KernelCase which) {
  return which >= KernelCase::kAlleles;
}
/// The question of such a case.
constexpr Comparison question_of(KernelCase which) {
  return static_cast<Comparison>(static_cast<int>(which) - static_cast<int>(KernelCase::kAlleles));
}
/// The terms of such a case.
constexpr Terms terms_of(KernelCase which) {
  return terms_of(question_of(which), Encoding::kAlleles);
}
constexpr Terms terms_in_few_words(KernelCase which) {
  return terms_in_few_words(question_of(which), Encoding::kAlleles);
}

/// The most that a site counts.
constexpr std::uint32_t most_of_a_site(KernelCase which) {
  return counts_both_alleles(which) ? most_of_a_site(terms_of(which)) : 1;
}

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
  return counts_both_alleles(which) || which == KernelCase::kDifferQueryMask ||
                 which == KernelCase::kDifferBothMasks || which == KernelCase::kInsideMasked
             ? 2
             : 1;
}

/// Whether engines bound a pair's denominator by the number of the stored profile's own bits: those in the
/// plane that reads_second() says, or those that the terms' denominator counts. Not for kMissingMasked, where
/// the query bounds it.
constexpr bool bounded_by_profile(KernelCase which) {
  return counts_both_alleles(which) || denominator_source(which) == DenominatorOf::kProfile ||
         which == KernelCase::kDifferBothMasks || which == KernelCase::kInsideMasked;
}

/// Whether the second plane is read. If so, called sites are also the stored profile's part of a pair's
/// denominator, unless the terms say otherwise; if not, the plane of bits is.
constexpr bool reads_second(KernelCase which) {
  return counts_both_alleles(which) || which == KernelCase::kDifferStoredMask ||
         which == KernelCase::kDifferBothMasks || which == KernelCase::kMissingMasked;
}

/// The case of a problem.
inline KernelCase kernel_case(const Problem& problem) {
  if (problem.by == Encoding::kAlleles) return by_alleles(problem.comparison);
  const bool query_mask = !problem.queries->all_called();
  switch (problem.comparison) {
    case Comparison::kIdentity:
      if (problem.has_second)
        return query_mask ? KernelCase::kDifferBothMasks : KernelCase::kDifferStoredMask;
      return query_mask ? KernelCase::kDifferQueryMask : KernelCase::kDiffer;
    case Comparison::kMixture:
      return query_mask ? KernelCase::kInsideMasked : KernelCase::kInside;
    case Comparison::kReverseMixture:
      return problem.has_second ? KernelCase::kMissingMasked : KernelCase::kMissing;
    default:
      throw Failure("this question is counted by both alleles only");
  }
}

/// Whether the sites compared are counted pair by pair, beside the denominator: of all questions but
/// identity, where there is a second plane. Otherwise they are what the denominator says (identity; by both
/// alleles count_found() of kernels/pair.h counts them all the same), or all sites that the query has called.
inline bool counts_compared(const Problem& problem) {
  return problem.comparison != Comparison::kIdentity && problem.has_second;
}

/// What kernels read of word `word` of a query: q and m (KernelCase).
struct QueryWords {
  Word q = 0, m = 0;
};
inline QueryWords query_words_of(const Problem& problem, const RowView& query, std::size_t word) {
  if (problem.by == Encoding::kAlleles) return {query.bits[word], query.major[word]};
  const Word bits = query.bits[word], called = query.called[word];
  return {problem.comparison == Comparison::kMixture ? called & ~bits : bits, called};
}

/// The least count that does not pass `threshold` with this denominator or a lower one; at most `most` + 1.
/// \param most  the largest count of a pair, below UINT32_MAX
inline std::uint32_t limit_of(const Threshold& threshold, std::uint32_t denominator, std::uint32_t most) {
  std::int64_t passes = std::min(threshold.max_count, most);
  if (threshold.den > 0) {
    const std::int64_t weighed = std::int64_t{threshold.num} * std::max(denominator, 1u) + threshold.offset;
    passes = weighed < 0 ? -1 : std::min(passes, weighed / threshold.den);
  }
  return static_cast<std::uint32_t>(passes + 1);
}

/// The largest denominator of this query's pairs; the denominator of each where denominator_source() is
/// kQuery.
inline std::uint32_t most_denominator(const Problem& problem, const RowView& query) {
  const Terms terms = terms_of(problem.comparison, problem.by);
  std::array<std::uint32_t, 2> sums{};
  for (std::size_t i = 0; i < terms.n_denominator; ++i)
    for (std::size_t word = 0; word < query.bits.size(); ++word)
      sums[i] += static_cast<std::uint32_t>(bits_set(
          word_of(terms.denominator[i].query, query.bits[word], query.major_word(word), query.called[word])));
  return terms.lesser ? std::min(sums[0], sums[1]) : sums[0] + sums[1];
}

/// The largest count of a problem's pairs.
inline std::uint64_t most_count(const Problem& problem) {
  return most_count(problem.comparison, problem.by, problem.database.n_sites);
}

}  // namespace fastid::engine
