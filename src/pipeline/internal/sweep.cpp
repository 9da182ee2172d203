#include "pipeline/internal/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace fastid {
namespace {

constexpr std::size_t kOpeningShare = 16;  // of a full tile: done by the time that other lanes are open

// Tiles of which an engine gives few pairs even while bars are open need not grow. The first is small, since
// its bars spare the other lanes' first ones many of their pairs.
TileSizes tile_sizes(const LanePlan& plan, std::uint64_t keep) {
  const bool grow = keep > plan.closes || plan.first_tile_blocks == plan.tile_blocks;
  return {.first = grow ? plan.first_tile_blocks : ceil_div(plan.tile_blocks, kOpeningShare),
          .largest = plan.tile_blocks,
          .lanes = plan.lanes,
          .grow = grow,
          .small_last = plan.small_last};
}

StreamStats of_places(const std::vector<LanePlace>& places) {
  StreamStats stats{.lanes = places.size()};
  for (const LanePlace& place : places) stats.tile_blocks = std::max(stats.tile_blocks, place.most_blocks);
  return stats;
}

}  // namespace

Sweep::Sweep(const Pass& pass, Engine& engine, const LanePlan& plan, std::uint64_t begin, std::uint64_t end,
             bool keep)
    : pass_(pass),
      engine_(engine),
      plan_(plan),
      tiles_(begin, end, tile_sizes(plan, pass.ranking.rule().top)),
      keeping_(keep) {}

StreamStats Sweep::run(std::vector<LanePlace>& places) {
  usable_ = places.size();
  any_open_ = std::ranges::any_of(places, [](const LanePlace& place) { return place.lane != nullptr; });
  run_crew(places.size(), [&](std::size_t i, const std::atomic<bool>& failed) {
    if (i == 0) pass_.helpers.start();  // while other lanes are opened
    run_lane(places[i], failed);
  });
  std::erase_if(places, [](const LanePlace& place) { return place.lane == nullptr; });
  StreamStats stats = of_places(places);
  return stats += stats_;
}

void Sweep::run_lane(LanePlace& place, const std::atomic<bool>& failed) {
  if (!place.lane && !open(place)) return;
  LaneLoop loop(pass_, *place.lane);
  for (std::optional<Tile> tile; !failed && (tile = tiles_.next(place.most_blocks));) {
    loop.process(*tile);
    if (keeping_ && place.lane->keep())
      place.kept.add(*tile);
    else
      keeping_ = false;
    tiles_.done(*tile);
    check_interrupt();
  }
  if (!failed) loop.finish();
  const std::lock_guard lock(guard_);
  stats_ += loop.stats();
}

// With smaller tiles where the device lacks memory. False where it has none for one block, but other lanes.
bool Sweep::open(LanePlace& place) {
  for (place.most_blocks = plan_.tile_blocks; !place.lane;) {
    try {
      place.lane = engine_.open_lane(pass_.problem, place.most_blocks);
    } catch (const DeviceMemoryError& error) {
      if (place.most_blocks == 1) {
        if (--usable_ == 0) throw;
        return false;
      }
      place.most_blocks /= 2;
      log::detail("{}; trying tiles of {}", error.what(), counted(place.most_blocks, "block"));
    }
  }
  if (!any_open_.exchange(true)) {
    const std::lock_guard lock(guard_);
    stats_.open_seconds = watch_.seconds();
  }
  return true;
}

namespace {

class KeptSweep {
 public:
  KeptSweep(const Pass& pass, std::vector<LanePlace>& places)
      : pass_(pass), places_(places), stats_(of_places(places)) {
    stats_.kept = stats_.checked = true;
  }

  StreamStats run() {
    run_crew(places_.size(),
             [&](std::size_t i, const std::atomic<bool>& failed) { run_lane(places_[i], failed); });
    return stats_;
  }

 private:
  void run_lane(const LanePlace& place, const std::atomic<bool>& failed) {
    LaneLoop loop(pass_, *place.lane);
    for (std::uint64_t next = 0; next < place.kept.size() && !failed; check_interrupt())
      next += loop.process_kept(place.kept, next);
    const std::lock_guard lock(guard_);
    stats_ += loop.stats();
    stats_.checked &= loop.held();
  }

  const Pass& pass_;
  std::vector<LanePlace>& places_;
  std::mutex guard_;
  StreamStats stats_;  ///< under the guard, while threads run
};

}  // namespace

StreamStats sweep_kept(const Pass& pass, std::vector<LanePlace>& places) {
  return KeptSweep(pass, places).run();
}

}  // namespace fastid
