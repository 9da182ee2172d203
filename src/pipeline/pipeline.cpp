#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "pipeline/host_opening.hpp"
#include "pipeline/lane_loop.hpp"
#include "pipeline/recount.hpp"
#include "pipeline/split_source.hpp"
#include "pipeline/tile_queue.hpp"

namespace fastid {
namespace {

/// Blocks that the host compares at most where it does so in each run, since no lane keeps them.
constexpr std::size_t kOpening = 64;

/// A lane, once it is open, and what it has.
struct Place {
  std::unique_ptr<Lane> lane;
  std::size_t most_blocks = 0;  ///< of a tile
  KeptBlocks kept;
};

/// Opens the lane of a place; with smaller tiles where the device lacks memory.
void open_lane(Engine& engine, const Problem& problem, std::size_t tile_blocks, Place& place) {
  for (place.most_blocks = tile_blocks; !place.lane;) {
    try {
      place.lane = engine.open_lane(problem, place.most_blocks);
    } catch (const DeviceMemoryError& error) {
      if (place.most_blocks == 1) throw;
      place.most_blocks /= 2;
      log::detail("{}; trying tiles of {}", error.what(), counted(place.most_blocks, "block"));
    }
  }
}

}  // namespace

StreamStats& StreamStats::operator+=(const StreamStats& other) {
  tiles += other.tiles;
  candidates += other.candidates;
  open_seconds += other.open_seconds;
  host_seconds += other.host_seconds;
  read_seconds += other.read_seconds;
  compare_seconds += other.compare_seconds;
  rank_seconds += other.rank_seconds;
  read_bytes += other.read_bytes;
  device += other.device;
  return *this;
}

class Stream::Work {
 public:
  Work(const BlockSource& database, std::uint64_t begin, std::uint64_t end, const Problem& problem,
       Engine& engine, bool again)
      : database_(database),
        begin_(begin),
        end_(end),
        problem_(problem),
        engine_(engine),
        again_(again),
        asked_(problem),
        rows_(0, problem.database.n_sites) {}

  StreamStats run(Ranking& ranking, Progress& progress, CountHistograms* histograms) {
    const std::size_t n = problem_.queries->n_rows(), most = engine_.plan(problem_).queries;
    const std::size_t passes = std::max<std::size_t>(1, ceil_div(n, most));
    const std::function<void(std::uint64_t)> on_profiles = [&](std::uint64_t profiles) {
      progress.add(profiles / passes);
    };
    StreamStats total;
    for (std::size_t i = 0; i < passes; ++i) {
      const std::size_t first = i * most;
      if (passes > 1) ask(first, std::min(most, n - first));
      const StreamStats one = pass(Asked{first, ranking, histograms, on_profiles}, again_ || i + 1 < passes);
      total.lanes = one.lanes;
      total.kept = one.kept && (i == 0 || total.kept);
      total.tile_blocks = std::max(total.tile_blocks, one.tile_blocks);
      total += one;
    }
    total.rank_seconds += static_cast<double>(total.lanes) * rank_waiting(ranking);
    return total;
  }

 private:
  struct Asked {
    std::size_t first_query;
    Ranking& ranking;
    CountHistograms* histograms;
    const std::function<void(std::uint64_t)>& on_profiles;
  };

  Pass pass_of(const Asked& asked, const Engine& engine, const BlockSource& source, Helpers& helpers) const {
    return {source,  asked_,        asked.first_query, problem_.queries->n_rows(), engine,
            helpers, asked.ranking, asked.histograms,  asked.on_profiles};
  }

  TileSizes sizes() const {
    return {plan_.first_tile_blocks, plan_.tile_blocks, plan_.lanes, plan_.growth,
            plan_.small_last,        !plan_.tightens};
  }

  /// Counts again what is still in the running. Returns the seconds that it takes.
  double rank_waiting(Ranking& ranking) {
    constexpr std::size_t kPairsAThread = 1024;
    const Stopwatch watch;
    const std::vector<Contender> pairs = ranking.wait_over();
    const std::size_t threads = std::max(plan_.lanes, helpers_->threads() + 1);
    Helpers crew(std::clamp<std::size_t>(pairs.size() / kPairsAThread, 1, threads) - 1);
    rank_again({database_, problem_, 0, engine_}, {begin_, database_.view(begin_, end_ - begin_)}, pairs,
               crew, ranking);
    return watch.seconds();
  }

  /// The next pass asks `n` queries from `first` on.
  void ask(std::size_t first, std::size_t n) {
    rows_ = problem_.queries->slice(first, n);
    asked_.queries = &rows_;
    if (!std::ranges::all_of(places_, [&](const Place& place) { return place.lane->ask(asked_); }))
      places_.clear();
  }

  /// \param again  more will follow, and the lanes had better keep what they get
  StreamStats pass(const Asked& asked, bool again) {
    if (places_.empty()) {
      plan_ = engine_.plan(asked_);
      places_.resize(plan_.lanes);
      helpers_.emplace(plan_.readers);
      resident_ = false;
    }
    const SplitSource source(database_, *helpers_);
    const Pass on_device = pass_of(asked, engine_, source, *helpers_),
               on_host = pass_of(asked, engine_, database_, *helpers_);
    HostOpening host(on_host);
    StreamStats stats = resident_ ? compare_kept(on_device, host)
                                  : compare_tiles(on_device, host, again && may_keep_ && plan_.keeps);
    stats += host.stats();
    return stats;
  }

  StreamStats of_lanes() const {
    StreamStats stats{.lanes = places_.size(), .kept = resident_};
    for (const Place& place : places_) stats.tile_blocks = std::max(stats.tile_blocks, place.most_blocks);
    return stats;
  }

  /// All blocks, by lanes that are opened where they are not yet; until one is, by the host besides.
  /// \param keep  have the lanes keep their tiles
  StreamStats compare_tiles(const Pass& pass, HostOpening& host, bool keep) {
    TileQueue tiles(begin_, end_, sizes());
    const std::size_t host_blocks = keep ? std::min(plan_.host_blocks, kOpening) : plan_.host_blocks;
    const std::optional<Tile> first = host_blocks > 0 ? tiles.take(host_blocks) : std::nullopt;
    hosts_blocks_ = first ? first->n : 0;
    std::atomic<std::size_t> usable = places_.size();
    std::atomic<bool> open = std::ranges::any_of(places_, [](const Place& place) { return !!place.lane; });
    std::atomic<bool> keeping = keep;
    double open_seconds = 0, host_seconds = 0;
    StreamStats total;
    std::mutex guard;
    const Stopwatch watch;
    const auto run_lane = [&](Place& place, const std::atomic<bool>& failed) {
      if (!place.lane) {
        try {
          open_lane(engine_, pass.problem, plan_.tile_blocks, place);
        } catch (const DeviceMemoryError&) {
          if (--usable == 0) throw;
          return;  // the others do without it
        }
      }
      if (!open.exchange(true)) open_seconds = watch.seconds();
      LaneLoop loop(pass, *place.lane);
      while (const auto tile = tiles.next(failed, place.most_blocks)) {
        loop.process(*tile);
        if (keeping && place.lane->keep())
          place.kept.add(*tile);
        else
          keeping = false;
        tiles.done(*tile);
        check_interrupt();
      }
      const std::lock_guard lock(guard);
      total += loop.stats();
    };
    const auto run_host = [&](const std::atomic<bool>& failed) {
      for (std::optional<Tile> tile = first; tile;
           tile = open || keep || failed ? std::nullopt : tiles.take(host_blocks)) {
        host.compare(tile->first, tile->n);
        tiles.done(*tile);
        check_interrupt();
      }
      host_seconds = watch.seconds();
    };
    run_crew(places_.size() + (first ? 1 : 0), [&](std::size_t i, const std::atomic<bool>& failed) {
      i < places_.size() ? run_lane(places_[i], failed) : run_host(failed);
    });
    std::erase_if(places_, [](const Place& place) { return !place.lane; });
    StreamStats stats = of_lanes();
    stats += total;
    stats.open_seconds = open_seconds;
    stats.host_seconds = host_seconds;
    resident_ = keeping;
    if (keep && !resident_) {
      may_keep_ = false;
      places_.clear();  // and with them what some of them kept
    }
    return stats;
  }

  /// The blocks that the lanes have kept, each lane its own, after those that none has.
  StreamStats compare_kept(const Pass& pass, HostOpening& host) {
    constexpr std::uint64_t kSooner = 4;  // is such a run done than a tile that is read and sent: less growth
    const Stopwatch watch;
    if (hosts_blocks_ > 0) host.compare(begin_, hosts_blocks_);
    StreamStats total = of_lanes();
    total.host_seconds = watch.seconds();
    std::mutex guard;
    std::atomic<std::uint64_t> ranked = hosts_blocks_;
    run_crew(places_.size(), [&](std::size_t i, const std::atomic<bool>& failed) {
      Place& place = places_[i];
      LaneLoop loop(pass, *place.lane);
      for (std::uint64_t next = 0; next < place.kept.size() && !failed;) {
        const std::uint64_t most = sizes().grown(ranked / kSooner);
        const std::size_t n = loop.process_kept(place.kept, next, std::min(place.kept.size() - next, most));
        next += n;
        ranked += n;
        check_interrupt();
      }
      const std::lock_guard lock(guard);
      total += loop.stats();
    });
    return total;
  }

  const BlockSource& database_;
  std::uint64_t begin_, end_;
  Problem problem_;
  Engine& engine_;
  bool again_;
  Problem asked_;     ///< the problem, with the queries of a pass
  ProfileRows rows_;  ///< those, where they are not all
  LanePlan plan_;
  std::optional<Helpers> helpers_;
  std::vector<Place> places_;       ///< none where the next pass plans, and opens, anew
  bool resident_ = false;           ///< the lanes keep all blocks but the host's
  std::uint64_t hosts_blocks_ = 0;  ///< those: the first ones
  bool may_keep_ = true;            ///< until a lane had no room after all
};

Stream::Stream(const BlockSource& database, std::uint64_t begin, std::uint64_t end, const Problem& problem,
               Engine& engine, bool again)
    : work_(std::make_unique<Work>(database, begin, end, problem, engine, again)) {}

Stream::~Stream() = default;

StreamStats Stream::run(Ranking& ranking, Progress& progress, CountHistograms* histograms) {
  return work_->run(ranking, progress, histograms);
}

StreamStats stream(const BlockSource& database, std::uint64_t begin, std::uint64_t end,
                   const Problem& problem, Engine& engine, Ranking& ranking, Progress& progress,
                   CountHistograms* histograms) {
  return Stream(database, begin, end, problem, engine).run(ranking, progress, histograms);
}

}  // namespace fastid
