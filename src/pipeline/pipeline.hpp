/// \file
/// The streaming loop: the only place where tiles are read, compared and ranked.
///
///            lane 0                 lane 1                 lane n-1
///   time     read tile 0            read tile 1            ...
///     |      upload, compare it     upload, compare it     one thread and one buffer each; while one lane's
///     v      rank what passed       rank what passed       tile is compared, another's is uploaded and a
///            read tile 2            ...                    third one's is read
///
/// Two lanes are double buffering, three keep reading, upload and comparing busy. A CPU engine has a lane for
/// each core. A GPU takes tiles faster than one thread reads them: there a tile's read is shared among
/// threads (SplitSource), and so is counting again what passed. Each lane begins as soon as it is open.
///
/// More queries than a device takes at once are asked in passes over the database. Where the device's memory
/// holds all tiles, its lanes keep theirs, and a later pass, or run, reads and sends nothing.
#pragma once

#include <memory>

#include "base/progress.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// What a run did; seconds are summed over lanes where nothing else is said.
struct StreamStats {
  std::size_t lanes = 0;
  std::size_t tile_blocks = 0;  ///< of the largest tile
  std::uint64_t tiles = 0;
  std::uint64_t candidates = 0;  ///< pairs that left the engine
  bool kept = false;             ///< all tiles were those that lanes had kept
  bool checked = false;          ///< and all of their blocks were held against the database's checksums
  double open_seconds = 0;       ///< until the first lane was open
  double read_seconds = 0;
  double compare_seconds = 0;
  double rank_seconds = 0;
  std::uint64_t read_bytes = 0;
  DeviceWork device;  ///< by the devices' own clocks, summed over lanes

  /// Adds another lane's share; lanes and tile_blocks stay.
  StreamStats& operator+=(const StreamStats& other);
};

/// A database, queries, and an engine's lanes, open from the first run for as long as this lives.
class Stream {
 public:
  /// Blocks begin .. end - 1 of `database`, compared with every query. All must outlive this.
  ///
  /// \param again  other runs will follow the first: tiles stay on a device that has room for all
  Stream(const BlockSource& database, std::uint64_t begin, std::uint64_t end, const Problem& problem,
         Engine& engine, bool again = false);
  ~Stream();

  /// Compares, and offers what passes to `ranking`.
  ///
  /// Each candidate is counted again here, by the definition (count_pair), before it is ranked: a device that
  /// miscounts is caught, and no match is ever reported that only a device has seen.
  ///
  /// Where the device's memory does not suffice for the engine's plan, tiles are halved until it does.
  ///
  /// \param histograms  filled where it is not null, by the engine's own counts, of which some are checked
  /// \throws InputError (a damaged block), DeviceError, Interrupted. The ranking is then worthless, and so is
  ///         this.
  StreamStats run(Ranking& ranking, Progress& progress, CountHistograms* histograms = nullptr);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fastid
