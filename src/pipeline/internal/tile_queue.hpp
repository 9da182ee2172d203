/// \file
/// Cuts a database into tiles and hands them out, each once, to whichever worker asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "engine/engine.hpp"

namespace fastid {

/// How large tiles are. They grow with what thresholds rest on: until some profiles have been ranked many
/// pairs of a tile pass. And the last ones shrink, so that no worker is left alone with a large one while the
/// others, or faster devices, idle.
struct TileSizes {
  std::size_t first = 1;  ///< 1 <= first <= largest
  std::size_t largest = 1;
  double growth = 1;         ///< a tile has at most so many times the blocks that thresholds rest on
  std::uint64_t ranked = 0;  ///< blocks that thresholds rest on at the start
  std::size_t workers = 1;   ///< that take tiles at the same time
  bool small_last = true;
  bool equal = false;  ///< each but the last has the largest size, whatever the rest says
};

/// Thread-safe.
class TileQueue {
 public:
  TileQueue(const BlockShape& database, const TileSizes& sizes) : database_(database), sizes_(sizes) {}

  /// The next tile, in order, of up to `most` blocks, or nothing at the end.
  std::optional<Tile> next(std::size_t most = SIZE_MAX);

  /// The pairs of `tile` have been ranked.
  void done(const Tile& tile);

 private:
  std::uint64_t size() const;

  BlockShape database_;
  TileSizes sizes_;
  std::mutex guard_;
  std::uint64_t at_ = 0;    ///< the next tile's first block
  std::uint64_t done_ = 0;  ///< blocks
};

}  // namespace fastid
