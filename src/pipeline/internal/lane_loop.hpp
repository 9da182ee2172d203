/// \file
/// What one lane's thread does with a tile: load it, have it compared, and hand what passed to the ranking.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/ranking.hpp"
#include "pipeline/internal/helpers.hpp"
#include "pipeline/internal/recount.hpp"
#include "pipeline/internal/tile_queue.hpp"
#include "pipeline/pipeline.hpp"

namespace fastid {

/// What a lane compares at once: blocks of the database, behind one another.
struct ComparedRun {
  struct Piece {
    Tile tile;
    std::size_t at = 0;  ///< place of its first block among all
  };
  BlockShape shape;
  std::vector<Piece> pieces;
  BlocksView view;         ///< of all of it, which is then one piece, where that lies in memory
  bool unchecked = false;  ///< the lane is to hold it against its checksums
};

/// Pairs that are put off until next to none of them is left. Each lane that has run out of tiles ranks what
/// lanes have put off by then and none has taken: the first one most of it, while others have tiles on their
/// way. Thread-safe.
class LatePairs {
 public:
  struct Batch {
    ComparedRun run;  ///< without its view
    std::vector<Candidate> pairs;
  };

  /// Takes a run's pairs, unless there are too many already.
  void take_in(const ComparedRun& run, std::vector<Candidate>& pairs);
  /// All that there are, which are the caller's to rank.
  std::vector<Batch> take_out();

 private:
  std::mutex guard_;
  std::vector<Batch> batches_;
  std::size_t n_pairs_ = 0;
};

/// What lanes work on together: all or some of the queries, once over blocks of the database.
struct Pass {
  std::uint64_t id = 0;  ///< no other's
  const BlockSource& source;
  Problem problem;              ///< with the queries that are asked
  std::size_t first_query = 0;  ///< their first one's place among all
  std::size_t n_queries = 0;    ///< all
  const Engine& engine;
  Helpers& helpers;
  Ranking& ranking;
  LatePairs& late;
  std::atomic<std::uint64_t>& seen;  ///< profiles that were compared, by all lanes
  CountHistograms* histograms = nullptr;
  /// Told of profiles that are done.
  const std::function<void(std::uint64_t)>& on_profiles;
};

/// The tiles that a lane has kept, in its order: where their blocks are in the database.
class KeptBlocks {
 public:
  void add(const Tile& tile);
  std::uint64_t size() const { return size_; }

  /// Those of kept blocks first .. first + n - 1 that are of one tile, and so follow one another in the
  /// database, for each tile: piece(blocks in the database, place of the first one from `first`).
  void pieces(std::uint64_t first, std::size_t n,
              const std::function<void(const Tile&, std::size_t at)>& piece) const;

 private:
  struct Kept {
    Tile tile;
    std::uint64_t first = 0;  ///< of all that are kept
  };
  std::vector<Kept> tiles_;
  std::uint64_t size_ = 0;
};

class LaneLoop {
 public:
  LaneLoop(const Pass& pass, Lane& lane);

  /// A tile that is read.
  void process(const Tile& tile);
  /// Blocks that the lane has kept, from `first` on: as many as lie together, and returns how many. None is
  /// read: what passed is ranked from profiles that the lane brings.
  std::size_t process_kept(const KeptBlocks& kept, std::uint64_t first);

  /// No more tiles follow: ranks what lanes have put off so far.
  void finish();

  StreamStats stats() const;
  /// Whether all blocks that were compared were held against their checksums, by the lane.
  bool held() const { return held_; }

 private:
  using Run = ComparedRun;
  using Piece = Run::Piece;

  Run load(const Tile& tile);
  [[noreturn]] void refuse(const Run& run, std::size_t n_damaged);
  void compare(const Run& run);
  void check(const Run& run);
  void rank(const Run& run);
  void collect(const Run& run);
  void put_off(const Run& run);
  template <class QueryOf, class RankSome>
  void by_group(std::size_t n, std::size_t few, Helpers::Order order, const QueryOf& query_of,
                const RankSome& rank_some);
  /// Where the engine found it.
  Contender contender(const Run& run, const Candidate& pair) const;
  /// A stored profile, and where in the blocks it is.
  struct Stored {
    BlocksView blocks;
    std::uint64_t profile = 0;
  };
  Stored stored(const Run& run, const Piece& piece, std::uint64_t profile);
  bool comparable_in(const Run& run, const Piece& piece, std::size_t query, std::uint64_t profile);
  void check_counts(const Run& run, const Piece& piece, const BlockSeries& series);
  RecountContext recount_context() const { return {pass_.problem, pass_.first_query, pass_.engine}; }

  /// Those of the queries that are asked.
  std::span<Bar> asked_bars() {
    return std::span(bars_).subspan(pass_.first_query, pass_.problem.queries->n_rows());
  }

  const Pass& pass_;
  Lane& lane_;
  std::vector<Bar> bars_;  ///< of all queries
  std::vector<Bar> bars_before_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_;  ///< of pairs, by their queries' groups
  std::vector<PairCount> counts_;
  BlockReader again_;  ///< for blocks that only the device has
  StreamStats stats_;
  DeviceWork before_;  ///< what the lane's device had done
  bool held_ = true;
};

}  // namespace fastid
