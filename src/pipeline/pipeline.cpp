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
#include "pipeline/helpers.hpp"
#include "pipeline/lane_loop.hpp"
#include "pipeline/recount.hpp"
#include "pipeline/split_source.hpp"
#include "pipeline/tile_queue.hpp"

namespace fastid {
namespace {

/// Blocks that the host compares at most where it does so in each pass or run, since no lane keeps them.
constexpr std::size_t kOpening = 64;

/// Lanes of an engine, and the tiles that they keep.
struct Lanes {
  LanePlan plan;
  std::vector<std::unique_ptr<Lane>> open;
  std::vector<KeptBlocks> kept;  ///< of each lane

  TileSizes sizes() const {
    return {plan.first_tile_blocks, plan.tile_blocks, plan.lanes, plan.growth,
            plan.small_last,        !plan.tightens};
  }
};

/// As many lanes as the plan has, opened side by side; with smaller tiles where the device lacks memory.
Lanes open_lanes(Engine& engine, const Problem& problem, LanePlan plan) {
  for (;;) {
    std::vector<std::unique_ptr<Lane>> lanes(plan.lanes);
    try {
      run_crew(plan.lanes, [&](std::size_t i, const std::atomic<bool>&) {
        lanes[i] = engine.open_lane(problem, plan.tile_blocks);
      });
      return {plan, std::move(lanes), std::vector<KeptBlocks>(plan.lanes)};
    } catch (const DeviceMemoryError& error) {
      if (plan.tile_blocks == 1) throw;
      plan.tile_blocks /= 2;
      plan.first_tile_blocks = std::min(plan.first_tile_blocks, plan.tile_blocks);
      log::detail("{}; trying tiles of {}", error.what(), counted(plan.tile_blocks, "block"));
    }
  }
}

/// What a lane's thread does again and again, until it says that nothing is left.
using Step = std::function<bool(LaneLoop&, std::size_t lane, const std::atomic<bool>& failed)>;

StreamStats run_lanes(const Pass& pass, const Lanes& lanes, const Step& step) {
  StreamStats total;
  std::mutex guard;
  run_crew(lanes.open.size(), [&](std::size_t i, const std::atomic<bool>& failed) {
    LaneLoop loop(pass, *lanes.open[i]);
    while (step(loop, i, failed)) check_interrupt();
    const std::lock_guard lock(guard);
    total += loop.stats();
  });
  return total;
}

/// Compares the tiles of a queue. \param keep  have the lanes keep them; false afterwards where one was not
/// kept
StreamStats compare_tiles(const Pass& pass, Lanes& lanes, TileQueue& tiles, bool& keep) {
  std::atomic<bool> keeping = keep;
  const StreamStats stats =
      run_lanes(pass, lanes, [&](LaneLoop& loop, std::size_t i, const std::atomic<bool>& failed) {
        const auto tile = tiles.next(failed);
        if (!tile) return false;
        loop.process(*tile);
        if (keeping && lanes.open[i]->keep())
          lanes.kept[i].add(*tile);
        else
          keeping = false;
        tiles.done(*tile);
        return true;
      });
  keep = keeping;
  return stats;
}

/// Compares the blocks that the lanes have kept, each lane its own. \param before  how many blocks were
/// ranked already
StreamStats compare_kept(const Pass& pass, const Lanes& lanes, std::uint64_t before) {
  constexpr std::uint64_t kTogether = 2;  // of all lanes' runs, to all that was ranked before them
  const TileSizes sizes = lanes.sizes();
  std::atomic<std::uint64_t> ranked = before;
  std::vector<std::uint64_t> next(lanes.open.size());  // of each lane
  return run_lanes(pass, lanes, [&](LaneLoop& loop, std::size_t i, const std::atomic<bool>& failed) {
    const std::uint64_t left = lanes.kept[i].size() - next[i];
    if (left == 0 || failed) return false;
    const std::uint64_t most = sizes.grown(kTogether * ranked / lanes.open.size());
    const std::size_t n = loop.process_kept(lanes.kept[i], next[i], std::min(left, most));
    next[i] += n;
    ranked += n;
    return true;
  });
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

  /// Counts again what is still in the running. Returns the seconds that it takes.
  double rank_waiting(Ranking& ranking) {
    constexpr std::size_t kPairsAThread = 1024;
    const Stopwatch watch;
    const std::vector<Contender> pairs = ranking.wait_over();
    const std::size_t threads = std::max(lanes_.plan.lanes, helpers_->threads() + 1);
    Helpers crew(std::clamp<std::size_t>(pairs.size() / kPairsAThread, 1, threads) - 1);
    rank_again({database_, problem_, 0, engine_}, {begin_, database_.view(begin_, end_ - begin_)}, pairs,
               crew, ranking);
    return watch.seconds();
  }

  /// The next pass asks `n` queries from `first` on.
  void ask(std::size_t first, std::size_t n) {
    rows_ = problem_.queries->slice(first, n);
    asked_.queries = &rows_;
    if (!std::ranges::all_of(lanes_.open, [&](const auto& lane) { return lane->ask(asked_); })) lanes_ = {};
  }

  /// \param again  more will follow, and the lanes had better keep what they get
  StreamStats pass(const Asked& asked, bool again) {
    const LanePlan plan = lanes_.open.empty() ? engine_.plan(asked_) : lanes_.plan;
    const bool wanted = again && may_keep_ && plan.keeps;
    if (!helpers_ || lanes_.open.empty()) helpers_.emplace(plan.readers);
    std::atomic<bool> opened = !lanes_.open.empty();
    double open_seconds = 0;
    const auto open = [&] {
      const Stopwatch watch;
      if (opened) return;
      lanes_ = open_lanes(engine_, asked_, plan);
      resident_ = false;
      opened = true;
      open_seconds = watch.seconds();
    };
    StreamStats stats{};
    std::uint64_t head = 0;  // blocks, compared by the host
    const auto compare_meanwhile = [&](const std::atomic<bool>& failed) {
      const Stopwatch watch;
      const std::uint64_t step = wanted ? std::min(plan.host_blocks, kOpening) : plan.host_blocks;
      do {
        const std::uint64_t n = std::min(step, end_ - begin_ - head);
        stats += compare_on_host(asked, head, n);
        head += n;
      } while (!opened && !wanted && !failed && head < end_ - begin_);
      stats.host_seconds = watch.seconds();
    };
    if (plan.host_blocks == 0)
      open();
    else
      run_crew(2, [&](std::size_t i, const std::atomic<bool>& failed) {
        if (i == 0) return open();
        compare_meanwhile(failed);
      });
    stats.open_seconds = open_seconds;
    stats.lanes = lanes_.plan.lanes;
    stats.tile_blocks = lanes_.plan.tile_blocks;
    stats.kept = resident_;
    stats += compare_on_device(asked, head, wanted);
    return stats;
  }

  /// `n` blocks from `first` on, each thread with queries of its own. Of the stages' times this is no part.
  StreamStats compare_on_host(const Asked& asked, std::uint64_t first, std::uint64_t n) {
    const std::size_t n_queries = asked_.queries->n_rows();
    const std::size_t parts = host_parts(n_queries, helpers_->threads() + 1);
    StreamStats total;
    std::mutex guard;
    helpers_->share(parts, [&](std::size_t i) {
      const std::size_t from = i * n_queries / parts, to = (i + 1) * n_queries / parts;
      const ProfileRows rows = asked_.queries->slice(from, to - from);
      const StreamStats one = compare_on_host(asked, rows, from, first, n);
      const std::lock_guard lock(guard);
      total.tiles += one.tiles;
      total.candidates += one.candidates;
    });
    asked.on_profiles(n * kLanes);
    return total;
  }

  /// Queries `rows`, from `first_query` on of those that are asked.
  StreamStats compare_on_host(const Asked& asked, const ProfileRows& rows, std::size_t first_query,
                              std::uint64_t first, std::uint64_t n) const {
    const auto host = make_cpu_engine({.threads = 1});
    Helpers nobody(0);
    const std::function<void(std::uint64_t)> silent = [](std::uint64_t) {};
    Pass pass = pass_of({asked.first_query + first_query, asked.ranking, asked.histograms, silent}, *host,
                        database_, nobody);
    pass.problem.queries = &rows;
    Lanes lanes = open_lanes(*host, pass.problem, host->plan(pass.problem));
    TileQueue tiles(begin_ + first, begin_ + first + n, lanes.sizes(), first);
    bool keep = false;
    return compare_tiles(pass, lanes, tiles, keep);
  }

  StreamStats compare_on_device(const Asked& asked, std::uint64_t head, bool wanted) {
    const SplitSource source(database_, *helpers_);
    const Pass pass = pass_of(asked, engine_, source, *helpers_);
    if (resident_) return compare_kept(pass, lanes_, head);
    TileQueue tiles(begin_ + head, end_, lanes_.sizes(), head);
    resident_ = wanted;
    const StreamStats stats = compare_tiles(pass, lanes_, tiles, resident_);
    if (wanted && !resident_) {
      may_keep_ = false;
      lanes_ = {};  // and with them what some of them kept
    }
    return stats;
  }

  const BlockSource& database_;
  std::uint64_t begin_, end_;
  Problem problem_;
  Engine& engine_;
  bool again_;
  Problem asked_;     ///< the problem, with the queries of a pass
  ProfileRows rows_;  ///< those, where they are not all
  std::optional<Helpers> helpers_;
  Lanes lanes_;
  bool resident_ = false;  ///< the lanes keep all tiles but the host's
  bool may_keep_ = true;   ///< until one had no room after all
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
