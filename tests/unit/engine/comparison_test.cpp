// The definition on pairs worked out by hand.
#include "engine/comparison.hpp"

#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace fastid {
namespace {

// Query 1 1 0 0 . and stored 1 0 1 0 1 with its last site called, and again with site 0 not called.
class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    for (const std::uint32_t site : {0u, 1u, 2u, 3u}) query_.set(0, site, site < 2);
    for (std::uint32_t site = 0; site < 5; ++site) {
      stored_.set(0, site, site % 2 == 0);
      if (site > 0) stored_.set(1, site, site % 2 == 0);
    }
  }
  PairCounts count(Comparison comparison, std::uint64_t profile) const {
    return count_pair(comparison, Encoding::kMinor, query_.row(0), stored_.view(), profile);
  }

  ProfileRows query_{1, 5};
  BitBlocks stored_{{2, 5}};
};

TEST_F(ComparisonTest, CountsWhatDiffersWhereBothAreCalled) {
  EXPECT_EQ(count(Comparison::kIdentity, 0), (PairCounts{2, 4, 4}));
  EXPECT_EQ(count(Comparison::kIdentity, 1), (PairCounts{2, 3, 3}));
}

TEST_F(ComparisonTest, CountsThePersonsAllelesThatTheMixtureLacks) {
  EXPECT_EQ(count(Comparison::kMixture, 0), (PairCounts{1, 2, 4}));         // sites 0, 2; the mixture lacks 2
  EXPECT_EQ(count(Comparison::kMixture, 1), (PairCounts{1, 1, 3}));         // site 2
  EXPECT_EQ(count(Comparison::kReverseMixture, 0), (PairCounts{1, 2, 4}));  // sites 0, 1; the mixture lacks 1
  EXPECT_EQ(count(Comparison::kReverseMixture, 1), (PairCounts{1, 1, 3}));  // site 1
}

TEST(Threshold, ComparesFractionsExactly) {
  EXPECT_TRUE(Threshold{}.passes({UINT32_MAX, 0, 0}));
  const Threshold third{UINT32_MAX, 1, 3};
  EXPECT_TRUE(third.passes({1, 3, 0}));
  EXPECT_FALSE(third.passes({333'333'334, 1'000'000'001, 0}));
  EXPECT_TRUE(third.passes({333'333'333, 1'000'000'000, 0}));
  EXPECT_TRUE(third.passes({0, 0, 0}));
  EXPECT_FALSE((Threshold{2, 1, 0}.passes({3, 100, 0})));
}

TEST(Threshold, OffsetsOutweighCounts) {
  const Threshold balance{UINT32_MAX, 1, 20, -30};  // 20 for each count, 1 for each of the denominator
  EXPECT_TRUE(balance.passes({0, 30, 30}));
  EXPECT_FALSE(balance.passes({0, 29, 29}));
  EXPECT_TRUE(balance.passes({2, 70, 70}));
  EXPECT_FALSE(balance.passes({2, 69, 69}));
  EXPECT_TRUE((Threshold{UINT32_MAX, 1, 20, kOpenOffset}.passes({UINT32_MAX, 0, 0})));
}

}  // namespace
}  // namespace fastid
