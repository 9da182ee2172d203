/// \file
/// Cuts a run of blocks into tiles and hands them out, each once, to whichever lane asks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "bits/blocks.hpp"

namespace fastid {

/// Blocks first .. first + n - 1 of the database.
struct Tile {
  std::uint64_t first = 0;
  std::size_t n = 0;

  friend bool operator==(const Tile&, const Tile&) = default;
};

/// The profiles of a tile: whole blocks, but for the database's last.
inline BlockShape shape_of(const Tile& tile, const BlockShape& database) {
  const std::uint64_t first = tile.first * kLanes;
  return {std::min<std::uint64_t>(tile.n * kLanes, database.n_profiles - first), database.n_sites};
}

/// How large tiles are: 1 <= first <= largest; where the two are equal, every tile but the last has that
/// size.
struct TileSizes {
  std::size_t first = 1;
  std::size_t largest = 1;
  std::size_t lanes = 1;  ///< that take tiles at the same time
  bool grow = true;  ///< no tile is larger than all that was ranked before it; else only the first is small
  bool small_last = true;  ///< tiles shrink towards the end
};

/// Thread-safe. Tiles are small at the start, and at the end where that is wished.
///
///   At the start, since until some profiles have been compared the bars are open and many pairs of a tile
///   are candidates: tiles grow with what has been ranked, or only the first is small, whose bars the others
///   have. At the end, so that no lane is left alone with a large tile while the others, or faster devices,
///   idle.
class TileQueue {
 public:
  /// Blocks begin .. end - 1.
  TileQueue(std::uint64_t begin, std::uint64_t end, const TileSizes& sizes);

  /// The next tile, in order, of up to `most` blocks, or nothing at the end.
  std::optional<Tile> next(std::size_t most = SIZE_MAX);

  /// The candidates of `tile` have been ranked.
  void done(const Tile& tile);

 private:
  std::size_t size() const;

  std::mutex guard_;
  std::uint64_t begin_, at_, end_;
  TileSizes sizes_;
  std::uint64_t ranked_ = 0;  ///< blocks
};

}  // namespace fastid
