// The native engine of PathCount: a tile's profiles are packed, and pass query by query.
#include <fmt/format.h>

#include <algorithm>
#include <array>

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
      : TileWorker(problem, tile_blocks), test_(test), codes_(codes) {
    for (std::size_t query = 0; query < problem.queries->n_rows(); ++query)
      missing_of_.push_back(test.missing(problem.queries->row(query)));
  }

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    const BlocksView view = view_of(tile);
    const auto n = static_cast<std::size_t>(tile.shape.n_profiles);
    packed_.resize(ceil_div(n, kPathLanes) * packed_path_bytes(test_.units.size()));
    pack_paths(test_.units, view, packed_.data());
    missing_.resize(n);
    for (std::size_t place = 0; place < n; ++place) missing_[place] = test_.missing(view, place);
    std::vector<std::uint32_t> some;
    for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
      if (thresholds[query].passes(PathCount::kPasses) || thresholds[query].passes(PathCount::kFails))
        some.push_back(query);
      if (some.size() < kPathQueries && query + 1 < thresholds.size()) continue;
      find_passing(some);
      for (std::size_t i = 0; i < some.size(); ++i)
        for (std::size_t place = 0; place < n; ++place) {
          const PairCounts counts = passes_[i * n + place] != 0 ? PathCount::kPasses : PathCount::kFails;
          if (thresholds[some[i]].passes(counts)) out.push_back({tile.first_row() + place, some[i], counts});
        }
      some.clear();
    }
    return 0;
  }

 private:
  // The profiles that meet some queries are in a core's cache from the first of these on.
  static constexpr std::size_t kPathQueries = 8, kPathGroups = 4;

  /// Of each packed profile, whether its pairs with some queries pass.
  void find_passing(std::span<const std::uint32_t> queries) {
    const std::size_t n = missing_.size();
    passes_.assign(queries.size() * n, 1);
    for (const PathTable& table : test_.tables) {
      std::vector<std::vector<PathScores>> scores;
      for (const std::uint32_t query : queries) scores.push_back(path_scores(table, codes_[query]));
      for (std::size_t first = 0; first < n; first += kPathGroups * kPathLanes)
        for (std::size_t i = 0; i < queries.size(); ++i)
          find_passing(table, queries[i], scores[i], first, std::span(passes_).subspan(i * n, n));
    }
  }

  /// Tests packed profiles with one query. \param first  the first profile's place
  void find_passing(const PathTable& table, std::uint32_t query, std::span<const PathScores> scores,
                    std::size_t first, std::span<std::uint8_t> passes) {
    const std::uint32_t of_query = missing_of_[query];
    if (of_query > table.most_missing) return;  // all pass
    const std::size_t end = std::min(passes.size(), first + kPathGroups * kPathLanes);
    path_pass(table, scores, packed_.data() + first / kPathLanes * packed_path_bytes(test_.units.size()),
              ceil_div(end - first, kPathLanes), scores_.data());
    for (std::size_t place = first; place < end; ++place)
      passes[place] = static_cast<std::uint8_t>(
          passes[place] & (table.passes(scores_[place - first], of_query + missing_[place]) ? 1 : 0));
  }

  const PathTest& test_;
  const PathCodes& codes_;
  std::vector<std::uint32_t> missing_of_;  ///< of each query
  std::vector<std::uint32_t> missing_;     ///< of each profile
  std::vector<std::uint8_t> packed_, passes_;
  std::array<std::uint8_t, kPathGroups * kPathLanes> scores_{};
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
    const std::size_t of_pairs =
        kMostPathPairs / kLanes / std::max<std::size_t>(1, problem.queries->n_rows());
    const std::size_t fit = std::min(kTileBytes / std::max<std::size_t>(1, problem.block_bytes()), of_pairs);
    return tile_plan(problem, options_, std::max(kLeastBlocks, fit) * problem.block_bytes());
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
