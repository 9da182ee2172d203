// Neighbouring blocks as a source of their own.
#include "bits/block_range.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fastid {
namespace {

TEST(BlockRange, HasTheBlocksAndRowsOfItsRange) {
  BitBlocks people({150, 70});
  for (std::uint64_t i = 0; i < 150; ++i)
    for (std::uint32_t s = 0; s < 70; ++s)
      if ((i + s) % 11 != 0) people.set(i, s, (7 * i + s) % 3 == 0);
  const MemorySource source(people.view());
  RowMask even(150);
  for (std::uint64_t row = 0; row < 150; row += 2) even.set(row, true);
  std::uint64_t rows = 0, held = 0;
  for (std::uint32_t i = 1; i <= 7; ++i) {
    const BlockRange range(source, share_of(5, {i, 7}));
    const BlockShape shape = range.shape();
    EXPECT_EQ(range.first_row(), rows);
    rows += shape.n_profiles;
    held += range.of(even).count();
    if (shape.n_profiles == 0) continue;
    std::vector<Word> bits(shape.block_words()), second(bits.size());
    range.read(0, 1, bits.data(), second.data());
    const BlocksView read{shape, bits.data(), second.data()};
    for (std::size_t word = 0; word < shape.n_words(); ++word) {
      EXPECT_EQ(read.bits_word(0, word), people.view().bits_word(range.first_row(), word));
      EXPECT_EQ(read.called_word(0, word), people.view().called_word(range.first_row(), word));
    }
    EXPECT_EQ(range.view(0, 1).bits_word(1, 0), people.view().bits_word(range.first_row() + 1, 0));
  }
  EXPECT_EQ(rows, 150u);
  EXPECT_EQ(held, 75u);
}

TEST(Shards, HaveSharesThatDifferByOneAtMost) {
  for (const std::uint64_t n : {0ull, 5ull, 1000ull, ~0ull}) {
    std::uint64_t end = 0;
    for (std::uint32_t i = 1; i <= 7; ++i) {
      const Range share = share_of(n, {i, 7});
      EXPECT_EQ(share.first, end);
      EXPECT_LE(share.size() - n / 7, 1u);
      end = share.end;
    }
    EXPECT_EQ(end, n);
  }
}

}  // namespace
}  // namespace fastid
