// The plain definition as an engine: every pair by count_pair(), one after the other.
#include "engine/engine.hpp"

#include <algorithm>

namespace fastid {
namespace {

class ReferenceLane final : public Lane {
 public:
  ReferenceLane(const Problem& problem, std::size_t tile_blocks)
      : problem_(problem),
        bits_(checked_mul(tile_blocks, problem.database.block_words())),
        called_(problem.has_called ? bits_.size() : 0) {}

  TileBuffer buffer() override { return {bits_.data(), called_.data()}; }

  void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
    const BlocksView view{tile, bits_.data(), called_.data()};
    for (std::uint32_t q = 0; q < bars.size(); ++q)
      for (std::uint32_t p = 0; p < tile.n_profiles; ++p) {
        const PairCounts counts = count_pair(problem_.comparison, problem_.queries->row(q), view, p);
        const std::uint32_t weight = weight_of(problem_.comparison, counts);
        if (bars[q].passes(counts.count, weight)) out.push_back({q, p, counts.count, weight});
      }
  }

  void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
    count_by_definition(problem_, {tile, bits_.data(), called_.data()}, series, out);
  }

 private:
  Problem problem_;
  WordBuffer bits_, called_;
};

class ReferenceEngine final : public Engine {
 public:
  explicit ReferenceEngine(const EngineOptions& options) : options_(options) {}

  std::string name() const override { return "reference"; }
  std::string description() const override { return "reference engine, one word at a time, 1 thread"; }
  LanePlan plan(const Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{1} << 20;
    const std::size_t tile = tile_blocks_for(problem, options_, kTileBytes);
    return {1, tile, options_.tile_blocks ? tile : 1};
  }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    return std::make_unique<ReferenceLane>(problem, tile_blocks);
  }

 private:
  EngineOptions options_;
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(const EngineOptions& options) {
  return std::make_unique<ReferenceEngine>(options);
}

void count_by_definition(const Problem& problem, const BlocksView& tile, const BlockSeries& series,
                         std::vector<PairCount>& out) {
  const std::size_t n_queries = problem.queries->n_rows();
  out.assign(n_queries * series.n * kLanes, {});
  for (std::size_t q = 0; q < n_queries; ++q)
    for (std::size_t i = 0; i < series.n; ++i) {
      const std::uint64_t first = (series.first + i * series.step) * kLanes;
      for (std::size_t lane = 0; lane < kLanes && first + lane < tile.shape.n_profiles; ++lane) {
        const PairCounts pair = count_pair(problem.comparison, problem.queries->row(q), tile, first + lane);
        out[(q * series.n + i) * kLanes + lane] = {pair.count, weight_of(problem.comparison, pair)};
      }
    }
}

}  // namespace fastid
