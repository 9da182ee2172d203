#include "pipeline/sweep.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace fastid {
namespace {

/// Blocks that the host compares at most where lanes keep the others, and it will have to again and again.
constexpr std::size_t kOpening = 64;

TileSizes tile_sizes(const LanePlan& plan) {
  return {plan.first_tile_blocks, plan.tile_blocks, plan.lanes, plan.growth, plan.small_last, !plan.tightens};
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
      keep_(keep),
      tiles_(begin, end, tile_sizes(plan)),
      host_blocks_(keep ? std::min(plan.host_blocks, kOpening) : plan.host_blocks),
      keeping_(keep) {
  if (host_blocks_ > 0) first_ = tiles_.take(host_blocks_);
}

StreamStats Sweep::run(std::vector<LanePlace>& places, HostOpening& host) {
  usable_ = places.size();
  any_open_ = std::ranges::any_of(places, [](const LanePlace& place) { return place.lane != nullptr; });
  run_crew(places.size() + (first_ ? 1 : 0), [&](std::size_t i, const std::atomic<bool>& failed) {
    i < places.size() ? run_lane(places[i], failed) : run_host(host, failed);
  });
  std::erase_if(places, [](const LanePlace& place) { return place.lane == nullptr; });
  StreamStats stats = of_places(places);
  return stats += stats_;
}

void Sweep::run_lane(LanePlace& place, const std::atomic<bool>& failed) {
  if (!place.lane && !open(place)) return;
  LaneLoop loop(pass_, *place.lane);
  while (const auto tile = tiles_.next(failed, place.most_blocks)) {
    loop.process(*tile);
    if (keeping_ && place.lane->keep())
      place.kept.add(*tile);
    else
      keeping_ = false;
    tiles_.done(*tile);
    check_interrupt();
  }
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

void Sweep::run_host(HostOpening& host, const std::atomic<bool>& failed) {
  for (std::optional<Tile> tile = first_; tile;
       tile = any_open_ || keep_ || failed ? std::nullopt : tiles_.take(host_blocks_)) {
    host.compare(tile->first, tile->n);
    tiles_.done(*tile);
    check_interrupt();
  }
  const std::lock_guard lock(guard_);
  stats_.host_seconds = watch_.seconds();
}

StreamStats sweep_kept(const Pass& pass, const LanePlan& plan, std::vector<LanePlace>& places,
                       std::uint64_t before) {
  constexpr std::uint64_t kSooner = 4;  // is such a run done than a tile that is read and sent: less growth
  const TileSizes sizes = tile_sizes(plan);
  StreamStats stats = of_places(places);
  stats.kept = true;
  std::mutex guard;
  std::atomic<std::uint64_t> ranked = before;
  run_crew(places.size(), [&](std::size_t i, const std::atomic<bool>& failed) {
    const LanePlace& place = places[i];
    LaneLoop loop(pass, *place.lane);
    for (std::uint64_t next = 0; next < place.kept.size() && !failed;) {
      const std::uint64_t left = place.kept.size() - next, most = sizes.grown(ranked / kSooner);
      const std::size_t n = loop.process_kept(place.kept, next, std::min(left, most));
      next += n;
      ranked += n;
      check_interrupt();
    }
    const std::lock_guard lock(guard);
    stats += loop.stats();
  });
  return stats;
}

}  // namespace fastid
