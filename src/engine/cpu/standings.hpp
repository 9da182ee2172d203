/// \file
/// How a few blocks' pairs stand by their shares, about: what the first bars of a search are made from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// What turns the counts of a profile into shares. Pairs of a profile that weighs too little stand last.
/// \param weight  the most that a pair of the profile weighs
float share_scale(std::uint32_t weight, std::uint32_t min_weight);

/// The pairs of one query and some blocks that stand best. Where many more pairs than are kept are seen, it
/// looks at the best of each block alone: nearly as good, and a loop without a branch.
class Standings {
 public:
  /// \param keep  at most n_blocks * kLanes
  Standings(std::size_t keep, std::size_t n_blocks) : keep_(keep), best_only_(2 * keep <= n_blocks) {}

  void clear() { pairs_.clear(); }
  /// \param counts, scales  of the block's 32 profiles
  void add(std::size_t block, const std::uint32_t* counts, const float* scales);

  struct Pair {
    std::int32_t share = 0;  ///< in some unit, about; low is good
    std::uint32_t profile = 0;
  };
  /// The `keep` that stand best, in any order. Valid until the next call of another function.
  std::span<const Pair> best();

 private:
  std::size_t keep_;
  bool best_only_;
  std::vector<Pair> pairs_;
};

}  // namespace fastid
