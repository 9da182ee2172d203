/// \file
/// The streaming loop: the only place where tiles are read, compared and handed on.
///
///            worker 0               worker 1               worker n-1
///   time     read tile 0            read tile 1            ...
///     |      upload, compare it     upload, compare it     one thread and one buffer each; while one
///     worker's v      hand on what passed    hand on what passed    tile is compared, another's is uploaded
///     and a
///            read tile 2            ...                    third one's is read
///
/// Two workers are double buffering, three keep reading, upload and comparing busy. A CPU engine has a worker
/// for each core. A GPU takes tiles faster than one thread reads them: there a tile's read is shared among
/// threads, and so are its pairs. Each worker begins as soon as it is open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/pair_sink.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// What a run did; seconds are summed over workers where nothing else is said.
struct StreamStats {
  std::size_t workers = 0;
  std::size_t tile_blocks = 0;  ///< of the largest tile
  std::uint64_t tiles = 0;
  std::uint64_t pairs = 0;    ///< that left the engine
  double sample_seconds = 0;  ///< by the clock: until thresholds were found
  double open_seconds = 0;    ///< by the clock: until the first worker was open
  double read_seconds = 0;
  double compare_seconds = 0;
  double rank_seconds = 0;
  std::uint64_t read_bytes = 0;
  DeviceWork device;  ///< by the devices' own clocks, summed over workers

  StreamStats& operator+=(const StreamStats& other);
};

/// Compares every profile of a database with every query, and hands what passes to `sink`. Queries beyond
/// what a device takes at once are asked one slice after the other.
///
/// Where the device's memory does not suffice for the engine's plan, tiles are halved until it does.
///
/// \param ranked_blocks  blocks that the sink's thresholds rest on at the start
/// \throws InputError (a damaged block), DeviceError, Interrupted. What the sink has is then worthless
StreamStats stream(const BlockSource& database, const Problem& problem, Engine& engine, PairSink& sink,
                   Progress& progress, std::uint64_t ranked_blocks = 0);

/// The best pairs of each query, and how they were found.
struct SearchResult {
  std::vector<RankedPairs> ranked;
  StreamStats stats;
};

/// A search: the native engine ranks a sample of the database, whose thresholds the ranking of all of it
/// starts from (the sample's pairs come again, so these hold); then `engine` streams the database.
///
/// \param max_counts  as Ranking has them
/// \param threads     of the native engine; 0: as many as the process may use
/// \throws as stream(); DeviceError where the engine left out or doubled a pair. Its counts are taken at
/// their
///         word: verify() what is to be named
SearchResult search_database(const BlockSource& database, const Problem& problem, Engine& engine,
                             const KeepRule& rule, std::span<const std::uint32_t> max_counts,
                             std::size_t threads, Progress& progress);

}  // namespace fastid
