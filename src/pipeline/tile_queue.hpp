/// \file
/// Cuts a run of blocks into tiles and hands them out, each once, to whichever lane asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace fastid {

/// Blocks first .. first + n - 1 of the database.
struct Tile {
  std::uint64_t first = 0;
  std::size_t n = 0;

  friend bool operator==(const Tile&, const Tile&) = default;
};

/// Thread-safe. The first tiles are small and double, since until some profiles have been ranked the
/// bars are open and every pair of a tile is a candidate.
class TileQueue {
 public:
  /// Blocks begin .. end - 1, in tiles of `first` blocks, doubling up to `largest`. 1 <= first <= largest.
  TileQueue(std::uint64_t begin, std::uint64_t end, std::size_t largest, std::size_t first = 1);

  /// The next tile, in order, or nothing at the end.
  std::optional<Tile> next();

 private:
  std::mutex guard_;
  std::uint64_t at_, end_;
  std::size_t size_, largest_;
};

}  // namespace fastid
