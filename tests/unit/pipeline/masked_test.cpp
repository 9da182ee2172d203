// A search of some rows finds what a search of all finds among them, however few they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "match/masked_sink.hpp"
#include "pipeline/search.hpp"
#include "world.hpp"

namespace fastid::pipeline {
namespace {

using testing::Changed;
using testing::random_blocks;
using testing::Touchy;

constexpr std::uint32_t kSites = 40;
constexpr std::uint64_t kTop = 7;

std::vector<match::RankedPairs> searched(const BlockSource& source, const engine::Problem& problem,
                                         engine::Engine& engine, std::uint64_t top, const RowMask* rows) {
  Progress silent(ProgressMode::kNever, "", "", 0);
  return search_database(source, problem, engine, {{.top = top}}, 2, silent, rows).ranked;
}

/// The best of all pairs that are in the mask, and how many further ones tie with the last.
match::RankedPairs best_of(const match::RankedPairs& all, const RowMask& rows) {
  match::RankedPairs best;
  for (const engine::Pair& pair : all.pairs) {
    if (!rows.holds(pair.row)) continue;
    if (best.pairs.size() < kTop)
      best.pairs.push_back(pair);
    else
      best.ties_cut += match::ties({}, pair, best.pairs.back());
  }
  return best;
}

TEST(SomeRows, AreSearchedAsIfTheyWereAll) {
  // Large enough for a sample, and with a last block that is not full.
  const BitBlocks blocks = random_blocks({64 * 9 * kLanes + 11, kSites}, 3);
  const Touchy file(blocks.view());
  std::vector<std::uint64_t> which(20);
  std::iota(which.begin(), which.end(), 100);
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  const engine::Problem problem{engine::Comparison::kIdentity, &queries, blocks.shape(), true};
  const auto native = engine::make_cpu_engine({.threads = 2});
  const std::vector<match::RankedPairs> all =
      searched(file, problem, *native, match::KeepRule::kAll, nullptr);
  std::mt19937 random(4);
  for (const unsigned one_of : {1u, 2u, 9u, 63u, 65u, 1000u, 20000u}) {
    RowMask rows(blocks.shape().n_profiles);
    for (std::uint64_t row = 0; row < rows.rows(); ++row) rows.set(row, random() % one_of == 0);
    rows.set(rows.rows() - 1, true);
    Changed other([](engine::WorkPlan& plan) { plan.queries = 3; });
    for (engine::Engine* const engine : {native.get(), static_cast<engine::Engine*>(&other)}) {
      const std::vector<match::RankedPairs> some = searched(file, problem, *engine, kTop, &rows);
      for (std::size_t q = 0; q < some.size(); ++q)
        EXPECT_EQ(some[q], best_of(all[q], rows)) << "one of " << one_of << ", query " << q;
    }
  }
}

TEST(RowMask, CountsListsAndTurns) {
  RowMask rows(70);
  for (const std::uint64_t row : {0, 31, 32, 69}) rows.set(row, true);
  EXPECT_EQ(rows.count(), 4u);
  EXPECT_EQ(rows.list(), (std::vector<std::uint64_t>{0, 31, 32, 69}));
  rows.flip();
  EXPECT_EQ(rows.count(), 66u);
  EXPECT_FALSE(rows.holds(69));
  EXPECT_TRUE(rows.holds(68));
  EXPECT_EQ(RowMask(70, true).count(), 70u);
  EXPECT_EQ(RowMask(64, true).count(), 64u);
}

}  // namespace
}  // namespace fastid::pipeline
