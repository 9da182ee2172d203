// Threads that read a tile side by side, and help in other ways.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <random>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "pipeline/internal/split_source.hpp"
#include "world.hpp"

namespace fastid {
namespace {

using testing::kNone;
using testing::Touchy;

// Blocks of 80 KB, a few of which are a piece. What the bits are does not matter here.
struct LargeBlocks {
  LargeBlocks() {
    std::mt19937 rng(5);
    for (Word& word : words.span()) word = static_cast<Word>(rng());
  }
  BlockShape shape{3000, 20'000};
  WordBuffer words{shape.n_blocks() * shape.block_words()};
  BlocksView view{shape, words.data(), words.data()};
};

TEST(SplitSource, ReadsWhatTheSourceHasFromManyThreadsAtOnce) {
  const LargeBlocks large;
  const BlocksView& view = large.view;
  const Touchy touchy(view, kNone);
  Helpers helpers(3);
  helpers.start();
  const SplitSource split(touchy, helpers);
  const std::size_t block = view.shape.block_words();
  run_crew(3, [&](std::size_t i, const auto&) {
    for (const std::uint64_t first : {0u, 1u, 17u})
      for (const std::size_t n : {std::size_t{1}, 20 + i, 77 - i}) {
        WordBuffer bits(n * block), called(n * block);
        split.read(first, n, bits.data(), called.data());
        EXPECT_TRUE(std::equal(bits.data(), bits.data() + n * block, view.bits + first * block));
        EXPECT_TRUE(std::equal(called.data(), called.data() + n * block, view.called + first * block));
      }
  });
  EXPECT_GT(touchy.reads, 100) << "large reads come in pieces";
}

TEST(SplitSource, PassesOnWhatGoesWrongInAnyPiece) {
  const LargeBlocks large;
  const Touchy touchy(large.view, 50);
  Helpers helpers(2);
  helpers.start();
  const SplitSource split(touchy, helpers);
  WordBuffer bits(93 * large.shape.block_words()), called(bits.size());
  EXPECT_THROW(split.read(0, 93, bits.data(), called.data()), InputError);
  EXPECT_NO_THROW(split.read(0, 50, bits.data(), called.data())) << "it goes on after that";
}

// What ranks a lane's pairs does not wait for the tiles that others read.
TEST(Helpers, TakePiecesAheadOfThoseThatWereSharedBefore) {
  Helpers helpers(1);
  helpers.start();
  std::latch reading(2), ranking(1), ranked(1);
  std::atomic<int> read = 0, read_before = -1;
  run_crew(2, [&](std::size_t i, const auto&) {
    if (i == 0) {  // this thread has the first piece, the helper the next
      helpers.share(20, [&](std::size_t piece) {
        if (piece < 2) reading.arrive_and_wait();
        if (piece < 2) ranking.wait();
        if (piece == 0) ranked.wait();
        ++read;
      });
      return;
    }
    reading.wait();
    helpers.share(
        2,
        [&](std::size_t piece) {
          if (piece == 0) {
            ranking.count_down();
            ranked.wait();
          } else {
            read_before = read.load();
            ranked.count_down();
          }
        },
        Helpers::Order::kAhead);
  });
  EXPECT_EQ(read_before, 1);
  EXPECT_EQ(read, 20);
}

TEST(Helpers, RunEveryPieceOnceWheneverTheyStart) {
  Helpers helpers(3);
  run_crew(4, [&](std::size_t own, const auto&) {
    if (own == 0) helpers.start();  // while others share already
    for (const std::size_t n : {0u, 1u, 2u, 100u}) {
      std::vector<std::atomic<int>> runs(n);
      helpers.share(n, [&](std::size_t i) { ++runs[i]; });
      for (const auto& times : runs) EXPECT_EQ(times, 1);
    }
  });
}

}  // namespace
}  // namespace fastid
