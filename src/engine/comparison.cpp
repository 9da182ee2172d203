#include "engine/comparison.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t bits_set(Word word) {
  return static_cast<std::uint32_t>(std::popcount(word));
}

// The terms are known when this is compiled, so that their loops become a few instructions.
template <Comparison kComparison, Encoding kBy>
[[gnu::always_inline]] inline PairCounts count_words(const RowView& query, const BlocksView& blocks,
                                                     std::uint64_t profile) {
  constexpr Terms kTerms = terms_of(kComparison, kBy);
  PairCounts counts;
  std::array<std::uint32_t, 2> denominators{};
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    const Word q = query.bits[word], d = blocks.bits_word(profile, word);
    const Word q_called = query.called[word], d_called = blocks.called_word(profile, word);
    const Word q_major = kBy == Encoding::kAlleles ? query.major[word] : 0;
    const Word d_major = kBy == Encoding::kAlleles ? blocks.major_word(profile, word) : 0;
    counts.compared += bits_set(q_called & d_called);
#pragma GCC unroll 3
    for (std::size_t i = 0; i < kTerms.n_count; ++i)
      counts.count += kTerms.count[i].weight *
                      bits_set(counted_sites(kTerms.count[i], q, q_major, q_called, d, d_major, d_called));
#pragma GCC unroll 2
    for (std::size_t i = 0; i < kTerms.n_denominator; ++i)
      denominators[i] += bits_set(word_of(kTerms.denominator[i].query, q, q_major, q_called) &
                                  word_of(kTerms.denominator[i].stored, d, d_major, d_called));
  }
  counts.denominator =
      kTerms.lesser ? std::min(denominators[0], denominators[1]) : denominators[0] + denominators[1];
  return counts;
}

[[gnu::always_inline]] inline PairCounts count_words(Comparison comparison, Encoding by, const RowView& query,
                                                     const BlocksView& blocks, std::uint64_t profile) {
  const bool alleles = by == Encoding::kAlleles;
  switch (comparison) {
    case Comparison::kIdentity:
      return alleles ? count_words<Comparison::kIdentity, Encoding::kAlleles>(query, blocks, profile)
                     : count_words<Comparison::kIdentity, Encoding::kMinor>(query, blocks, profile);
    case Comparison::kMixture:
      return alleles ? count_words<Comparison::kMixture, Encoding::kAlleles>(query, blocks, profile)
                     : count_words<Comparison::kMixture, Encoding::kMinor>(query, blocks, profile);
    case Comparison::kReverseMixture:
      return alleles ? count_words<Comparison::kReverseMixture, Encoding::kAlleles>(query, blocks, profile)
                     : count_words<Comparison::kReverseMixture, Encoding::kMinor>(query, blocks, profile);
    case Comparison::kKinship:
      return count_words<Comparison::kKinship, Encoding::kAlleles>(query, blocks, profile);
  }
  throw Failure("an unknown comparison");
}

#if defined(__x86_64__)
/// The same with the popcount instruction, which the oldest x86-64 CPUs lack. Pairs that may pass are counted
/// again by the definition, so its speed decides a fifth of the time of a search with many queries.
[[gnu::target("popcnt")]] PairCounts count_by_instruction(Comparison comparison, Encoding by,
                                                          const RowView& query, const BlocksView& blocks,
                                                          std::uint64_t profile) {
  return count_words(comparison, by, query, blocks, profile);
}
#endif

}  // namespace

PairCounts count_pair(Comparison comparison, Encoding by, const RowView& query, const BlocksView& blocks,
                      std::uint64_t profile) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("popcnt") != 0;
  if (has_instruction) return count_by_instruction(comparison, by, query, blocks, profile);
#endif
  return count_words(comparison, by, query, blocks, profile);
}

}  // namespace fastid
