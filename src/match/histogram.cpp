#include "match/histogram.hpp"

#include <algorithm>

namespace fastid {
namespace {

constexpr std::uint64_t kBlocksCounted = 512;  ///< of a large database: 16,384 profiles

}  // namespace

CountHistograms::CountHistograms(std::size_t n_queries, const BlockShape& database)
    : step_(std::max<std::uint64_t>(1, database.n_blocks() / kBlocksCounted)),
      histograms_(n_queries, std::vector<std::uint64_t>(std::size_t{database.n_sites} + 1)) {}

BlockSeries CountHistograms::series(std::uint64_t first, std::size_t n) const {
  const std::uint64_t at = ceil_div(first, step_) * step_ - first;
  if (at >= n) return {};
  return {static_cast<std::size_t>(at), static_cast<std::size_t>(step_),
          static_cast<std::size_t>(ceil_div<std::uint64_t>(n - at, step_))};
}

void CountHistograms::add(const BlockShape& tile, const BlockSeries& series,
                          std::span<const PairCount> counts, const Comparable& comparable,
                          std::size_t first_query) {
  const std::lock_guard lock(guard_);
  const auto first_profile = [&](std::size_t i) { return (series.first + i * series.step) * kLanes; };
  const auto lanes = [&](std::size_t i) {
    return std::min<std::uint64_t>(kLanes, tile.n_profiles - first_profile(i));
  };
  for (std::size_t i = 0; i < series.n && first_query == 0; ++i) n_profiles_ += lanes(i);
  for (std::size_t q = 0; q < counts.size() / (series.n * kLanes); ++q)
    for (std::size_t i = 0; i < series.n; ++i)
      for (std::size_t lane = 0; lane < lanes(i); ++lane) {
        const PairCount& pair = counts[(q * series.n + i) * kLanes + lane];
        if (pair.weight > 0 || comparable(q, first_profile(i) + lane))
          ++histograms_[first_query + q][pair.count];
      }
}

}  // namespace fastid
