// Words of sites into words of profiles, against bits that are moved one at a time.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "bits/blocks.hpp"

namespace fastid {
namespace {

TEST(Transpose, MovesEachBitAcrossTheDiagonal) {
  std::mt19937 random(32);
  for (int round = 0; round < 50; ++round) {
    std::array<Word, 32> words{};
    if (round < 32)
      words[static_cast<std::size_t>(round)] = static_cast<Word>(random());
    else
      for (Word& word : words) word = static_cast<Word>(random());
    std::array<Word, 32> expected{};
    for (unsigned row = 0; row < 32; ++row)
      for (unsigned bit = 0; bit < 32; ++bit)
        if ((words[row] >> bit & 1) != 0) expected[bit] |= Word{1} << row;
    std::array<Word, 32> turned = words;
    transpose32(turned.data());
    EXPECT_EQ(turned, expected);
    transpose32(turned.data());
    EXPECT_EQ(turned, words);
  }
}

TEST(BitBlocks, SetWordChangesOnlyWhatIsTouched) {
  BitBlocks blocks({64, 64});
  for (std::uint64_t p = 0; p < 64; ++p)
    for (std::uint32_t s = 0; s < 64; ++s) blocks.set(p, s, (p + s) % 3 == 0);
  std::array<Word, kLanes> bits, called;
  bits.fill(0xFFFFFFFF);
  called.fill(0xFFFFFFFF);
  blocks.set_word(1, 1, 0x80000001, bits.data(), called.data());
  for (std::uint64_t p = 0; p < 64; ++p)
    for (std::uint32_t s = 0; s < 64; ++s)
      EXPECT_EQ(blocks.bit(p, s), (p >= 32 && (s == 32 || s == 63)) || (p + s) % 3 == 0) << p << ", " << s;
  called.fill(0);
  bits.fill(0);
  blocks.set_word(1, 1, ~Word{0}, bits.data(), called.data());
  for (std::uint64_t p = 0; p < 64; ++p)
    for (std::uint32_t s = 0; s < 64; ++s) EXPECT_EQ(blocks.called(p, s), p < 32 || s < 32) << p << ", " << s;
}

}  // namespace
}  // namespace fastid
