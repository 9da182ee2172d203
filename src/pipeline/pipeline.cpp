#include "pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "pipeline/tile_queue.hpp"

namespace fastid {
namespace {

/// The profiles of a tile: whole blocks, but for the database's last.
BlockShape shape_of(const Tile& tile, const BlockShape& database) {
  const std::uint64_t first = tile.first * kLanes;
  return {std::min<std::uint64_t>(tile.n * kLanes, database.n_profiles - first), database.n_sites};
}

/// Candidates of a tile, counted again by the definition, as offers to the ranking.
void recount(const Problem& problem, const Engine& engine, const BlocksView& view, std::uint64_t first_row,
             const std::vector<Candidate>& candidates, std::vector<Ranking::Offer>& offers) {
  offers.clear();
  for (const Candidate& found : candidates) {
    const PairCounts counts =
        count_pair(problem.comparison, problem.queries->row(found.query), view, found.profile);
    if (counts.count != found.count || weight_of(problem.comparison, counts) != found.weight)
      throw DeviceError(
          fmt::format("{} counted {} of {} sites for query {} and row {}, where {} of {} is right; do not "
                      "trust this device: "
                      "use --device cpu, and check its driver and memory",
                      engine.name(), found.count, found.weight, found.query, first_row + found.profile,
                      counts.count, weight_of(problem.comparison, counts)));
    offers.push_back({found.query, {first_row + found.profile, counts}});
  }
}

}  // namespace

StreamStats stream(const BlockSource& source, std::uint64_t begin, std::uint64_t end, const Problem& problem,
                   Engine& engine, Ranking& ranking, Progress& progress) {
  const LanePlan plan = engine.plan(problem);
  TileQueue tiles(begin, end, plan.tile_blocks, plan.first_tile_blocks);
  StreamStats total{.lanes = plan.lanes, .tile_blocks = plan.tile_blocks};
  std::mutex total_guard;

  run_crew(plan.lanes, [&](std::size_t, const std::atomic<bool>& failed) {
    const std::unique_ptr<Lane> lane = engine.open_lane(problem, plan.tile_blocks);
    std::vector<Bar> bars(problem.queries->n_rows());
    std::vector<Candidate> candidates;
    std::vector<Ranking::Offer> offers;
    StreamStats mine;
    while (const auto tile = failed ? std::nullopt : tiles.next()) {
      check_interrupt();
      const TileBuffer buffer = lane->buffer();
      const BlockShape shape = shape_of(*tile, problem.database);

      const Stopwatch reading;
      source.read(tile->first, tile->n, buffer.bits, buffer.called);
      mine.read_seconds += reading.seconds();

      const Stopwatch comparing;
      ranking.bars(bars);
      candidates.clear();
      lane->compare(shape, bars, candidates);
      mine.compare_seconds += comparing.seconds();

      const Stopwatch keeping;
      recount(problem, engine, {shape, buffer.bits, buffer.called}, tile->first * kLanes, candidates, offers);
      ranking.take(offers);
      mine.rank_seconds += keeping.seconds();

      ++mine.tiles;
      mine.candidates += candidates.size();
      progress.add(shape.n_profiles);
    }
    const std::lock_guard lock(total_guard);
    total.tiles += mine.tiles;
    total.candidates += mine.candidates;
    total.read_seconds += mine.read_seconds;
    total.compare_seconds += mine.compare_seconds;
    total.rank_seconds += mine.rank_seconds;
  });
  return total;
}

}  // namespace fastid
