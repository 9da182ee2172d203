// A tile is read in pieces, by whoever is free.
#include "pipeline/internal/tile_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "world.hpp"

namespace fastid::pipeline {
namespace {

using testing::Touchy;

// Blocks of 80 KB, a few of which are a piece. What the bits are does not matter here.
struct LargeBlocks {
  LargeBlocks() {
    std::mt19937 rng(5);
    for (Word& word : words.span()) word = static_cast<Word>(rng());
  }
  engine::Tile tile(std::uint64_t first, std::size_t n) const {
    return {first, {std::min<std::uint64_t>(n * kLanes, shape.n_profiles - first * kLanes), shape.n_sites}};
  }
  BlockShape shape{3000, 20'000};
  WordBuffer words{shape.n_blocks() * shape.block_words()};
  BlocksView view{shape, words.data(), words.data()};
};

TEST(ReadTile, ReadsWhatTheSourceHasFromManyThreadsAtOnce) {
  const LargeBlocks large;
  const BlocksView& view = large.view;
  const Touchy touchy(view);
  ThreadPool pool(5);
  const std::size_t block = view.shape.block_words();
  pool.for_each(3, [&](std::size_t i, const ThreadPool::Stop&) {
    for (const std::uint64_t first : {0u, 1u, 17u})
      for (const std::size_t n : {std::size_t{1}, 20 + i, 77 - i}) {
        WordBuffer bits(n * block), called(n * block);
        const ReadChecks checks = i == 0 ? ReadChecks::kLater : ReadChecks::kHere;
        read_tile(touchy, large.tile(first, n), checks, pool, {bits.data(), called.data()});
        EXPECT_TRUE(std::equal(bits.data(), bits.data() + n * block, view.bits + first * block));
        EXPECT_TRUE(std::equal(called.data(), called.data() + n * block, view.second + first * block));
      }
  });
  EXPECT_GT(touchy.reads, 60) << "large reads come in pieces";
  EXPECT_GT(touchy.unhashed_reads, 30);
}

TEST(ReadTile, PassesOnWhatGoesWrongInAnyPiece) {
  const LargeBlocks large;
  const Touchy touchy(large.view, 50);
  ThreadPool pool(3);
  WordBuffer bits(93 * large.shape.block_words()), called(bits.size());
  const engine::TileBuffer to{bits.data(), called.data()};
  EXPECT_THROW(read_tile(touchy, large.tile(0, 93), ReadChecks::kHere, pool, to), InputError);
  EXPECT_NO_THROW(read_tile(touchy, large.tile(0, 50), ReadChecks::kHere, pool, to))
      << "it goes on after that";
}

}  // namespace
}  // namespace fastid::pipeline
