// The blocked layout against its formula, on both sides of every edge.
#include "bits/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bits/called_sites.hpp"
#include "bits/rows.hpp"

namespace fastid {
namespace {

TEST(BlockShape, CountsBlocksAndWords) {
  EXPECT_EQ((BlockShape{0, 1}.n_blocks()), 0u);
  EXPECT_EQ((BlockShape{32, 32}.n_blocks()), 1u);
  EXPECT_EQ((BlockShape{33, 33}.n_blocks()), 2u);
  EXPECT_EQ((BlockShape{33, 33}.n_words()), 2u);
  EXPECT_EQ((BlockShape{33, 33}.block_bytes()), 256u);
}

TEST(SitesMask, HasOneBitASite) {
  EXPECT_EQ(sites_mask(31, 0), 0x7FFFFFFFu);
  EXPECT_EQ(sites_mask(32, 0), 0xFFFFFFFFu);
  EXPECT_EQ(sites_mask(33, 1), 1u);
  EXPECT_EQ(sites_mask(33, 2), 0u);
}

TEST(BitBlocks, PutsSiteSOfProfileIWhereTheFormulaSays) {
  std::mt19937 rng(7);
  for (const std::uint64_t profiles : {1, 31, 32, 33, 65})
    for (const std::uint32_t sites : {1u, 31u, 32u, 33u, 100u}) {
      BitBlocks blocks({profiles, sites});
      std::vector<std::vector<int>> truth(profiles, std::vector<int>(sites));  // 0, 1, or 2: not called
      for (std::uint64_t i = 0; i < profiles; ++i)
        for (std::uint32_t s = 0; s < sites; ++s) {
          truth[i][s] = static_cast<int>(rng() % 3);
          blocks.set(i, s, true);
          truth[i][s] == 2 ? blocks.clear(i, s) : blocks.set(i, s, truth[i][s] == 1);
        }
      const std::size_t n_words = (sites + 31) / 32;
      const BlocksView view = blocks.view();
      for (std::uint64_t i = 0; i < profiles; ++i)
        for (std::uint32_t s = 0; s < sites; ++s) {
          const std::size_t at = (i / 32 * n_words + s / 32) * 32 + i % 32;  // bits[i/32, s/32, i%32]
          ASSERT_EQ(view.bits[at] >> (s % 32) & 1, truth[i][s] == 1 ? 1u : 0u);
          if (view.second) {
            ASSERT_EQ(view.second[at] >> (s % 32) & 1, truth[i][s] == 2 ? 0u : 1u);
          } else {
            ASSERT_NE(truth[i][s], 2);
          }
        }
    }
}

TEST(BitBlocks, HasACalledPlaneOnlyWhereACallIsMissing) {
  BitBlocks blocks({33, 33});
  for (std::uint64_t i = 0; i < 33; ++i)
    for (std::uint32_t s = 0; s < 33; ++s) blocks.set(i, s, false);
  EXPECT_EQ(blocks.view().second, nullptr);
  blocks.clear(32, 32);
  EXPECT_NE(blocks.view().second, nullptr);
  EXPECT_EQ(blocks.called_sites(32), 32u);
}

TEST(BitBlocks, CountsCalledSitesOfABlocksProfiles) {
  for (const Encoding encoding : {Encoding::kMinor, Encoding::kAlleles}) {
    BitBlocks blocks({45, 1000, encoding});
    std::mt19937 random(45);
    for (std::uint64_t i = 0; i < 45; ++i)
      for (std::uint32_t s = 0; s < 1000; ++s) blocks.set_seen(i, s, static_cast<Seen>(random() % 4));
    for (const std::uint64_t block : {0, 1}) {
      const auto called = called_in_block(blocks.view(), block);
      for (std::uint64_t i = block * kLanes; i < std::min<std::uint64_t>(45, (block + 1) * kLanes); ++i)
        EXPECT_EQ(called[i % kLanes], blocks.called_sites(i)) << i;
      for (std::uint64_t lane = 45; lane < (block + 1) * kLanes; ++lane)
        EXPECT_EQ(called[lane % kLanes], 0u) << "no profile's";
    }
  }
  const BitBlocks all({33, 70}, BitBlocks::Start::kAllCalled);
  EXPECT_EQ(called_in_block(all.view(), 1)[0], 70u);
  EXPECT_EQ(called_in_block(all.view(), 1)[1], 0u);
}

TEST(BitBlocks, MayStartWithEverySiteCalled) {
  constexpr std::uint64_t kProfiles = 33;
  constexpr std::uint32_t kSites = 70;
  BitBlocks plain({kProfiles, kSites}), called({kProfiles, kSites}, BitBlocks::Start::kAllCalled);
  for (std::uint64_t i = 0; i < kProfiles; ++i)
    for (std::uint32_t s = 0; s < kSites; ++s) plain.set(i, s, i % 3 == s % 3);
  const auto copy_words = [&] {
    for (std::uint64_t block = 0; block < plain.shape().n_blocks(); ++block)
      for (std::size_t w = 0; w < plain.shape().n_words(); ++w) {
        Word bits[kLanes] = {}, calls[kLanes] = {};
        for (std::uint64_t i = block * kLanes; i < std::min(kProfiles, (block + 1) * kLanes); ++i)
          for (std::uint32_t s = 32 * static_cast<std::uint32_t>(w); s < kSites && s / 32 == w; ++s) {
            bits[i % kLanes] |= Word{plain.bit(i, s)} << s % 32;
            calls[i % kLanes] |= Word{plain.called(i, s)} << s % 32;
          }
        called.set_word(block, w, ~Word{0}, bits, calls);
      }
  };
  const auto expect_same = [&] {
    for (std::uint64_t i = 0; i < kProfiles; ++i) {
      EXPECT_EQ(called.called_sites(i), plain.called_sites(i)) << i;
      for (std::uint32_t s = 0; s < kSites; ++s) {
        ASSERT_EQ(called.bit(i, s), plain.bit(i, s)) << i << ' ' << s;
        ASSERT_EQ(called.called(i, s), plain.called(i, s)) << i << ' ' << s;
      }
    }
    EXPECT_EQ(called.all_called(), plain.all_called());
  };
  copy_words();
  EXPECT_EQ(called.view().second, nullptr);
  expect_same();
  plain.clear(32, 69);
  plain.clear(0, 31);
  copy_words();
  ASSERT_NE(called.view().second, nullptr);
  EXPECT_EQ(called.view().second[called.shape().block_words() + 1], 0u) << "a lane past the last profile";
  expect_same();
}

TEST(BitBlocks, CopiesAProfileWithItsNoCalls) {
  BitBlocks from({40, 70}), to({3, 70});
  from.set(35, 69, true);
  from.set(35, 1, false);
  to.set(2, 5, true);
  to.copy_profile(2, from.view(), 35);
  EXPECT_TRUE(to.bit(2, 69));
  EXPECT_TRUE(to.called(2, 1));
  EXPECT_FALSE(to.called(2, 5));
  EXPECT_EQ(to.called_sites(2), 2u);
}

TEST(ProfileRows, TakesRowsFromBlocksAndFillsTheMissingPlane) {
  BitBlocks blocks({34, 40});
  for (std::uint64_t i = 0; i < 34; ++i)
    for (std::uint32_t s = 0; s < 40; ++s) blocks.set(i, s, (i + s) % 3 == 0);
  const std::vector<std::uint64_t> which{33, 0};
  const ProfileRows rows = ProfileRows::from_blocks(blocks.view(), which);
  EXPECT_TRUE(rows.all_called());
  EXPECT_EQ(rows.called_sites(0), 40u);
  for (std::uint32_t s = 0; s < 40; ++s)
    EXPECT_EQ(rows.row(0).bits[s / 32] >> (s % 32) & 1, (33 + s) % 3 == 0 ? 1u : 0u);
}

TEST(ProfileRows, KnowsHowManySitesOfEachRowAreCalled) {
  ProfileRows rows(2, 40);
  for (const bool minor : {true, true, false}) rows.set(0, 3, minor);
  EXPECT_EQ(rows.called_sites(0), 1u);
  for (std::uint32_t s = 0; s < 40; ++s) rows.set(1, s, s % 2 == 0);
  EXPECT_EQ(rows.called_sites(1), 40u);
  EXPECT_FALSE(rows.all_called());
  EXPECT_TRUE(rows.slice(1, 1).all_called());
  EXPECT_EQ(rows.slice(0, 1).called_sites(0), 1u);
  BitBlocks blocks({34, 40});
  blocks.set(33, 7, true);
  rows.append(blocks.view(), std::vector<std::uint64_t>{33, 2});
  EXPECT_EQ(rows.called_sites(2), 1u);
  EXPECT_EQ(rows.called_sites(3), 0u);
}

TEST(MemorySource, ReadsRunsOfBlocks) {
  BitBlocks blocks({100, 40});
  blocks.set(96, 39, true);
  const MemorySource source(blocks.view());
  ASSERT_TRUE(source.has_second());
  std::vector<Word> bits(2 * blocks.shape().block_words()), called(bits.size());
  source.read(2, 2, bits.data(), called.data());
  EXPECT_EQ(bits[blocks.shape().block_words() + kLanes], Word{1} << 7);
}

}  // namespace
}  // namespace fastid
