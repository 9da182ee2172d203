#include "pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "pipeline/split_source.hpp"
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

/// As many lanes as the plan has, opened side by side; with smaller tiles where the device lacks memory.
std::vector<std::unique_ptr<Lane>> open_lanes(Engine& engine, const Problem& problem, LanePlan& plan) {
  for (;;) {
    std::vector<std::unique_ptr<Lane>> lanes(plan.lanes);
    try {
      run_crew(plan.lanes, [&](std::size_t i, const std::atomic<bool>&) {
        lanes[i] = engine.open_lane(problem, plan.tile_blocks);
      });
      return lanes;
    } catch (const DeviceMemoryError& error) {
      if (plan.tile_blocks == 1) throw;
      plan.tile_blocks /= 2;
      plan.first_tile_blocks = std::min(plan.first_tile_blocks, plan.tile_blocks);
      log::detail("{}; trying tiles of {}", error.what(), counted(plan.tile_blocks, "block"));
    }
  }
}

/// What one lane's thread works on: tile after tile, until none is left.
class LaneLoop {
 public:
  LaneLoop(const BlockSource& source, const Problem& problem, const Engine& engine, Ranking& ranking,
           CountHistograms* histograms, Lane& lane)
      : source_(source),
        problem_(problem),
        engine_(engine),
        ranking_(ranking),
        histograms_(histograms),
        lane_(lane),
        bars_(problem.queries->n_rows()) {}

  void process(const Tile& tile) {
    const BlockShape shape = shape_of(tile, problem_.database);
    const BlocksView view = load(tile, shape);

    const Stopwatch comparing;
    ranking_.bars(bars_);
    candidates_.clear();
    lane_.compare(shape, bars_, candidates_);
    if (histograms_ != nullptr) collect(tile, shape);
    stats_.compare_seconds += comparing.seconds();

    const Stopwatch keeping;
    recount(problem_, engine_, view, tile.first * kLanes, candidates_, offers_);
    ranking_.take(offers_);
    stats_.rank_seconds += keeping.seconds();

    ++stats_.tiles;
    stats_.candidates += candidates_.size();
  }

  StreamStats stats() const {
    StreamStats made = stats_;
    made.device = lane_.work();
    return made;
  }

 private:
  // The tile where the lane has it: a copy in its buffer, unless it can be used where it lies in memory.
  BlocksView load(const Tile& tile, const BlockShape& shape) {
    const BlocksView lying = source_.view(tile.first, tile.n);
    if (lying.bits != nullptr && lane_.borrow(lying)) return lying;
    const TileBuffer buffer = lane_.buffer();
    const Stopwatch reading;
    source_.read(tile.first, tile.n, buffer.bits, buffer.called);
    stats_.read_seconds += reading.seconds();
    stats_.read_bytes += tile.n * shape.block_bytes() * (buffer.called != nullptr ? 2 : 1);
    return {shape, buffer.bits, buffer.called};
  }

  void collect(const Tile& tile, const BlockShape& shape) {
    const BlockSeries series = histograms_->series(tile.first, tile.n);
    if (series.n == 0) return;
    lane_.count(shape, series, counts_);
    histograms_->add(shape, series, counts_);
  }

  const BlockSource& source_;
  const Problem& problem_;
  const Engine& engine_;
  Ranking& ranking_;
  CountHistograms* histograms_;
  Lane& lane_;
  std::vector<Bar> bars_;
  std::vector<Candidate> candidates_;
  std::vector<Ranking::Offer> offers_;
  std::vector<PairCount> counts_;
  StreamStats stats_;
};

}  // namespace

StreamStats& StreamStats::operator+=(const StreamStats& other) {
  tiles += other.tiles;
  candidates += other.candidates;
  read_seconds += other.read_seconds;
  compare_seconds += other.compare_seconds;
  rank_seconds += other.rank_seconds;
  read_bytes += other.read_bytes;
  device += other.device;
  return *this;
}

StreamStats stream(const BlockSource& database, std::uint64_t begin, std::uint64_t end,
                   const Problem& problem, Engine& engine, Ranking& ranking, Progress& progress,
                   CountHistograms* histograms) {
  const Stopwatch opening;
  LanePlan plan = engine.plan(problem);
  const std::vector<std::unique_ptr<Lane>> lanes = open_lanes(engine, problem, plan);
  const SplitSource source(database, plan.readers);
  TileQueue tiles(begin, end, {plan.first_tile_blocks, plan.tile_blocks, plan.lanes, plan.growth});
  StreamStats total{.lanes = plan.lanes, .tile_blocks = plan.tile_blocks};
  total.open_seconds = opening.seconds();
  std::mutex total_guard;

  run_crew(plan.lanes, [&](std::size_t i, const std::atomic<bool>& failed) {
    LaneLoop loop(source, problem, engine, ranking, histograms, *lanes[i]);
    while (const auto tile = tiles.next(failed)) {
      check_interrupt();
      loop.process(*tile);
      tiles.done(*tile);
      progress.add(shape_of(*tile, problem.database).n_profiles);
    }
    const std::lock_guard lock(total_guard);
    total += loop.stats();
  });
  return total;
}

}  // namespace fastid
