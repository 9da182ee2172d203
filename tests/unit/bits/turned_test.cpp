// Profiles turned on their side.
#include "bits/turned.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "base/thread_pool.hpp"

namespace fastid {
namespace {

class Turned : public ::testing::TestWithParam<std::pair<std::uint64_t, std::uint32_t>> {};

TEST_P(Turned, EachSiteIsAProfileOfPeople) {
  const auto [people, sites] = GetParam();
  for (const Encoding encoding : {Encoding::kAlleles, Encoding::kMinor}) {
    BitBlocks blocks({people, sites, encoding});
    std::mt19937 rng(7);
    for (std::uint64_t p = 0; p < people; ++p)
      for (std::uint32_t s = 0; s < sites; ++s)
        if (const auto seen = static_cast<Seen>(rng() % 4); seen != kNoneSeen) blocks.set_seen(p, s, seen);
    const MemorySource source(blocks.view());
    ThreadPool pool(2);
    const TurnedBlocks turned(source, pool);
    const BlocksView view = turned.view();
    ASSERT_EQ(view.shape.n_profiles, sites);
    ASSERT_EQ(view.shape.n_sites, people);
    std::vector<std::uint32_t> backwards(sites);
    for (std::uint32_t s = 0; s < sites; ++s) backwards[s] = sites - 1 - s;
    const TurnedBlocks chosen = turned.chosen(backwards);
    const auto bit = [](Word word, std::uint64_t at) { return (word >> at % kWordBits & 1) != 0; };
    for (std::uint32_t s = 0; s < sites; ++s)
      for (std::uint64_t p = 0; p < people; ++p) {
        const bool minor = blocks.bit(p, s), called = blocks.called(p, s);
        const Word major = blocks.view().shape.encoding == Encoding::kAlleles
                               ? blocks.view().major_word(p, s / kWordBits)
                               : (called && !minor ? ~Word{0} : 0);
        EXPECT_EQ(bit(view.bits_word(s, p / kWordBits), p), minor);
        EXPECT_EQ(bit(view.major_word(s, p / kWordBits), p), bit(major, s));
        EXPECT_EQ(bit(chosen.view().bits_word(backwards[s], p / kWordBits), p), minor);
      }
    // Unused bits and lanes are 0.
    std::size_t set = 0, expected = 0;
    for (std::size_t i = 0; i < view.shape.n_blocks() * view.shape.block_words(); ++i)
      set += static_cast<std::size_t>(std::popcount(view.bits[i]));
    for (std::uint32_t s = 0; s < sites; ++s)
      for (std::uint64_t p = 0; p < people; ++p) expected += blocks.bit(p, s);
    EXPECT_EQ(set, expected);
  }
}

TEST_P(Turned, ASiteCanBeChangedByItself) {
  const auto [people, sites] = GetParam();
  BitBlocks blocks({people, sites, Encoding::kAlleles});
  for (std::uint64_t p = 0; p < people; ++p)
    for (std::uint32_t s = 0; s < sites; ++s) blocks.set_seen(p, s, kMajorSeen);
  const MemorySource source(blocks.view());
  ThreadPool pool(1);
  TurnedBlocks turned(source, pool);
  std::size_t words = 0;
  turned.change(sites - 1, [&](std::size_t word, Word& minor, Word& major) {
    EXPECT_EQ(word, words++);
    std::swap(minor, major);
  });
  EXPECT_EQ(words, ceil_div<std::size_t>(people, kWordBits));
  for (std::uint32_t s = 0; s < sites; ++s)
    for (std::size_t word = 0; word < words; ++word) {
      const Word all = sites_mask(static_cast<std::uint32_t>(people), word);
      EXPECT_EQ(turned.view().bits_word(s, word), s + 1 == sites ? all : 0);
      EXPECT_EQ(turned.view().major_word(s, word), s + 1 == sites ? 0 : all);
    }
}

INSTANTIATE_TEST_SUITE_P(BothSidesOfABlock, Turned,
                         ::testing::Values(std::pair{1, 1}, std::pair{31, 33}, std::pair{32, 32},
                                           std::pair{65, 31}, std::pair{300, 70}));

}  // namespace
}  // namespace fastid
