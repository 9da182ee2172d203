#include "pipeline/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "pipeline/internal/tile_queue.hpp"

namespace fastid::pipeline {
namespace {

// Fewer pairs are ranked by one thread.
constexpr std::size_t kPairsAPiece = 1024;

/// The pairs query by query. \param starts  becomes the place of each query's first pair, and of the end
std::vector<engine::Pair> by_query(std::span<const engine::Pair> pairs, std::size_t n_queries,
                                   std::vector<std::size_t>& starts) {
  starts.assign(n_queries + 1, 0);
  for (const engine::Pair& pair : pairs) ++starts[pair.query + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<engine::Pair> sorted(pairs.size());
  std::vector<std::size_t> next = starts;
  for (const engine::Pair& pair : pairs) sorted[next[pair.query]++] = pair;
  return sorted;
}

/// What is prepared without workers makes no memory for them.
engine::WorkPlan prepared_plan(engine::WorkPlan plan, bool makes_memory) {
  if (!makes_memory) plan.workers = 0;
  return plan;
}

class Stream final : public PreparedStream {
 public:
  Stream(const StreamInputs& inputs, const engine::WorkPlan& plan)
      : inputs_(inputs),
        plan_(plan),
        queries_(inputs.engine.prepare(inputs.problem, prepared_plan(plan, inputs.makes_memory))),
        tiles_(inputs.problem.database,
               tile_sizes(plan_, inputs.sink, inputs.problem.queries->n_rows(), inputs.ranked_blocks)),
        pool_(plan_.workers + plan_.readers),
        usable_(plan_.workers) {}

  StreamStats flow(const std::function<void(std::uint64_t)>& on_profiles) override {
    pool_.for_each(plan_.workers,
                   [&](std::size_t, const ThreadPool::Stop& stop) { work(on_profiles, stop); });
    return stats_;
  }

 private:
  /// What one worker does: the loop.
  void work(const std::function<void(std::uint64_t)>& on_profiles, const ThreadPool::Stop& stop) {
    std::size_t most_blocks = plan_.tile_blocks;
    const std::unique_ptr<engine::Worker> worker = open(most_blocks);
    if (!worker) return;
    StreamStats did;
    std::vector<engine::Threshold> thresholds(inputs_.n_queries);
    std::vector<engine::Pair> pairs;
    for (std::optional<engine::Tile> tile; !stop && (tile = tiles_.next(most_blocks));) {
      const bool checked = load(*tile, *worker, did);
      inputs_.sink.thresholds(thresholds);
      compare(*tile, checked, *worker, thresholds, pairs, did);
      rank(pairs, did);
      tiles_.done(*tile);
      on_profiles(tile->shape.n_profiles);
      check_interrupt();
    }
    did.device = worker->work();
    const std::lock_guard lock(guard_);
    stats_ += did;
    ++stats_.workers;
  }

  // Opens a worker, with smaller tiles if the device lacks memory. Null if there is not enough memory even
  // for one block but other workers may still be used.
  std::unique_ptr<engine::Worker> open(std::size_t& most_blocks) {
    for (;;) {
      try {
        std::unique_ptr<engine::Worker> worker = queries_->open_worker(most_blocks);
        const std::lock_guard lock(guard_);
        if (stats_.open_seconds == 0) stats_.open_seconds = watch_.seconds();
        return worker;
      } catch (const DeviceMemoryError& error) {
        if (most_blocks == 1) {
          if (--usable_ == 0) throw;
          return nullptr;
        }
        most_blocks /= 2;
        log::detail("{}; trying tiles of {}", error.what(), counted(most_blocks, "block"));
      }
    }
  }

  // Makes the tile available to the worker: reads it into the worker's buffer, unless it is in memory and the
  // worker can use it there. Returns whether the tile's checksums have been checked.
  bool load(const engine::Tile& tile, engine::Worker& worker, StreamStats& did) {
    const BlocksView lying = inputs_.database.view(tile.first_block, tile.n_blocks());
    if (lying.bits != nullptr && worker.borrow(lying)) return true;
    const Stopwatch reading;
    const bool later = worker.checks_blocks() && !inputs_.database.checksums().empty();
    read_tile(inputs_.database, tile, later ? ReadChecks::kLater : ReadChecks::kHere, pool_, worker.buffer());
    did.read_seconds += reading.seconds();
    did.read_bytes += tile.n_blocks() * inputs_.problem.block_bytes();
    return !later;
  }

  void compare(const engine::Tile& tile, bool checked, engine::Worker& worker,
               std::span<const engine::Threshold> thresholds, std::vector<engine::Pair>& pairs,
               StreamStats& did) {
    const InStage stage(AnswerStage::kCompare);
    const Stopwatch comparing;
    const std::size_t n_of_slice = inputs_.problem.queries->n_rows();
    std::span<const std::uint64_t> checksums;
    if (!checked)
      checksums =
          inputs_.database.checksums().subspan(static_cast<std::size_t>(tile.first_block), tile.n_blocks());
    pairs.clear();
    const std::size_t n_damaged =
        worker.compare(tile, checksums, thresholds.subspan(inputs_.first_query, n_of_slice), pairs);
    if (n_damaged > 0) refuse(tile, checksums, n_damaged, worker.buffer());
    for (engine::Pair& pair : pairs) {
      if (pair.query >= n_of_slice || pair.row - tile.first_row() >= tile.shape.n_profiles)
        throw WrongAnswer(fmt::format("{} found a pair that does not exist", inputs_.engine.name()));
      pair.query += static_cast<std::uint32_t>(inputs_.first_query);
    }
    ++did.tiles;
    did.tile_blocks = std::max(did.tile_blocks, tile.n_blocks());
    did.pairs += pairs.size();
    did.compare_seconds += comparing.seconds();
  }

  // Called if the worker was given blocks that do not match their checksums. They are damaged in the database
  // (then reading them again throws), or were damaged while being read, or on the way to the device.
  [[noreturn]] void refuse(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                           std::size_t n_damaged, const engine::TileBuffer& buffer) {
    const BlocksView read{tile.shape, buffer.bits, buffer.second};
    std::size_t n_read_damaged = 0;
    for (std::size_t b = 0; b < tile.n_blocks(); ++b) n_read_damaged += read.checksum(b) != checksums[b];
    inputs_.database.read(tile.first_block, tile.n_blocks(), buffer.bits, buffer.second);
    if (n_read_damaged > 0)
      throw Failure(fmt::format(
          "{} of the database changed between two reads; check this machine's disk and memory, and "
          "search again",
          counted(n_read_damaged, "block")));
    throw WrongAnswer(fmt::format("{}: {} of {} differ from the database", inputs_.engine.name(), n_damaged,
                                  counted(tile.n_blocks(), "block")));
  }

  // Where threads share it, each piece has queries of its own, so that threads seldom wait for a lock.
  void rank(std::span<const engine::Pair> pairs, StreamStats& did) {
    const InStage stage(AnswerStage::kCompare);
    const Stopwatch ranking;
    const std::size_t pieces = plan_.readers == 0 ? 1 : pairs.size() / kPairsAPiece;
    if (pieces <= 1) {
      inputs_.sink.take(pairs);
    } else {
      std::vector<std::size_t> starts;
      const std::vector<engine::Pair> sorted = by_query(pairs, inputs_.n_queries, starts);
      pool_.for_each(
          pieces,
          [&](std::size_t i, const ThreadPool::Stop&) {
            const std::size_t first = starts[i * inputs_.n_queries / pieces],
                              end = starts[(i + 1) * inputs_.n_queries / pieces];
            inputs_.sink.take(std::span(sorted).subspan(first, end - first));
          },
          ThreadPool::Order::kAhead);
    }
    did.rank_seconds += ranking.seconds();
  }

  StreamInputs inputs_;
  Stopwatch watch_;
  engine::WorkPlan plan_;
  std::unique_ptr<engine::PreparedQueries> queries_;
  TileQueue tiles_;
  std::mutex guard_;
  StreamStats stats_;  ///< guarded by guard_
  ThreadPool pool_;
  std::atomic<std::size_t> usable_;  ///< workers that are open or may still be opened
};

}  // namespace

std::unique_ptr<PreparedStream> prepare_stream(const StreamInputs& inputs, const engine::WorkPlan& plan) {
  return std::make_unique<Stream>(inputs, plan);
}

StreamStats& StreamStats::operator+=(const StreamStats& other) {
  workers = std::max(workers, other.workers);
  tile_blocks = std::max(tile_blocks, other.tile_blocks);
  tiles += other.tiles;
  pairs += other.pairs;
  sample_seconds += other.sample_seconds;
  open_seconds += other.open_seconds;
  read_seconds += other.read_seconds;
  compare_seconds += other.compare_seconds;
  rank_seconds += other.rank_seconds;
  read_bytes += other.read_bytes;
  device += other.device;
  return *this;
}

StreamStats stream(const BlockSource& database, const engine::Problem& problem, engine::Engine& engine,
                   match::PairSink& sink, Progress& progress, std::uint64_t ranked_blocks) {
  const std::size_t n = problem.queries->n_rows(), most = engine.plan(problem).queries;
  const std::size_t slices = std::max<std::size_t>(1, ceil_div(n, most));
  std::atomic<std::uint64_t> done = 0;  // profiles, summed over slices
  const std::function<void(std::uint64_t)> on_profiles = [&](std::uint64_t profiles) {
    const std::uint64_t before = done.fetch_add(profiles);
    progress.add((before + profiles) / slices - before / slices);
  };
  StreamStats total;
  for (std::size_t i = 0; i < slices; ++i) {
    const std::size_t first = i * most;
    ProfileRows rows(0, problem.database.n_sites);
    engine::Problem asked = problem;
    std::unique_ptr<engine::CustomCount> own;
    if (slices > 1) {
      rows = problem.queries->slice(first, std::min(most, n - first));
      asked.queries = &rows;
      if (problem.custom_count != nullptr) own = problem.custom_count->sliced(asked, first);
      asked.custom_count = own.get();
    }
    total += prepare_stream({database, asked, first, n, engine, sink, ranked_blocks}, engine.plan(asked))
                 ->flow(on_profiles);
  }
  return total;
}

}  // namespace fastid::pipeline
