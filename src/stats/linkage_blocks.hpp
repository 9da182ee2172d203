/// \file
/// Blocks of linked sites, each of which weighs as much as one site.
///
/// Sites of a block are read together again and again, so that the product of their probabilities counts one
/// fact many times. With blocks a site's logarithms are multiplied by 1 / m, where m is the number of sites
/// of its block that are compared: a block adds the mean of its sites. Sites of no block weigh 1.
///
/// This errs on the safe side however the sites of a block depend on each other, as long as blocks do not. Of
/// a ratio x_1 ... x_m of a block's sites, each with mean 1 among unrelated people, the mean of
/// (x_1 ... x_m)^(1/m) is 1 at most, by Hoelder's inequality. So is the mean of a product over blocks, and at
/// most 1 in r strangers has a weighted ratio of r or more. Probabilities of what a block's sites show
/// together are bounded in the same way: P(A_1, ..., A_m) is at most (P(A_1) ... P(A_m))^(1/m).
///
/// Source. Products of weighted likelihoods of parts: C. Varin, N. Reid, D. Firth, An overview of composite
/// likelihood methods, Statistica Sinica 21 (2011). The inequality: O. Hoelder (1889).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/rows.hpp"

namespace fastid::stats {

class LinkageBlocks {
 public:
  static constexpr std::uint32_t kAlone = UINT32_MAX;

  /// \param block_of  the block of each site, below n_blocks, or kAlone
  LinkageBlocks(std::vector<std::uint32_t> block_of, std::uint32_t n_blocks);

  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(block_of_.size()); }
  std::uint32_t n_blocks() const { return n_blocks_; }
  std::uint32_t block_of(std::size_t site) const { return block_of_[site]; }
  /// How many sites of each block are in a mask.
  std::vector<std::uint32_t> sizes(std::span<const Word> sites) const;

 private:
  std::vector<std::uint32_t> block_of_;
  std::uint32_t n_blocks_;
};

/// What each compared site weighs: 1, or one over the number of compared sites of its block.
class SiteWeights {
 public:
  /// \param blocks  must outlive this object; may be null: all sites weigh 1 \param compared  words of a mask
  SiteWeights(const LinkageBlocks* blocks, std::span<const Word> compared);

  double operator[](std::size_t site) const {
    const std::uint32_t block = blocks_ == nullptr ? LinkageBlocks::kAlone : blocks_->block_of(site);
    return block == LinkageBlocks::kAlone ? 1 : of_block_[block];
  }

 private:
  const LinkageBlocks* blocks_;
  std::vector<double> of_block_;  ///< [block]; infinite where none of the block's sites is compared
};

}  // namespace fastid::stats
