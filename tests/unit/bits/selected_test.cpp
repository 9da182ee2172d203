// Chosen profiles as a source of their own, and rows read from a source.
#include "bits/selected.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "bits/rows.hpp"

namespace fastid {
namespace {

BitBlocks random_people(std::uint64_t n_profiles, Encoding encoding) {
  BitBlocks blocks({n_profiles, 70, encoding});
  std::mt19937 rng(3);
  for (std::uint64_t i = 0; i < n_profiles; ++i)
    for (std::uint32_t s = 0; s < 70; ++s)
      if (const auto seen = static_cast<Seen>(rng() % 4); seen != kNoneSeen) blocks.set_seen(i, s, seen);
  return blocks;
}

std::vector<std::uint64_t> every(std::uint64_t step, std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> rows;
  for (; first < end; first += step) rows.push_back(first);
  return rows;
}

class Selected : public ::testing::TestWithParam<Encoding> {};

// 32 is a block: selections end before, at and after the end of one.
TEST_P(Selected, BlocksHoldTheChosenProfilesAndNothingElse) {
  const BitBlocks people = random_people(200, GetParam());
  const MemorySource source(people.view());
  for (const std::uint64_t n : {1, 31, 32, 33, 64, 66}) {
    const std::vector<std::uint64_t> rows = every(3, 1, 1 + 3 * n);
    const SelectedRows selected(source, rows);
    const BlockShape shape = selected.shape();
    ASSERT_EQ(shape.n_profiles, n);
    std::vector<Word> bits(shape.n_blocks() * shape.block_words(), ~Word{0}), second = bits;
    selected.read(0, static_cast<std::size_t>(shape.n_blocks()), bits.data(), second.data());
    const BlocksView view{shape, bits.data(), second.data()};
    for (std::uint64_t i = 0; i < shape.n_blocks() * kLanes; ++i)
      for (std::size_t w = 0; w < shape.n_words(); ++w) {
        EXPECT_EQ(view.bits_word(i, w), i < n ? people.view().bits_word(rows[i], w) : 0) << i;
        EXPECT_EQ(view.called_word(i, w), i < n ? people.view().called_word(rows[i], w) : 0) << i;
      }
  }
}

TEST_P(Selected, APartIsReadAsInTheWhole) {
  const BitBlocks people = random_people(300, GetParam());
  const MemorySource source(people.view());
  const SelectedRows selected(source, every(2, 0, 300));
  const std::size_t words = selected.shape().block_words();
  std::vector<Word> all(5 * words), all_second(5 * words), part(2 * words), part_second(2 * words);
  selected.read(0, 5, all.data(), all_second.data());
  selected.read(2, 2, part.data(), part_second.data());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 2 * static_cast<std::ptrdiff_t>(words)));
  EXPECT_TRUE(std::equal(part_second.begin(), part_second.end(),
                         all_second.begin() + 2 * static_cast<std::ptrdiff_t>(words)));
}

TEST_P(Selected, WordsAreThoseOfEachProfile) {
  const BitBlocks people = random_people(75, GetParam());  // of 70 sites: three words
  const MemorySource source(people.view());
  for (const Range& words : {Range{0, 3}, Range{0, 1}, Range{1, 2}, Range{1, 3}, Range{2, 3}}) {
    const SelectedWords selected(source, words);
    const BlockShape shape = selected.shape();
    ASSERT_EQ(shape.n_sites, std::min<std::uint64_t>(70, words.end * kWordBits) - words.first * kWordBits);
    std::vector<Word> bits(shape.n_blocks() * shape.block_words(), ~Word{0}), second = bits;
    selected.read(0, 1, bits.data(), second.data());
    selected.read(1, 2, bits.data() + shape.block_words(), second.data() + shape.block_words());
    const BlocksView view{shape, bits.data(), second.data()};
    for (std::uint64_t i = 0; i < 75; ++i)
      for (std::size_t w = 0; w < shape.n_words(); ++w) {
        EXPECT_EQ(view.bits_word(i, w), people.view().bits_word(i, words.first + w));
        EXPECT_EQ(view.called_word(i, w), people.view().called_word(i, words.first + w));
      }
  }
}

TEST_P(Selected, RowsOfASourceAreThoseOfItsBlocks) {
  const BitBlocks people = random_people(700, GetParam());
  const MemorySource source(people.view());
  ThreadPool pool(3);
  for (const auto& [first, n] : {std::pair{0, 700}, {0, 1}, {31, 2}, {33, 600}, {699, 1}}) {
    std::vector<std::uint64_t> profiles(static_cast<std::size_t>(n));
    std::iota(profiles.begin(), profiles.end(), first);
    EXPECT_EQ(ProfileRows::from_source(source, first, static_cast<std::size_t>(n), pool),
              ProfileRows::from_blocks(people.view(), profiles))
        << first << " " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, Selected, ::testing::Values(Encoding::kMinor, Encoding::kAlleles));

}  // namespace
}  // namespace fastid
