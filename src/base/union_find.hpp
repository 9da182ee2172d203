/// \file
/// Connected sets of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace fastid {

/// Disjoint sets of the numbers from 0 to n - 1; at first each number is a set of its own.
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  /// The lowest number of the set that `of` is in.
  std::size_t find(std::size_t of) {
    while (parent_[of] != of) of = parent_[of] = parent_[parent_[of]];
    return of;
  }

  /// Joins the sets of two numbers.
  void join(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parent_[high] = low;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace fastid
