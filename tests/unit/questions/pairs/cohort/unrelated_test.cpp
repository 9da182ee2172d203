// The largest set without relatives, held against all sets.
#include "questions/pairs/cohort/unrelated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

namespace fastid::pairs {
namespace {

using ::testing::ElementsAre;
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

bool is_unrelated(const std::vector<std::size_t>& members, const Edges& edges) {
  const std::set<std::size_t> chosen(members.begin(), members.end());
  return std::ranges::none_of(
      edges, [&](const auto& edge) { return chosen.contains(edge.first) && chosen.contains(edge.second); });
}

std::size_t largest_of_all(std::size_t n, const Edges& edges) {
  std::size_t best = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << n; ++set)
    if (std::ranges::none_of(
            edges, [&](const auto& edge) { return (set >> edge.first & set >> edge.second & 1) != 0; }))
      best = std::max<std::size_t>(best, static_cast<std::size_t>(std::popcount(set)));
  return best;
}

Edges ring(std::size_t n) {
  Edges edges;
  for (std::size_t i = 0; i < n; ++i) edges.emplace_back(i, (i + 1) % n);
  return edges;
}

RC_GTEST_PROP(Unrelated, IsAsLargeAsAnySet, ()) {
  const std::size_t n = *rc::gen::inRange<std::size_t>(2, 13);
  std::set<std::pair<std::size_t, std::size_t>> drawn;
  for (const auto& [a, b] : *rc::gen::container<Edges>(
           rc::gen::pair(rc::gen::inRange<std::size_t>(0, n), rc::gen::inRange<std::size_t>(0, n))))
    if (a != b) drawn.insert(std::minmax(a, b));
  const Edges edges(drawn.begin(), drawn.end());
  const ChosenMembers chosen = largest_unrelated(n, edges);
  RC_ASSERT(chosen.exact);
  RC_ASSERT(is_unrelated(chosen.members, edges));
  RC_ASSERT(chosen.members.size() == largest_of_all(n, edges));
  const ChosenMembers in_a_hurry = largest_unrelated(n, edges, 1);
  RC_ASSERT(is_unrelated(in_a_hurry.members, edges));
  RC_ASSERT(!in_a_hurry.members.empty());
}

TEST(Unrelated, TakesTheMiddleOfNoStar) {
  EXPECT_THAT(largest_unrelated(4, Edges{{0, 1}, {0, 2}, {0, 3}}).members, ElementsAre(1, 2, 3));
}

TEST(Unrelated, SolvesSixtyFourMembersExactly) {
  Edges edges = ring(64);
  for (std::size_t i = 0; i < 64; ++i) edges.emplace_back(i, (i + 9) % 64);  // degree 4, and odd rings
  const ChosenMembers chosen = largest_unrelated(64, edges);
  EXPECT_TRUE(chosen.exact);
  EXPECT_TRUE(is_unrelated(chosen.members, edges));
  EXPECT_EQ(chosen.members.size(), 32u);
  EXPECT_EQ(chosen.members.back(), 62u) << "the last bit is one of 64";
}

TEST(Unrelated, SaysWhereItIsGreedy) {
  const ChosenMembers large = largest_unrelated(65, ring(65));
  EXPECT_FALSE(large.exact);
  EXPECT_TRUE(is_unrelated(large.members, ring(65)));
  EXPECT_EQ(large.members.size(), 32u);
  const ChosenMembers cut = largest_unrelated(5, ring(5), 1);
  EXPECT_FALSE(cut.exact);
  EXPECT_EQ(cut.members.size(), 2u);
}

}  // namespace
}  // namespace fastid::pairs
