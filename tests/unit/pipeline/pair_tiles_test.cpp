// Tiles of all pairs: each pair is in one tile, tiles are in order, and about as large as each other.
#include "pipeline/pair_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "bits/blocks.hpp"

namespace fastid::pipeline {
namespace {

std::uint64_t triangle(std::uint64_t end) {
  return end == 0 ? 0 : end - 1;
}

/// Pairs of a tile that are below the diagonal.
std::uint64_t pairs_of(const PairTile& tile) {
  std::uint64_t n = 0;
  for (std::uint64_t column = tile.columns.first; column < tile.columns.end; ++column)
    n += std::min(tile.rows.end, std::max(tile.rows.first, column)) - tile.rows.first;
  return n;
}

bool is_in(const Range& range, std::uint64_t i) {
  return i >= range.first && i < range.end;
}

RC_GTEST_PROP(PairTiles, HoldEachPairOnce, ()) {
  const auto n_columns = *rc::gen::inRange<std::uint64_t>(1, 400),
             n_rows = *rc::gen::inRange<std::uint64_t>(1, 400);
  const auto n = *rc::gen::inRange<std::uint32_t>(1, 60);
  const bool half = *rc::gen::arbitrary<bool>();
  const auto met = [&](std::uint64_t end) { return half ? std::min(n_rows, triangle(end)) : n_rows; };
  const std::vector<PairTile> tiles = pair_tiles(n_columns, n_rows, met, n);
  RC_ASSERT(tiles.size() == n);
  for (std::uint64_t column = 0; column < n_columns; ++column)
    for (std::uint64_t row = 0; row < met(column + 1); ++row)
      RC_ASSERT(std::ranges::count_if(tiles, [&](const PairTile& tile) {
                  return is_in(tile.columns, column) && is_in(tile.rows, row);
                }) == 1);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (!tiles[i].empty()) RC_ASSERT((tiles[i].columns.first | tiles[i].rows.first) % kLanes == 0);
    RC_ASSERT(tiles[i].rows.end <= n_rows && tiles[i].columns.end <= n_columns);
    if (i == 0) continue;
    const bool same_band = tiles[i].columns == tiles[i - 1].columns;
    const std::uint64_t from = same_band ? tiles[i].rows.first : tiles[i].columns.first;
    RC_ASSERT(from == (same_band ? tiles[i - 1].rows.end : tiles[i - 1].columns.end));
  }
}

TEST(PairTiles, HaveAsManyPairsAndReadFewProfiles) {
  constexpr std::uint64_t kPeople = 100'000;
  for (const std::uint32_t n : {1u, 2u, 7u, 64u, 97u, 256u}) {
    std::uint64_t most = 0, read = 0;
    for (const PairTile& tile : pair_tiles(kPeople, kPeople, triangle, n)) {
      most = std::max(most, pairs_of(tile));
      read = std::max(read, tile.columns.size() + tile.rows.size());
    }
    EXPECT_LT(static_cast<double>(most), 1.1 * kPeople * kPeople / 2 / n) << n;
    EXPECT_LT(static_cast<double>(read), 2.5 * kPeople / std::sqrt(n)) << n;
  }
}

}  // namespace
}  // namespace fastid::pipeline
