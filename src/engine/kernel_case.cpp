#include "engine/kernel_case.hpp"

#include <algorithm>
#include <bit>

namespace fastid {
namespace {

std::uint32_t bits_set(std::span<const Word> words) {
  std::uint32_t bits = 0;
  for (const Word word : words) bits += static_cast<std::uint32_t>(std::popcount(word));
  return bits;
}

}  // namespace

std::uint32_t limit_of(const Threshold& threshold, std::uint32_t denominator) {
  std::uint64_t most = threshold.max_count;
  if (threshold.den > 0)
    most = std::min(most, std::uint64_t{threshold.num} * std::max(denominator, 1u) / threshold.den);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, UINT32_MAX - 1) + 1);
}

std::uint32_t most_denominator(Comparison comparison, const RowView& query) {
  return bits_set(comparison == Comparison::kReverseMixture ? query.bits : query.called);
}

KernelCase kernel_case(const Problem& problem) {
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
  }
  throw Failure("an unknown comparison");
}

}  // namespace fastid
