// The definition on pairs worked out by hand.
#include "engine/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>

#include "bits/popcount.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {
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

/// People of 75 sites, some not called, by both encodings.
struct BlocksOfPeople {
  explicit BlocksOfPeople(Encoding by) : rows(3, 75, by), blocks({40, 75, by}) {
    std::mt19937 random(3);
    const auto seen = [&] { return static_cast<Seen>(random() % 4); };
    for (std::uint32_t site = 0; site < 75; ++site) {
      for (std::size_t row = 0; row < 3; ++row)
        if (const Seen of = seen(); of != kNoneSeen) rows.set_seen(row, site, of);
      for (std::uint64_t profile = 0; profile < 40; ++profile)
        if (const Seen of = seen(); of != kNoneSeen) blocks.set_seen(profile, site, of);
    }
  }

  ProfileRows rows;
  BitBlocks blocks;
};

TEST(CountBlock, CountsEachProfileOfABlockAsByItself) {
  for (const Encoding by : {Encoding::kMinor, Encoding::kAlleles}) {
    const BlocksOfPeople people(by);
    for (const Comparison comparison :
         {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture, Comparison::kKinship}) {
      if (comparison == Comparison::kKinship && by == Encoding::kMinor) continue;
      for (std::size_t row = 0; row < 3; ++row)
        for (const std::uint64_t block : {0u, 1u}) {
          std::array<PairCounts, kLanes> counts;
          count_block(comparison, by, people.rows.row(row), people.blocks.view().block(block), counts);
          for (std::uint64_t profile = block * kLanes;
               profile < std::min<std::uint64_t>(40, (block + 1) * kLanes); ++profile)
            EXPECT_EQ(counts[profile % kLanes],
                      count_pair(comparison, by, people.rows.row(row), people.blocks.view(), profile));
        }
    }
  }
}

TEST(CountBlock, CountsTheLanesThatAreWanted) {
  const BlocksOfPeople people(Encoding::kAlleles);
  std::array<PairCounts, kLanes> all, some;
  const auto count = [&](std::array<PairCounts, kLanes>& counts, Word wanted) {
    return count_block(Comparison::kIdentity, Encoding::kAlleles, people.rows.row(1),
                       people.blocks.view().block(0), counts, wanted);
  };
  EXPECT_EQ(count(all, ~Word{0}), ~Word{0});
  for (const Word wanted :
       {Word{0}, Word{1}, Word{1} << 15, Word{1} << 16, Word{1} << 31, Word{0x00010004}}) {
    some = {};
    const Word counted = count(some, wanted);
    EXPECT_EQ(counted & wanted, wanted);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(some[lane], (counted >> lane & 1) != 0 ? all[lane] : PairCounts{}) << wanted << ' ' << lane;
  }
}

TEST(CountBlock, ReadsMinorAllelesOfABlockThatSaysMore) {
  const BlocksOfPeople people(Encoding::kAlleles), asked(Encoding::kMinor);
  std::array<PairCounts, kLanes> counts;
  count_block(Comparison::kIdentity, Encoding::kMinor, asked.rows.row(0), people.blocks.view().block(0),
              counts);
  for (std::uint64_t profile = 0; profile < kLanes; ++profile)
    EXPECT_EQ(counts[profile], count_pair(Comparison::kIdentity, Encoding::kMinor, asked.rows.row(0),
                                          people.blocks.view(), profile));
}

TEST(CountBlock, CountsGenotypesAsOfTwoRows) {
  const BlocksOfPeople people(Encoding::kAlleles);
  std::array<GenotypeCounts, kLanes> counts;
  count_genotypes(people.rows.row(1), people.blocks.view().block(0), counts);
  for (std::uint64_t lane = 0; lane < kLanes; ++lane)
    EXPECT_EQ(counts[lane],
              count_genotypes(people.rows.row(1),
                              ProfileRows::from_blocks(people.blocks.view(), {&lane, 1}).row(0)));
}

TEST(BitsSet, CountsAsTheLibraryDoes) {
  std::mt19937_64 random(11);
  for (const std::uint64_t word :
       {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63})
    EXPECT_EQ(bits_set(word), std::popcount(word));
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t word = random() & random();
    EXPECT_EQ(bits_set(word), std::popcount(word));
  }
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
  const Threshold weighed{UINT32_MAX, 1, 20, -30};  // 20 for each count, 1 for each of the denominator
  EXPECT_TRUE(weighed.passes({0, 30, 30}));
  EXPECT_FALSE(weighed.passes({0, 29, 29}));
  EXPECT_TRUE(weighed.passes({2, 70, 70}));
  EXPECT_FALSE(weighed.passes({2, 69, 69}));
  EXPECT_TRUE((Threshold{UINT32_MAX, 1, 20, kOpenOffset}.passes({UINT32_MAX, 0, 0})));
}

}  // namespace
}  // namespace fastid::engine
