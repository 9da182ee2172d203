// Tiles cover every block once, small where thresholds rest on little and at the end.
#include "pipeline/internal/tile_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fastid::pipeline {
namespace {

BlockShape blocks(std::uint64_t n) {
  return {n * kLanes, 10};
}

std::vector<std::size_t> sizes_of(TileQueue& tiles, bool done = false) {
  std::vector<std::size_t> sizes;
  while (const auto tile = tiles.next()) {
    sizes.push_back(tile->n_blocks());
    if (done) tiles.done(*tile);
  }
  return sizes;
}

TEST(TileQueue, CoversEveryBlockOnceInTilesOfTheSizesAllowed) {
  for (const std::size_t largest : {1u, 2u, 5u, 64u, 1000u})
    for (const std::size_t workers : {1u, 2u, 16u})
      for (const double growth : {0.25, 1.0, 1e9})
        for (const std::uint64_t n_profiles : {0u, 1u, 31u, 32u, 33u, 333u, 160'000u}) {
          const BlockShape database{n_profiles, 10};
          TileQueue tiles(database, {.first = 1, .largest = largest, .growth = growth, .workers = workers});
          std::uint64_t at = 0, profiles = 0;
          while (const auto tile = tiles.next()) {
            EXPECT_EQ(tile->first_block, at);
            EXPECT_GE(tile->n_blocks(), 1u);
            EXPECT_LE(tile->n_blocks(), largest);
            at += tile->n_blocks();
            profiles += tile->shape.n_profiles;
            if (at % 3 != 0) tiles.done(*tile);  // some are still in flight
          }
          EXPECT_EQ(at, database.n_blocks());
          EXPECT_EQ(profiles, n_profiles);
        }
}

TEST(TileQueue, GrowsWithWhatThresholdsRestOn) {
  TileQueue tiles(blocks(100'000), {.first = 4, .largest = 1024, .growth = 2, .small_last = false});
  EXPECT_EQ(tiles.next()->n_blocks(), 4u);
  EXPECT_EQ(tiles.next()->n_blocks(), 4u) << "the first is in flight";
  tiles.done({0, blocks(4)});
  EXPECT_EQ(tiles.next()->n_blocks(), 8u);
  tiles.done({4, blocks(4)});
  EXPECT_EQ(tiles.next()->n_blocks(), 16u);
  tiles.done({8, blocks(1000)});
  EXPECT_EQ(tiles.next()->n_blocks(), 1024u);
  TileQueue from_sample(blocks(100'000), {.first = 4, .largest = 1024, .growth = 2, .ranked = 100});
  EXPECT_EQ(from_sample.next()->n_blocks(), 200u);
}

TEST(TileQueue, GivesEqualTilesWhereThatIsAskedFor) {
  TileQueue tiles(blocks(10), {.first = 1, .largest = 4, .workers = 2, .equal = true});
  EXPECT_EQ(sizes_of(tiles), (std::vector<std::size_t>{4, 4, 2}));
}

TEST(TileQueue, GivesNoWorkerMoreThanItHasRoomFor) {
  TileQueue tiles(blocks(100), {.first = 20, .largest = 20, .small_last = false});
  EXPECT_EQ(tiles.next(5)->n_blocks(), 5u);
  EXPECT_EQ(tiles.next()->first_block, 5u);
  EXPECT_EQ(tiles.next(70)->n_blocks(), 20u);
}

TEST(TileQueue, GivesEachWorkerAFairShareOfWhatIsLeftAtTheEnd) {
  TileQueue tiles(blocks(1000), {.first = 1, .largest = 400, .growth = 1, .ranked = 5000, .workers = 2});
  const std::vector<std::size_t> sizes = sizes_of(tiles);
  EXPECT_EQ(sizes.front(), 250u);
  EXPECT_TRUE(std::ranges::is_sorted(sizes, std::ranges::greater{}));
  EXPECT_EQ(sizes[sizes.size() - 2], 50u) << "an eighth at the least";
}

}  // namespace
}  // namespace fastid::pipeline
