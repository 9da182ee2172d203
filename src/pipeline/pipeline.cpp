#include "pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "pipeline/internal/lane_loop.hpp"
#include "pipeline/internal/recount.hpp"
#include "pipeline/internal/split_source.hpp"
#include "pipeline/internal/sweep.hpp"

namespace fastid {
namespace {

// Of the process: an engine may serve several streams.
std::uint64_t next_pass() {
  static std::atomic<std::uint64_t> passes = 0;
  return ++passes;
}

}  // namespace

StreamStats& StreamStats::operator+=(const StreamStats& other) {
  tiles += other.tiles;
  candidates += other.candidates;
  open_seconds += other.open_seconds;
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
    std::atomic<std::uint64_t> done = 0;  // profiles, of each pass
    const std::function<void(std::uint64_t)> on_profiles = [&](std::uint64_t profiles) {
      const std::uint64_t before = done.fetch_add(profiles);
      progress.add((before + profiles) / passes - before / passes);
    };
    StreamStats total;
    for (std::size_t i = 0; i < passes; ++i) {
      const std::size_t first = i * most;
      if (passes > 1) ask(first, std::min(most, n - first));
      const StreamStats one = pass(Asked{first, ranking, histograms, on_profiles}, again_ || i + 1 < passes);
      total.lanes = one.lanes;
      total.kept = one.kept && (i == 0 || total.kept);
      total.checked = one.checked && (i == 0 || total.checked);
      total.tile_blocks = std::max(total.tile_blocks, one.tile_blocks);
      total += one;
    }
    return total;
  }

 private:
  struct Asked {
    std::size_t first_query;
    Ranking& ranking;
    CountHistograms* histograms;
    const std::function<void(std::uint64_t)>& on_profiles;
  };

  /// The next pass asks `n` queries from `first` on.
  void ask(std::size_t first, std::size_t n) {
    rows_ = problem_.queries->slice(first, n);
    asked_.queries = &rows_;
    if (!lanes_take_queries()) places_.clear();
  }

  bool lanes_take_queries() {
    try {
      return std::ranges::all_of(places_, [&](const LanePlace& place) { return place.lane->ask(asked_); });
    } catch (const DeviceMemoryError& error) {
      log::detail("{}; opening its lanes anew", error.what());
      return false;
    }
  }

  /// \param again  more will follow, and the lanes had better keep what they get
  StreamStats pass(const Asked& asked, bool again) {
    // By open bars, too much would come back of what is kept.
    if (resident_ && asked.ranking.rule().top > plan_.closes) places_.clear();
    if (places_.empty()) {
      plan_ = engine_.plan(asked_);
      places_.resize(plan_.lanes);
      helpers_.emplace(plan_.readers);
      resident_ = false;
    }
    const SplitSource source(database_, *helpers_);
    LatePairs late;
    std::atomic<std::uint64_t> seen = 0;
    const Pass all{.id = next_pass(),
                   .source = source,
                   .problem = asked_,
                   .first_query = asked.first_query,
                   .n_queries = problem_.queries->n_rows(),
                   .engine = engine_,
                   .helpers = *helpers_,
                   .ranking = asked.ranking,
                   .late = late,
                   .seen = seen,
                   .histograms = asked.histograms,
                   .on_profiles = asked.on_profiles};
    const bool keep = again && may_keep_ && plan_.keeps && asked.ranking.rule().top <= plan_.closes;
    const StreamStats stats = resident_ ? sweep_kept(all, places_) : compare_tiles(all, keep);
    check_promises(asked.ranking);
    if (stats.kept && !(stats.checked && counts_all()))
      recount_listed({asked_, asked.first_query, engine_}, database_, asked.ranking, *helpers_);
    return stats;
  }

  // Whether a lane counts all that is reported of a pair. Of sites compared with a mixture only the profiles
  // tell that it brings.
  bool counts_all() const { return problem_.comparison == Comparison::kIdentity || !problem_.has_called; }

  // Each pair that is listed was counted again. A bar may still have had no pairs behind it.
  void check_promises(const Ranking& ranking) const {
    if (const auto query = ranking.broken_promise())
      throw DeviceError(fmt::format("{} turned pairs of query {} away for better ones, which never came; {}",
                                    engine_.name(), *query, kDistrust));
  }

  StreamStats compare_tiles(const Pass& pass, bool keep) {
    Sweep sweep(pass, engine_, plan_, begin_, end_, keep);
    const StreamStats stats = sweep.run(places_);
    resident_ = sweep.kept();
    if (keep && !resident_) {
      may_keep_ = false;
      places_.clear();  // and with them what some of them kept
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
  LanePlan plan_;
  std::optional<Helpers> helpers_;
  std::vector<LanePlace> places_;  ///< none where the next pass plans, and opens, anew
  bool resident_ = false;          ///< the lanes keep all blocks
  bool may_keep_ = true;           ///< until a lane had no room after all
};

Stream::Stream(const BlockSource& database, std::uint64_t begin, std::uint64_t end, const Problem& problem,
               Engine& engine, bool again)
    : work_(std::make_unique<Work>(database, begin, end, problem, engine, again)) {}

Stream::~Stream() = default;

StreamStats Stream::run(Ranking& ranking, Progress& progress, CountHistograms* histograms) {
  return work_->run(ranking, progress, histograms);
}

}  // namespace fastid
