// Pairs that pass the bars which their own tile has closed: put off to the end, and counted from the
// database.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"
#include "planned.hpp"

namespace fastid {
namespace {

using testing::kNone;
using testing::Planned;
using testing::random_blocks;
using testing::Touchy;

// So few sites that many pairs tie.
struct Crowd {
  Crowd(std::uint64_t n_profiles, std::size_t blocks_a_tile)
      : blocks(random_blocks({n_profiles, 8}, 1)), tile_blocks(blocks_a_tile) {
    const auto reference = make_reference_engine({});
    expected = ranked(MemorySource(blocks.view()), *reference);
    for (std::size_t q = 0; q < 2; ++q) {
      const PairCounts& worst = expected[q].hits.back().counts;
      bars.push_back({UINT32_MAX, worst.count, worst.compared});
    }
  }

  std::vector<RankedHits> ranked(const BlockSource& source, Engine& engine) const {
    Ranking ranking(Comparison::kIdentity, 2, KeepRule{.top = 3});
    Progress progress{ProgressMode::kNever, "", "", 100};
    stream(source, 0, static_cast<std::size_t>(blocks.shape().n_blocks()), problem, engine, ranking,
           progress);
    return ranking.result();
  }

  // By lanes that read tiles, which close the bars of the best in their first where they `close` any.
  std::vector<RankedHits> ranked_by_lanes(const Touchy& file, bool closes, std::size_t readers,
                                          std::size_t lanes = 1) const {
    Planned engine([&](LanePlan& plan) {
      plan.lanes = lanes;
      plan.tile_blocks = plan.first_tile_blocks = tile_blocks;
      plan.readers = readers;
    });
    engine.close = [&](std::span<Bar> closed) {
      if (closes) std::ranges::copy(bars, closed.begin());
    };
    return ranked(file, engine);
  }

  // Pairs of a tile that pass those bars.
  std::size_t passing(std::uint64_t tile) const {
    const std::uint64_t rows = tile_blocks * kLanes, first = tile * rows;
    std::size_t n = 0;
    for (std::uint64_t row = first; row < std::min(first + rows, blocks.shape().n_profiles); ++row)
      for (std::size_t q = 0; q < 2; ++q) {
        const PairCounts pair = count_pair(Comparison::kIdentity, queries.row(q), blocks.view(), row);
        n += bars[q].passes(pair.count, pair.compared) ? 1 : 0;
      }
    return n;
  }

  void expect_right(const std::vector<RankedHits>& found) const {
    for (std::size_t q = 0; q < 2; ++q) {
      EXPECT_EQ(found[q].hits, expected[q].hits);
      EXPECT_EQ(found[q].ties_cut, expected[q].ties_cut);
    }
  }

  BitBlocks blocks;
  std::size_t tile_blocks;
  std::vector<std::uint64_t> which{3, 777};
  ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  Problem problem{Comparison::kIdentity, &queries, blocks.shape(), true};
  std::vector<RankedHits> expected;
  std::vector<Bar> bars;  // that the best pass
};

// Reads of one block: a pair's.
std::size_t pairs_read(Touchy& file, const std::function<void()>& work) {
  std::atomic<std::size_t> n_read = 0;
  file.on_read = [&](std::uint64_t, std::size_t n) { n_read += n == 1 ? 1 : 0; };
  work();
  return n_read;
}

// Blocks that were read once are read again, for pairs that are listed or tie, and for no other.
TEST(PutOff, WhatIsSoonOutdoneWhereALaneClosesBars) {
  const Crowd crowd(4000, 25);
  const std::size_t of_first_tile = crowd.passing(0);
  ASSERT_GE(of_first_tile, 2u);
  ASSERT_GT(crowd.expected[0].ties_cut + crowd.expected[1].ties_cut, 0u);
  for (const bool closes : {true, false})
    for (const std::size_t readers : {0u, 2u}) {
      Touchy file(crowd.blocks.view(), kNone);
      const std::size_t read =
          pairs_read(file, [&] { crowd.expect_right(crowd.ranked_by_lanes(file, closes, readers)); });
      EXPECT_EQ(read > 0, closes && readers > 0);
      EXPECT_LE(read, of_first_tile);
    }
}

TEST(PutOff, NoMoreThanTheMemoryIsMeantFor) {
  const Crowd crowd(96'000, 2'560);  // 2 x 81,920 pairs in the first tile
  Touchy file(crowd.blocks.view(), kNone);
  EXPECT_EQ(pairs_read(file, [&] { crowd.expect_right(crowd.ranked_by_lanes(file, true, 2)); }), 0u);
}

TEST(PutOff, OfAllLanesByWhicheverEnds) {
  const Crowd crowd(4000, 25);
  for (std::uint64_t tile = 0; tile < 5; ++tile) ASSERT_GT(crowd.passing(tile), 0u);
  for (const std::size_t lanes : {2u, 5u, 8u}) {
    Touchy file(crowd.blocks.view(), kNone);
    EXPECT_GT(pairs_read(file, [&] { crowd.expect_right(crowd.ranked_by_lanes(file, true, 2, lanes)); }), 0u);
  }
}

TEST(PutOff, IsDamagedByThen) {
  const Crowd crowd(4000, 25);
  Touchy file(crowd.blocks.view(), kNone);
  file.on_read = [](std::uint64_t, std::size_t n) {
    if (n == 1) throw InputError("some.h5", "block 7", "damaged", "restore it");
  };
  EXPECT_THROW(crowd.ranked_by_lanes(file, true, 2), InputError);
}

}  // namespace
}  // namespace fastid
