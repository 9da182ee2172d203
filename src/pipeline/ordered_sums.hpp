/// \file
/// Sums over the stretches of a row of elements, added in one order, whoever adds which of them.
///
/// Numbers are rounded when they are added, so that the order of additions matters. Stretches are the leaves
/// of a binary tree: of n leaves the sum is that of the first 2^k, 2^k being the highest power of 2 below n,
/// plus that of the others; each of both is made in the same way. Whoever has neighbouring leaves adds up the
/// complete subtrees among them, and hands on a sum for each of the largest ones:
///
///            .-------+-------.
///        .---+---.       .---+---.       .-+
///      .-+-.   .-+-.   .-+-.   .-+-.   .-+-.
///      0   1   2   3   4   5   6   7   8   9   10     leaves 3 to 8: subtrees 3, 4..7, and 8
///
/// Whole numbers are exact in any order, and need no tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits/shard.hpp"

namespace fastid::pipeline {

/// A complete subtree: leaves index * 2^level .. (index + 1) * 2^level - 1.
struct SumNode {
  std::uint64_t level = 0, index = 0;

  friend bool operator==(const SumNode&, const SumNode&) = default;
};

/// The largest complete subtrees among some leaves, in order.
std::vector<SumNode> nodes_of(Range leaves);

class OrderedSums {
 public:
  enum class Order : std::uint8_t {
    kAny,  ///< sums are exact
    kTree
  };
  explicit OrderedSums(Order order) : order_(order) {}

  /// Adds the sums of neighbouring leaves, as many numbers each time. \param node  the one that follows on
  /// the last one; with kAny of no meaning
  void add(const SumNode& node, std::vector<double> sums);

  bool empty() const { return nodes_.empty(); }
  /// Sums of the largest complete subtrees, in order; with kAny of all together.
  const std::vector<std::vector<double>>& sums() const { return sums_; }
  /// The sum of all leaves, once the first one is among them; empty where there are none.
  std::vector<double> total() &&;

 private:
  /// Whether the last two are the halves of a subtree.
  bool can_join() const;

  Order order_;
  std::vector<SumNode> nodes_;
  std::vector<std::vector<double>> sums_;  ///< of each node
};

}  // namespace fastid::pipeline
