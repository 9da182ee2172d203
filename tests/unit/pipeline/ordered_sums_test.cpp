// Sums over leaves: the same, to the bit, whoever adds which neighbouring leaves.
#include "pipeline/ordered_sums.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fastid::pipeline {
namespace {

std::vector<double> random_leaves(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<double> leaves;
  for (std::size_t i = 0; i < n; ++i) leaves.push_back(std::generate_canonical<double, 53>(random));
  return leaves;
}

/// The definition.
double tree_sum(std::vector<double> leaves) {
  if (leaves.size() == 1) return leaves.front();
  std::size_t half = 1;
  while (2 * half < leaves.size()) half *= 2;
  const auto middle = leaves.begin() + static_cast<std::ptrdiff_t>(half);
  return tree_sum({leaves.begin(), middle}) + tree_sum({middle, leaves.end()});
}

TEST(OrderedSums, AreThoseOfTheTreeForAnyShards) {
  bool order_matters = false;
  for (const std::size_t n : {1U, 2U, 3U, 7U, 8U, 37U, 64U}) {
    const std::vector<double> leaves = random_leaves(n);
    const double right = tree_sum(leaves);
    double in_turn = 0;
    for (const double leaf : leaves) in_turn += leaf;
    order_matters = order_matters || in_turn != right;
    for (std::uint32_t shards = 1; shards <= 9; ++shards) {
      OrderedSums all(OrderedSums::Order::kTree);
      for (std::uint32_t i = 1; i <= shards; ++i) {
        const Range share = share_of(n, {i, shards});
        OrderedSums part(OrderedSums::Order::kTree);
        for (std::uint64_t leaf = share.first; leaf < share.end; ++leaf)
          part.add({0, leaf}, {leaves[static_cast<std::size_t>(leaf)], 1});
        const std::vector<SumNode> nodes = nodes_of(share);
        ASSERT_EQ(part.sums().size(), nodes.size()) << n << ", shard " << i << " of " << shards;
        EXPECT_EQ(part.empty(), share.size() == 0);
        for (std::size_t node = 0; node < nodes.size(); ++node) {
          EXPECT_EQ(part.sums()[node][1], static_cast<double>(std::uint64_t{1} << nodes[node].level));
          all.add(nodes[node], part.sums()[node]);
        }
      }
      EXPECT_EQ(std::move(all).total(), (std::vector<double>{right, static_cast<double>(n)}))
          << n << " leaves, " << shards << " shards";
    }
  }
  EXPECT_TRUE(order_matters);
}

TEST(OrderedSums, OfWholeNumbersAreOneSum) {
  OrderedSums sums(OrderedSums::Order::kAny);
  EXPECT_TRUE(sums.empty());
  for (const double leaf : {3, 4, 5}) {
    sums.add({}, {leaf, 1});
    EXPECT_EQ(sums.sums().size(), 1U);
  }
  EXPECT_EQ(std::move(sums).total(), (std::vector<double>{12, 3}));
  EXPECT_TRUE(OrderedSums(OrderedSums::Order::kTree).total().empty());
}

TEST(SumNodes, AreTheLargestCompleteSubtrees) {
  const std::vector<SumNode> expected = {{0, 3}, {2, 1}, {0, 8}};
  EXPECT_EQ(nodes_of({3, 9}), expected);
  EXPECT_EQ(nodes_of({0, 16}), (std::vector<SumNode>{{4, 0}}));
  EXPECT_TRUE(nodes_of({5, 5}).empty());
}

}  // namespace
}  // namespace fastid::pipeline
