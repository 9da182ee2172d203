/// \file
/// Cuts a database into tiles, hands them out, each once, to whichever worker asks, and reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/pair_sink.hpp"

namespace fastid::pipeline {

/// How large tiles are. They grow with the number of blocks that thresholds rest on, since many pairs of a
/// tile pass while few profiles have been ranked. The last tiles shrink, so that no worker is left alone with
/// a large one while the others, perhaps on faster devices, are idle.
struct TileSizes {
  std::size_t first = 1;  ///< 1 <= first <= largest
  std::size_t largest = 1;
  double growth = 1;         ///< most blocks of a tile for each block that thresholds rest on
  std::uint64_t ranked = 0;  ///< blocks that thresholds rest on at the start
  std::size_t workers = 1;   ///< workers that take tiles at the same time
  bool small_last = true;
  bool equal = false;  ///< every tile but the last has the largest size; other members are ignored
};

/// The sizes for a plan, while pairs go to a sink. \param ranked_blocks  TileSizes::ranked
TileSizes tile_sizes(const engine::WorkPlan& plan, const match::PairSink& sink, std::size_t n_queries,
                     std::uint64_t ranked_blocks);

/// Hands out a database's tiles. Thread-safe.
class TileQueue {
 public:
  TileQueue(const BlockShape& database, const TileSizes& sizes) : database_(database), sizes_(sizes) {}

  /// The next tile, in order, of up to `most` blocks; nothing at the end.
  std::optional<engine::Tile> next(std::size_t most = SIZE_MAX);

  /// Notes that the pairs of `tile` have been ranked.
  void done(const engine::Tile& tile);

 private:
  std::uint64_t size() const;

  BlockShape database_;
  TileSizes sizes_;
  std::mutex guard_;
  std::uint64_t at_ = 0;    ///< the next tile's first block
  std::uint64_t done_ = 0;  ///< blocks whose pairs have been ranked
};

/// Whether checksums are checked while reading, or later by the worker.
enum class ReadChecks { kHere, kLater };

/// Reads a tile's blocks in pieces that stay in a core's cache, on the calling thread and on free threads of
/// the pool. \throws what the source throws, after all threads have stopped using the buffers
void read_tile(const BlockSource& source, const engine::Tile& tile, ReadChecks checks, ThreadPool& pool,
               const engine::TileBuffer& to);

}  // namespace fastid::pipeline
