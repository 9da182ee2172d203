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

/// How large tiles are: 1 <= first <= largest; where the two are equal, every tile but the last has that
/// size.
struct TileSizes {
  std::size_t first = 1;
  std::size_t largest = 1;
  std::size_t lanes = 1;  ///< that take tiles at the same time
};

/// Thread-safe. Tiles are small at both ends of the run.
///
///   At the start, since until some profiles have been ranked the bars are open and every pair of a tile is
///   a candidate: a tile is never larger than all that has been ranked before it, so that candidates stay
///   few however many lanes there are.
///   At the end, so that no lane is left alone with a large tile while the others, or faster devices, idle.
class TileQueue {
 public:
  /// Blocks begin .. end - 1.
  TileQueue(std::uint64_t begin, std::uint64_t end, const TileSizes& sizes);

  /// The next tile, in order, or nothing at the end.
  std::optional<Tile> next();

  /// The candidates of `tile` have been ranked.
  void done(const Tile& tile);

 private:
  std::size_t size() const;

  std::mutex guard_;
  std::uint64_t at_, end_;
  TileSizes sizes_;
  std::uint64_t ranked_ = 0;  ///< blocks
};

}  // namespace fastid
