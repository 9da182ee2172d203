#include "engine/comparison.hpp"

#include <bit>

namespace fastid {
namespace {

std::uint32_t bits_set(Word word) {
  return static_cast<std::uint32_t>(std::popcount(word));
}

}  // namespace

PairCounts count_pair(Comparison comparison, const RowView& query, const BlocksView& blocks,
                      std::uint64_t profile) {
  PairCounts counts;
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    const Word q = query.bits[word], d = blocks.bits_word(profile, word);
    const Word both = query.called[word] & blocks.called_word(profile, word);
    counts.compared += bits_set(both);
    switch (comparison) {
      case Comparison::kIdentity:
        counts.count += bits_set((q ^ d) & both);
        break;
      case Comparison::kMixture:
        counts.count += bits_set(d & ~q & both);
        counts.minor_alleles += bits_set(d & both);
        break;
      case Comparison::kReverseMixture:
        counts.count += bits_set(q & ~d & both);
        counts.minor_alleles += bits_set(q & both);
        break;
    }
  }
  return counts;
}

}  // namespace fastid
