/// \file
/// What one lane's thread does with a tile: load it, have it compared, count again and rank what passed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/ranking.hpp"
#include "pipeline/helpers.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/tile_queue.hpp"

namespace fastid {

/// What lanes work on together: all or some of the queries, once over blocks of the database.
struct Pass {
  const BlockSource& source;
  Problem problem;              ///< with the queries that are asked
  std::size_t first_query = 0;  ///< their first one's place among all
  std::size_t n_queries = 0;    ///< all
  const Engine& engine;
  Helpers& helpers;
  Ranking& ranking;
  CountHistograms* histograms = nullptr;
  /// Told of profiles that are done.
  const std::function<void(std::uint64_t)>& on_profiles;
};

/// Each candidate is counted again here, by the definition (count_pair), before it is ranked.
class LaneLoop {
 public:
  LaneLoop(const Pass& pass, Lane& lane);

  /// A tile that is read.
  void process(const Tile& tile);
  /// One that the lane has kept: of its blocks, only those that something passed in are read.
  void process_kept(const Tile& tile, std::size_t kept);

  /// Tiles so far.
  std::size_t tiles() const { return stats_.tiles; }
  StreamStats stats() const;

 private:
  BlocksView load(const Tile& tile, const BlockShape& shape);
  BlocksView load_needed(const Tile& tile, const BlockShape& shape);
  void note_read(const BlockShape& shape, std::size_t blocks, double seconds);
  void compare(const Tile& tile, const BlockShape& shape);
  void collect(const Tile& tile, const BlockShape& shape);
  void rank(const Tile& tile, const BlocksView& view);
  Ranking::Offer recounted(const BlocksView& view, std::uint64_t first_row, const Candidate& found) const;

  const Pass& pass_;
  Lane& lane_;
  std::vector<Bar> bars_;  ///< of all queries
  std::vector<Candidate> candidates_;
  std::vector<PairCount> counts_;
  StreamStats stats_;
  DeviceWork before_;  ///< what the lane's device had done
};

}  // namespace fastid
