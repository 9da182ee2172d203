#include "match/histogram.hpp"

#include <algorithm>

namespace fastid::match {

CountHistograms::CountHistograms(std::size_t n_queries, std::uint32_t most_count)
    : histograms_(n_queries, std::vector<std::uint64_t>(std::size_t{most_count} + 1)) {}

void CountHistograms::thresholds(std::span<engine::Threshold> out) const {
  std::ranges::fill(out, engine::Threshold{});
}

void CountHistograms::take(std::span<const engine::Pair> pairs) {
  const std::lock_guard lock(guard_);
  for (const engine::Pair& pair : pairs)
    if (pair.counts.compared > 0) ++histograms_[pair.query][pair.counts.count];
}

void CountHistograms::add(std::size_t query, std::uint32_t count, std::uint64_t profiles) {
  const std::lock_guard lock(guard_);
  histograms_[query][count] += profiles;
}

}  // namespace fastid::match
