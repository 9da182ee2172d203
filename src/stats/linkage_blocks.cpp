#include "stats/linkage_blocks.hpp"

#include <utility>

#include "stats/site_walk.hpp"

namespace fastid::stats {

LinkageBlocks::LinkageBlocks(std::vector<std::uint32_t> block_of, std::uint32_t n_blocks)
    : block_of_(std::move(block_of)), n_blocks_(n_blocks) {}

std::vector<std::uint32_t> LinkageBlocks::sizes(std::span<const Word> sites) const {
  std::vector<std::uint32_t> sizes(n_blocks_);
  for (std::size_t word = 0; word < sites.size(); ++word)
    for_each_set(word, sites[word], [&](std::size_t site) {
      if (block_of_[site] != kAlone) ++sizes[block_of_[site]];
    });
  return sizes;
}

SiteWeights::SiteWeights(const LinkageBlocks* blocks, std::span<const Word> compared) : blocks_(blocks) {
  if (blocks == nullptr) return;
  for (const std::uint32_t size : blocks->sizes(compared)) of_block_.push_back(1.0 / size);
}

}  // namespace fastid::stats
