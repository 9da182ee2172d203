// Tiles cover every block once, small where thresholds are open and at the end.
#include "pipeline/internal/tile_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fastid {
namespace {

TEST(TileQueue, CoversEveryBlockOnceInTilesOfTheSizesAllowed) {
  for (const std::size_t largest : {1u, 2u, 5u, 64u, 1000u})
    for (const std::size_t lanes : {1u, 2u, 16u})
      for (const std::uint64_t end : {0u, 1u, 4u, 5u, 6u, 333u, 5000u}) {
        TileQueue tiles(0, end, {1, largest, lanes});
        std::uint64_t at = 0;
        while (const auto tile = tiles.next()) {
          EXPECT_EQ(tile->first, at);
          EXPECT_GE(tile->n, 1u);
          EXPECT_LE(tile->n, largest);
          at += tile->n;
          if (tile->first == 0 || tile->n % 3 != 0) tiles.done(*tile);  // some are still in flight
        }
        EXPECT_EQ(at, end);
      }
}

TEST(TileQueue, GivesNoTileThatIsLargerThanAllThatWasRankedBefore) {
  TileQueue tiles(0, 100'000, {4, 1024, 3});
  EXPECT_EQ(tiles.next(), (Tile{0, 4}));
  EXPECT_EQ(tiles.next(), (Tile{4, 4}));  // the first is in flight
  tiles.done({0, 4});
  tiles.done({4, 4});
  EXPECT_EQ(tiles.next(), (Tile{8, 8}));
  tiles.done({16, 2000});
  EXPECT_EQ(tiles.next(), (Tile{16, 1024}));
}

TEST(TileQueue, GivesLargeTilesBehindTheFirstWhereTheyNeedNotGrow) {
  TileQueue tiles(10, 5000, {.first = 64, .largest = 1024, .lanes = 3, .grow = false, .small_last = false});
  EXPECT_EQ(tiles.next(), (Tile{10, 64}));
  EXPECT_EQ(tiles.next(), (Tile{74, 1024}));
  TileQueue shrinking(0, 1000, {.first = 25, .largest = 400, .lanes = 2, .grow = false});
  EXPECT_EQ(shrinking.next(), (Tile{0, 25}));
  EXPECT_EQ(shrinking.next(), (Tile{25, 244}));  // a fair share of what is left
}

TEST(TileQueue, GivesNoLaneMoreThanItHasRoomFor) {
  TileQueue tiles(0, 100, {20, 20, 2});
  EXPECT_EQ(tiles.next(5), (Tile{0, 5}));
  EXPECT_EQ(tiles.next(), (Tile{5, 20}));
  EXPECT_EQ(tiles.next(70), (Tile{25, 20}));
}

TEST(TileQueue, GivesEachLaneAFairShareOfWhatIsLeftAtTheEnd) {
  TileQueue tiles(0, 1000, {1, 400, 2});
  tiles.done({0, 5000});
  std::vector<std::size_t> sizes;
  while (const auto tile = tiles.next()) sizes.push_back(tile->n);
  EXPECT_EQ(sizes.front(), 250u);
  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) EXPECT_GE(sizes[i], 50u);
}

TEST(TileQueue, CutsEveryTileAsAskedWhereFirstAndLargestAreOne) {
  TileQueue all(0, 157, {157, 157, 3});
  EXPECT_EQ(all.next(), (Tile{0, 157}));
  EXPECT_FALSE(all.next());
  TileQueue some(0, 20, {8, 8, 4});
  EXPECT_EQ(some.next(), (Tile{0, 8}));
  EXPECT_EQ(some.next(), (Tile{8, 8}));
  EXPECT_EQ(some.next(), (Tile{16, 4}));
}

}  // namespace
}  // namespace fastid
