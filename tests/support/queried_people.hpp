/// \file
/// Profiles and queries, and the pairs of them that an engine is to find.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "bits/rows.hpp"
#include "engine/engine.hpp"

namespace fastid::testing {

class QueriedPeople {
 public:
  QueriedPeople(const QueriedPeople&) = delete;
  QueriedPeople& operator=(const QueriedPeople&) = delete;

  /// Puts the profiles into a worker's buffer.
  void fill(const engine::TileBuffer& to) const {
    const BlocksView view = blocks.view();
    const std::size_t words = static_cast<std::size_t>(view.shape.n_blocks()) * view.shape.block_words();
    std::copy_n(view.bits, words, to.bits);
    if (view.second != nullptr) std::copy_n(view.second, words, to.second);
  }

  BitBlocks blocks;
  ProfileRows queries;

 protected:
  QueriedPeople(const BlockShape& shape, std::size_t n_queries)
      : blocks(shape), queries(n_queries, shape.n_sites, Encoding::kAlleles) {}
};

/// All pairs that pass their thresholds by what a world's expected() says, in order. \param first_row  of the
/// tile
template <class World>
std::vector<engine::Pair> passing(const World& world, const std::vector<engine::Threshold>& thresholds,
                                  std::uint64_t first_row) {
  std::vector<engine::Pair> wanted;
  for (std::size_t profile = 0; profile < world.blocks.shape().n_profiles; ++profile)
    for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
      const engine::PairCounts counts = world.expected(query, profile);
      if (thresholds[query].passes(counts)) wanted.push_back({first_row + profile, query, counts});
    }
  return wanted;
}

/// A worker with all profiles in its buffer, as one tile.
class FilledWorker {
 public:
  FilledWorker(engine::Engine& engine, const engine::Problem& problem, const QueriedPeople& people,
               std::uint64_t first_block)
      : tile{first_block, people.blocks.shape()},
        queries_(engine.prepare(problem, {.workers = 0})),
        worker_(queries_->open_worker(tile.n_blocks())) {
    people.fill(worker_->buffer());
  }
  engine::Worker* operator->() const { return worker_.get(); }

  /// In order.
  std::vector<engine::Pair> found(const std::vector<engine::Threshold>& thresholds) {
    std::vector<engine::Pair> found;
    EXPECT_EQ(worker_->compare(tile, {}, thresholds, found), 0U);
    std::ranges::sort(found);
    return found;
  }

  const engine::Tile tile;

 private:
  std::unique_ptr<engine::PreparedQueries> queries_;
  std::unique_ptr<engine::Worker> worker_;
};

}  // namespace fastid::testing
