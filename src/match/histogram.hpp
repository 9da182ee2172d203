/// \file
/// How many stored profiles differ from a query at 0, 1, 2, ... sites: what a hit is seen against.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// One histogram a query over every step-th block of the database: all of them below 32,768 profiles, a
/// systematic sample of half of that or more beyond, since looking at every count of a large search would
/// cost more than the search. Which blocks are counted depends on the database's size alone, so the histogram
/// is the same for every device, tile size and thread count. Thread-safe.
class CountHistograms {
 public:
  CountHistograms(std::size_t n_queries, const BlockShape& database);

  /// The blocks to count of a tile whose first block is `first` and which has `n`: indices within the tile.
  BlockSeries series(std::uint64_t first, std::size_t n) const;

  /// Whether a pair of weight 0 has a site in common. \param query  of those asked \param profile  place in
  /// the tile
  using Comparable = std::function<bool(std::size_t query, std::uint64_t profile)>;

  /// Takes Lane::count()'s matrix for series(). A pair that has nothing to compare is left out, as it is
  /// never listed; one without a minor allele that could be missing counts at 0. `tile` as the lane had it,
  /// which was asked queries from `first_query` on.
  void add(const BlockShape& tile, const BlockSeries& series, std::span<const PairCount> counts,
           const Comparable& comparable, std::size_t first_query = 0);

  /// Every how manyth block is counted; 1: all.
  std::uint64_t step() const { return step_; }
  /// Profiles of the database that were looked at.
  std::uint64_t n_profiles() const { return n_profiles_; }
  /// [count], n_sites + 1 of them: profiles with that many mismatches (mixtures: minor alleles not seen).
  const std::vector<std::uint64_t>& of_query(std::size_t query) const { return histograms_[query]; }

 private:
  std::uint64_t step_;
  std::mutex guard_;
  std::uint64_t n_profiles_ = 0;
  std::vector<std::vector<std::uint64_t>> histograms_;
};

}  // namespace fastid
