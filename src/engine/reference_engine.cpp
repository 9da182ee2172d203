// The plain definition as an engine: count_pair() for one pair after the other.
#include "engine/engine.hpp"

namespace fastid::engine {
namespace {

class ReferenceWorker final : public Worker {
 public:
  ReferenceWorker(const Problem& problem, std::size_t tile_blocks)
      : problem_(problem),
        bits_(checked_mul(tile_blocks, problem.database.block_words())),
        called_(problem.has_second ? bits_.size() : 0) {}

  TileBuffer buffer() override { return {bits_.data(), called_.data()}; }

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    const BlocksView view{tile.shape, bits_.data(), called_.data()};
    for (std::uint32_t query = 0; query < thresholds.size(); ++query)
      for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place) {
        const PairCounts counts =
            problem_.custom_count != nullptr
                ? problem_.custom_count->count_pair(query, view, place)
                : count_pair(problem_.comparison, problem_.by, problem_.queries->row(query), view, place);
        if (thresholds[query].passes(counts)) out.push_back({tile.first_row() + place, query, counts});
      }
    return 0;
  }

 private:
  Problem problem_;
  WordBuffer bits_, called_;
};

class ReferenceQueries final : public PreparedQueries {
 public:
  explicit ReferenceQueries(const Problem& problem) : problem_(problem) {}
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<ReferenceWorker>(problem_, tile_blocks);
  }

 private:
  Problem problem_;
};

class ReferenceEngine final : public Engine {
 public:
  explicit ReferenceEngine(const EngineOptions& options) : options_(options) {}

  std::string name() const override { return "reference"; }
  std::string description() const override { return "reference engine, one word at a time, 1 thread"; }
  WorkPlan plan(const Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{1} << 20;
    return {.workers = 1,
            .tile_blocks = tile_blocks_for(problem, options_, kTileBytes),
            .equal_tiles = options_.tile_blocks.has_value()};
  }
  bool supports(const Problem&) const override { return true; }
  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan&) override {
    return std::make_unique<ReferenceQueries>(problem);
  }

 private:
  EngineOptions options_;
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(const EngineOptions& options) {
  return std::make_unique<ReferenceEngine>(options);
}

}  // namespace fastid::engine
