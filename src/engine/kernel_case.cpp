#include "engine/kernel_case.hpp"

#include <algorithm>

#include "bits/popcount.hpp"

namespace fastid {

QueryWords query_words_of(const Problem& problem, const RowView& query, std::size_t word) {
  if (problem.by == Encoding::kAlleles) return {query.bits[word], query.major[word]};
  const Word bits = query.bits[word], called = query.called[word];
  return {problem.comparison == Comparison::kMixture ? called & ~bits : bits, called};
}

std::uint32_t limit_of(const Threshold& threshold, std::uint32_t denominator, std::uint32_t most) {
  std::int64_t passes = std::min(threshold.max_count, most);
  if (threshold.den > 0) {
    const std::int64_t balance = std::int64_t{threshold.num} * std::max(denominator, 1u) + threshold.offset;
    passes = balance < 0 ? -1 : std::min(passes, balance / threshold.den);
  }
  return static_cast<std::uint32_t>(passes + 1);
}

std::uint32_t most_denominator(const Problem& problem, const RowView& query) {
  const Terms terms = terms_of(problem.comparison, problem.by);
  std::array<std::uint32_t, 2> sums{};
  for (std::size_t i = 0; i < terms.n_denominator; ++i)
    for (std::size_t word = 0; word < query.bits.size(); ++word)
      sums[i] += static_cast<std::uint32_t>(bits_set(
          word_of(terms.denominator[i].query, query.bits[word], query.major_word(word), query.called[word])));
  return terms.lesser ? std::min(sums[0], sums[1]) : sums[0] + sums[1];
}

KernelCase kernel_case(const Problem& problem) {
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

}  // namespace fastid
