#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "pipeline/host_opening.hpp"
#include "pipeline/lane_loop.hpp"
#include "pipeline/recount.hpp"
#include "pipeline/split_source.hpp"
#include "pipeline/sweep.hpp"

namespace fastid {
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
    if (!std::ranges::all_of(places_, [&](const LanePlace& place) { return place.lane->ask(asked_); }))
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
    StreamStats stats =
        resident_ ? compare_kept(on_device, host) : compare_tiles(on_device, host, again && may_keep_);
    stats += host.stats();
    return stats;
  }

  StreamStats compare_tiles(const Pass& pass, HostOpening& host, bool again) {
    const bool keep = again && plan_.keeps;
    Sweep sweep(pass, engine_, plan_, begin_, end_, keep);
    const StreamStats stats = sweep.run(places_, host);
    hosts_blocks_ = sweep.hosts_blocks();
    resident_ = sweep.kept();
    if (keep && !resident_) {
      may_keep_ = false;
      places_.clear();  // and with them what some of them kept
    }
    return stats;
  }

  StreamStats compare_kept(const Pass& pass, HostOpening& host) {
    const Stopwatch watch;
    if (hosts_blocks_ > 0) host.compare(begin_, hosts_blocks_);
    const double host_seconds = watch.seconds();
    StreamStats stats = sweep_kept(pass, plan_, places_, hosts_blocks_);
    stats.host_seconds = host_seconds;
    return stats;
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
  std::vector<LanePlace> places_;   ///< none where the next pass plans, and opens, anew
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
