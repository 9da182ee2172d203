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

  // By one lane that reads tiles, which closes the bars of the best in the first where it `closes` any.
  std::vector<RankedHits> ranked_by_a_lane(const Touchy& file, bool closes, std::size_t readers) const {
    Planned engine([&](LanePlan& plan) {
      plan.lanes = 1;
      plan.tile_blocks = plan.first_tile_blocks = tile_blocks;
      plan.readers = readers;
    });
    engine.close = [&](std::span<Bar> closed) {
      if (closes) std::ranges::copy(bars, closed.begin());
    };
    return ranked(file, engine);
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
  std::size_t of_first_tile = 0;  // pairs that pass the closed bars
  for (std::size_t q = 0; q < 2; ++q)
    for (std::uint64_t row = 0; row < 800; ++row) {
      const PairCounts pair =
          count_pair(Comparison::kIdentity, crowd.queries.row(q), crowd.blocks.view(), row);
      of_first_tile += crowd.bars[q].passes(pair.count, pair.compared) ? 1 : 0;
    }
  ASSERT_GE(of_first_tile, 2u);
  ASSERT_GT(crowd.expected[0].ties_cut + crowd.expected[1].ties_cut, 0u);
  for (const bool closes : {true, false})
    for (const std::size_t readers : {0u, 2u}) {
      Touchy file(crowd.blocks.view(), kNone);
      const std::size_t read =
          pairs_read(file, [&] { crowd.expect_right(crowd.ranked_by_a_lane(file, closes, readers)); });
      EXPECT_EQ(read > 0, closes && readers > 0);
      EXPECT_LE(read, of_first_tile);
    }
}

TEST(PutOff, NoMoreThanTheMemoryIsMeantFor) {
  const Crowd crowd(24'000, 640);  // 2 x 20,480 pairs in the first tile
  Touchy file(crowd.blocks.view(), kNone);
  EXPECT_EQ(pairs_read(file, [&] { crowd.expect_right(crowd.ranked_by_a_lane(file, true, 2)); }), 0u);
}

TEST(PutOff, IsDamagedByThen) {
  const Crowd crowd(4000, 25);
  Touchy file(crowd.blocks.view(), kNone);
  file.on_read = [](std::uint64_t, std::size_t n) {
    if (n == 1) throw InputError("some.h5", "block 7", "damaged", "restore it");
  };
  EXPECT_THROW(crowd.ranked_by_a_lane(file, true, 2), InputError);
}

}  // namespace
}  // namespace fastid
