/// \file
/// Once over the database with an engine's lanes: tile by tile, or over the blocks that the lanes have kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "pipeline/internal/lane_loop.hpp"
#include "pipeline/internal/tile_queue.hpp"

namespace fastid {

/// A lane, once it is open, and what it has.
struct LanePlace {
  std::unique_ptr<Lane> lane;
  std::size_t most_blocks = 0;  ///< of a tile
  KeptBlocks kept;
};

/// All blocks, by lanes that are opened where they are not yet. Each is opened by its own thread, and begins
/// at once.
class Sweep {
 public:
  /// \param places  one for each lane of the plan, or those that are open
  /// \param keep  have the lanes keep their tiles
  Sweep(const Pass& pass, Engine& engine, const LanePlan& plan, std::uint64_t begin, std::uint64_t end,
        bool keep);

  /// Places whose lane the device had no memory for are taken away. \throws DeviceMemoryError where that is
  /// all of them
  StreamStats run(std::vector<LanePlace>& places);

  /// The lanes have kept all blocks.
  bool kept() const { return keeping_; }

 private:
  void run_lane(LanePlace& place, const std::atomic<bool>& failed);
  bool open(LanePlace& place);

  const Pass& pass_;
  Engine& engine_;
  const LanePlan& plan_;
  TileQueue tiles_;
  std::atomic<bool> keeping_;
  std::atomic<bool> any_open_ = false;
  std::atomic<std::size_t> usable_ = 0;  ///< places whose lane is open, or may be yet
  Stopwatch watch_;
  std::mutex guard_;
  StreamStats stats_;  ///< under the guard, while threads run
};

/// The blocks that each lane has kept, in a few runs. Those that came with their checksums are held against
/// them. \throws DeviceError where one is not what it was
StreamStats sweep_kept(const Pass& pass, std::vector<LanePlace>& places);

}  // namespace fastid
