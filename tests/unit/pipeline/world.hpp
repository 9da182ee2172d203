/// \file
/// A small database and its queries, and engines and sources that a test changes, for tests of the loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/progress.hpp"
#include "pipeline/search.hpp"

namespace fastid::testing {

inline BitBlocks random_blocks(BlockShape shape, std::uint32_t seed) {
  BitBlocks blocks(shape);
  std::mt19937 rng(seed);
  for (std::uint64_t i = 0; i < shape.n_profiles; ++i)
    for (std::uint32_t s = 0; s < shape.n_sites; ++s)
      if (rng() % 10 != 0) blocks.set(i, s, rng() % 3 == 0);
  return blocks;
}

// A source that fails at one block, where its checksum is looked at, and counts who reads. Where it `heals`,
// that block is damaged only where its checksum is not looked at. As a file is: nothing of it lies in memory.
class Touchy final : public BlockSource {
 public:
  explicit Touchy(const BlocksView& view, std::uint64_t bad = UINT64_MAX) : memory_(view), bad_(bad) {}
  BlockShape shape() const override { return memory_.shape(); }
  bool has_second() const override { return memory_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    if (!heals && bad_ >= first && bad_ < first + n)
      throw InputError("some.h5", "block 7", "damaged", "restore it");
    memory_.read(first, n, bits, called);
    ++reads;
  }
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    memory_.read(first, n, bits, called);
    if (bad_ >= first && bad_ < first + n) bits[(bad_ - first) * shape().block_words()] ^= called[0] & 1;
    ++unhashed_reads;
  }
  std::span<const std::uint64_t> checksums() const override { return sums; }
  mutable std::atomic<int> reads{0}, unhashed_reads{0};
  std::vector<std::uint64_t> sums;  ///< of the blocks; none at first
  bool heals = false;

 private:
  MemorySource memory_;
  std::uint64_t bad_;
};

/// The CPU engine with a plan and workers that a test changes.
class Changed final : public engine::Engine {
 public:
  explicit Changed(std::function<void(engine::WorkPlan&)> plan = [](engine::WorkPlan&) {})
      : plan_(std::move(plan)) {}
  std::string name() const override { return "changed"; }
  std::string description() const override { return "changed"; }
  engine::WorkPlan plan(const engine::Problem& problem) const override {
    engine::WorkPlan plan = engine_->plan(problem);
    plan_(plan);
    return plan;
  }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    ++prepared;
    return std::make_unique<Queries>(*this, engine_->prepare(problem, plan));
  }

  /// Before a worker for so many blocks is opened.
  std::function<void(std::size_t)> on_open = [](std::size_t) {};
  /// What a worker makes of a tile before it is compared, and of the pairs that it has found.
  std::function<void(const engine::Tile&, const engine::TileBuffer&)> on_tile =
      [](const engine::Tile&, const engine::TileBuffer&) {};
  std::function<void(std::vector<engine::Pair>&)> on_pairs = [](std::vector<engine::Pair>&) {};
  bool checks = false;                      ///< workers hold blocks against their checksums
  std::atomic<int> prepared = 0;            ///< times
  std::atomic<std::uint64_t> profiles = 0;  ///< compared

 private:
  struct Queries final : engine::PreparedQueries {
    Queries(Changed& owner, std::unique_ptr<engine::PreparedQueries> of)
        : engine(owner), native(std::move(of)) {}
    std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
      engine.on_open(tile_blocks);
      return std::make_unique<ChangedWorker>(engine, native->open_worker(tile_blocks));
    }
    Changed& engine;
    std::unique_ptr<engine::PreparedQueries> native;
  };
  struct ChangedWorker final : engine::Worker {
    ChangedWorker(Changed& owner, std::unique_ptr<engine::Worker> of)
        : engine(owner), native(std::move(of)) {}
    engine::TileBuffer buffer() override { return native->buffer(); }
    bool checks_blocks() const override { return engine.checks; }
    std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                        std::span<const engine::Threshold> thresholds,
                        std::vector<engine::Pair>& out) override {
      const engine::TileBuffer buffer = native->buffer();
      engine.on_tile(tile, buffer);
      const BlocksView view{tile.shape, buffer.bits, buffer.second};
      std::size_t n_damaged = 0;
      for (std::size_t b = 0; b < checksums.size(); ++b) n_damaged += view.checksum(b) != checksums[b];
      native->compare(tile, {}, thresholds, out);
      engine.on_pairs(out);
      engine.profiles += tile.shape.n_profiles;
      return n_damaged;
    }
    Changed& engine;
    std::unique_ptr<engine::Worker> native;
  };

  std::function<void(engine::WorkPlan&)> plan_;
  std::unique_ptr<engine::Engine> engine_ = engine::make_cpu_engine({.threads = 2, .tile_blocks = 1});
};

/// 100 profiles of 50 sites, of which two are also queries.
struct Case {
  BitBlocks blocks = random_blocks({100, 50}, 1);
  MemorySource source{blocks.view()};
  Touchy file{blocks.view()};
  std::vector<std::uint64_t> which{3, 77};
  ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  engine::Problem problem{engine::Comparison::kIdentity, &queries, blocks.shape(), true};
  match::KeepRule rule{.top = 3};
  pipeline::StreamStats stats;  ///< of the last search

  std::vector<match::RankedPairs> search(const BlockSource& database, engine::Engine& engine) {
    Progress silent(ProgressMode::kNever, "", "", 0);
    pipeline::SearchResult found = pipeline::search_database(database, problem, engine, {rule}, 1, silent);
    stats = found.stats;
    return std::move(found.ranked);
  }
  /// By the definition.
  std::vector<match::RankedPairs> expected() {
    match::Ranking ranking(queries.n_rows(), rule);
    const BlocksView view = blocks.view();
    for (std::uint32_t query = 0; query < queries.n_rows(); ++query)
      for (std::uint64_t row = 0; row < view.shape.n_profiles; ++row)
        ranking.take(std::vector<engine::Pair>{
            {row, query,
             engine::count_pair(problem.comparison, Encoding::kMinor, queries.row(query), view, row)}});
    return ranking.result();
  }
};

}  // namespace fastid::testing
