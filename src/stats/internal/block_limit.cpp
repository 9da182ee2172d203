#include "stats/internal/block_limit.hpp"

#include <algorithm>
#include <map>

#include "stats/internal/tail_bound.hpp"

namespace fastid::stats {
namespace {

/// An event that counts at least as much as either of the two: its P(at least 1) and P(2) are the larger
/// ones.
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
  for (const auto& [block, event] : of_blocks) strongest_.push_back(event);
  std::ranges::sort(least_weights_);
  double sum = 0;
  for (double& weight : least_weights_) weight = sum += weight;
  least_weights_.insert(least_weights_.begin(), 0);
}

double BlockLimit::log10_bound(double weight) const {
  return log10_tail_bound(strongest_, std::vector<double>(strongest_.size(), 1), weight);
}

std::optional<std::uint32_t> BlockLimit::largest_within(double log10_chance) const {
  const auto past = std::ranges::partition_point(
      least_weights_, [&](double weight) { return log10_bound(weight) <= log10_chance; });
  if (past == least_weights_.begin()) return std::nullopt;
  return static_cast<std::uint32_t>(past - least_weights_.begin()) - 1;
}

}  // namespace fastid::stats
