#include "stats/internal/block_limit.hpp"

#include <algorithm>
#include <map>
#include <ranges>

#include "stats/internal/tail_bound.hpp"

namespace fastid::stats {
namespace {

/// An event that counts at least as much as each of the two: P(at least 1) and P(2) are those of neither
/// less.
Event stronger(const Event& a, const Event& b) {
  const double no = std::min(a.no, b.no), twice = std::max(a.twice, b.twice);
  return {std::max(0.0, 1 - no - twice), no, std::min(twice, 1 - no)};
}

}  // namespace

BlockLimit::BlockLimit(const LinkageBlocks& blocks, std::span<const Word> called,
                       std::span<const std::size_t> sites, std::span<const Event> events) {
  const SiteWeights weights(&blocks, called);
  std::map<std::uint32_t, Event> of_blocks;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const std::uint32_t block = blocks.block_of(sites[i]);
    least_weights_.insert(least_weights_.end(), events[i].most(), weights[sites[i]]);
    if (block == LinkageBlocks::kAlone)
      strongest_.push_back(events[i]);
    else if (const auto [at, is_new] = of_blocks.try_emplace(block, events[i]); !is_new)
      at->second = stronger(at->second, events[i]);
  }
  std::ranges::copy(std::views::values(of_blocks), std::back_inserter(strongest_));
  std::ranges::sort(least_weights_);
  double sum = 0;
  for (double& weight : least_weights_) weight = sum += weight;
  least_weights_.insert(least_weights_.begin(), 0);
}

double BlockLimit::log10_bound(std::uint32_t count) const {
  return log10_tail_bound(strongest_, std::vector<double>(strongest_.size(), 1), least_weights_[count]);
}

std::optional<std::uint32_t> BlockLimit::largest_within(double log10_chance) const {
  const auto counts = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(least_weights_.size()));
  const auto past = std::ranges::partition_point(
      counts, [&](std::uint32_t count) { return log10_bound(count) <= log10_chance; });
  if (past == counts.begin()) return std::nullopt;
  return *past - 1;
}

}  // namespace fastid::stats
