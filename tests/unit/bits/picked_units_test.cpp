// Some units of profiles on their side, against the bits one after another.
#include "bits/picked_units.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace fastid {
namespace {

Seen seen_of(const BlocksView& view, std::uint64_t profile, std::uint32_t unit) {
  const auto bit = [&](Word word) { return word >> unit % kWordBits & 1; };
  return static_cast<Seen>(bit(view.major_word(profile, unit / kWordBits)) * kMajorSeen +
                           bit(view.bits_word(profile, unit / kWordBits)) * kMinorSeen);
}

// None, one, few, most and all units of a word, over words' and blocks' edges.
TEST(PickedUnits, AreThoseOfTheMasksCloseTogether) {
  constexpr std::uint32_t kTurned = 37;
  std::mt19937 rng(4);
  std::vector<BitBlocks> blocks;
  std::vector<BlocksView> views;
  std::vector<std::vector<Word>> picked;
  std::vector<std::vector<Seen>> right(kTurned);
  for (const std::uint32_t units : {1U, 31U, 200U}) {
    BitBlocks& made = blocks.emplace_back(BlockShape{kTurned, units, Encoding::kAlleles});
    std::vector<Word>& mask = picked.emplace_back(made.shape().n_words());
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      const unsigned share = unit / kWordBits % 4;  // of three words 0, 1 and 2 of 3 units, of one all
      const bool is = unit / kWordBits == 6 ? unit % kWordBits == 5 : rng() % 3 < share;
      if (is) mask[unit / kWordBits] |= Word{1} << unit % kWordBits;
      for (std::uint32_t profile = 0; profile < kTurned; ++profile) {
        const auto seen = static_cast<Seen>(rng() % 4);
        if (seen != kNoneSeen) made.set_seen(profile, unit, seen);
        if (is) right[profile].push_back(profile < 3 ? kNoneSeen : seen);
      }
    }
  }
  for (const BitBlocks& made : blocks) views.push_back(made.view());
  const PickedUnits units(views, picked, 3);
  const BlocksView view = units.view();
  ASSERT_EQ(view.shape,
            (BlockShape{kTurned, static_cast<std::uint32_t>(right[0].size()), Encoding::kAlleles}));
  for (std::uint32_t profile = 0; profile < kTurned; ++profile)
    for (std::uint32_t unit = 0; unit < view.shape.n_sites; ++unit)
      ASSERT_EQ(seen_of(view, profile, unit), right[profile][unit]) << profile << " " << unit;
}

TEST(PickedUnits, MayBeNone) {
  const BitBlocks blocks({5, 70, Encoding::kAlleles});
  const BlocksView view = blocks.view();
  const std::vector<Word> none(3);
  EXPECT_EQ(PickedUnits({&view, 1}, {&none, 1}).view().shape, (BlockShape{5, 0, Encoding::kAlleles}));
}

}  // namespace
}  // namespace fastid
