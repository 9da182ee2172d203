// The native engine of PathCount: a tile's profiles are packed, and pass query by query.
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/process.hpp"
#include "engine/cpu/path_pass.hpp"
#include "engine/path_count.hpp"
#include "engine/tile_worker.hpp"

namespace fastid {
namespace {

using PathCodes = std::vector<std::vector<std::uint8_t>>;  ///< path_codes() of each query

class PathWorker final : public TileWorker {
 public:
  PathWorker(const PathTest& test, const Problem& problem, const PathCodes& codes, std::size_t tile_blocks)
      : TileWorker(problem, tile_blocks), test_(test), queries_(*problem.queries), codes_(codes) {}

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    const BlocksView view = view_of(tile);
    const auto n = static_cast<std::size_t>(tile.shape.n_profiles);
    const std::size_t groups = ceil_div(n, kPathLanes);
    packed_.resize(groups * packed_path_bytes(test_.units.size()));
    pack_paths(test_.units, view, packed_.data());
    scores_.resize(groups * kPathLanes);
    missing_.resize(n);
    for (std::size_t place = 0; place < n; ++place) missing_[place] = test_.missing(view, place);
    for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
      const bool passing = thresholds[query].passes(PathCount::kPasses),
                 failing = thresholds[query].passes(PathCount::kFails);
      if (!passing && !failing) continue;
      find_passing(query);
      for (std::size_t place = 0; place < n; ++place)
        if (passes_[place] != 0 ? passing : failing)
          out.push_back({tile.first_row() + place, query,
                         passes_[place] != 0 ? PathCount::kPasses : PathCount::kFails});
    }
    return 0;
  }

 private:
  /// Of each packed profile, whether its pair with a query passes.
  void find_passing(std::uint32_t query) {
    const std::uint32_t of_query = test_.missing(queries_.row(query));
    passes_.assign(missing_.size(), 1);
    for (const PathTable& table : test_.tables) {
      if (of_query > table.most_missing) continue;  // all pass
      path_pass(table, path_scores(table, codes_[query]), packed_.data(), scores_.size() / kPathLanes,
                scores_.data());
      for (std::size_t place = 0; place < missing_.size(); ++place)
        passes_[place] = static_cast<std::uint8_t>(
            passes_[place] & (table.passes(scores_[place], of_query + missing_[place]) ? 1 : 0));
    }
  }

  const PathTest& test_;
  const ProfileRows& queries_;
  const PathCodes& codes_;
  std::vector<std::uint32_t> missing_;  ///< of each profile
  std::vector<std::uint8_t> packed_, scores_, passes_;
};

class PathQueries final : public PreparedQueries {
 public:
  PathQueries(const PathTest& test, const Problem& problem) : test_(test), problem_(problem) {
    for (std::size_t query = 0; query < problem.queries->n_rows(); ++query)
      codes_.push_back(path_codes(test.units, problem.queries->row(query)));
  }
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<PathWorker>(test_, problem_, codes_, tile_blocks);
  }

 private:
  const PathTest& test_;
  Problem problem_;
  PathCodes codes_;
};

class PathEngine final : public Engine {
 public:
  PathEngine(const PathTest& test, std::size_t threads)
      : test_(test), options_{.threads = threads_or_all(threads)} {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, likeliest paths, {}, {} thread{}", cpu_engine_target(),
                       options_.threads, options_.threads == 1 ? "" : "s");
  }
  // So many profiles that to find a query's scores takes little beside.
  WorkPlan plan(const Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{8} << 20, kLeastBlocks = 16;
    return tile_plan(problem, options_, std::max(kTileBytes, kLeastBlocks * problem.block_bytes()));
  }
  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan&) override {
    return std::make_unique<PathQueries>(test_, problem);
  }

 private:
  const PathTest& test_;
  EngineOptions options_;
};

}  // namespace

std::unique_ptr<Engine> make_path_engine(const PathTest& test, std::size_t threads) {
  return std::make_unique<PathEngine>(test, threads);
}

}  // namespace fastid
