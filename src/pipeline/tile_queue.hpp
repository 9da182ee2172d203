/// \file
/// Cuts a run of blocks into tiles and hands them out, each once, to whichever lane asks.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
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
  std::size_t lanes = 1;   ///< that take tiles at the same time
  std::size_t growth = 1;  ///< of all lanes' tiles at the start, to all that was ranked before them
  bool small_last = true;  ///< tiles shrink towards the end
  bool wait = true;        ///< the first tile is ranked before there is a second

  /// How large a tile may be where so many blocks have been ranked and nothing else limits it.
  std::uint64_t grown(std::uint64_t ranked) const {
    return std::max<std::uint64_t>(first, ranked * growth / lanes);
  }
};

/// Thread-safe. Tiles are small at the start, and at the end where that is wished.
///
///   At the start, since until some profiles have been ranked the bars are open and every pair of a tile is
///   a candidate: the first tile is ranked before there is a second (where lanes cannot close the bars
///   themselves, LanePlan::tightens), and tiles of all lanes together are no more than `growth` times as
///   large as all that has been ranked before them. So candidates stay few however many lanes there are. At
///   the end, so that no lane is left alone with a large tile while the others, or faster devices, idle.
class TileQueue {
 public:
  /// Blocks begin .. end - 1. \param ranked  how many blocks were ranked before these
  TileQueue(std::uint64_t begin, std::uint64_t end, const TileSizes& sizes, std::uint64_t ranked = 0);

  /// The next tile, in order, of up to `most` blocks, or nothing at the end, or once `failed`. Waits while
  /// the first is being ranked.
  std::optional<Tile> next(const std::atomic<bool>& failed, std::size_t most = SIZE_MAX);

  /// The next `n` blocks, or what is left of them, whatever the sizes say; waits for nobody.
  std::optional<Tile> take(std::size_t n);

  /// The candidates of `tile` have been ranked.
  void done(const Tile& tile);

 private:
  std::optional<Tile> cut(std::uint64_t n);
  bool same_size() const { return sizes_.first == sizes_.largest; }
  std::size_t size() const;

  std::mutex guard_;
  std::condition_variable ranked_first_;
  std::uint64_t begin_, at_, end_;
  TileSizes sizes_;
  std::uint64_t ranked_ = 0;  ///< blocks
};

}  // namespace fastid
