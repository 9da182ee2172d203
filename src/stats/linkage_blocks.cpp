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

SiteWeights::SiteWeights(const LinkageBlocks* blocks, std::span<const Word> compared) {
  if (blocks == nullptr) return;
  const std::vector<std::uint32_t> sizes = blocks->sizes(compared);
  by_site_.assign(blocks->n_sites(), 1);
  for (std::size_t site = 0; site < by_site_.size(); ++site)
    if (const std::uint32_t block = blocks->block_of(site); block != LinkageBlocks::kAlone)
      by_site_[site] = 1.0 / sizes[block];  // infinite at sites that are not compared, which nobody asks for
}

}  // namespace fastid::stats
