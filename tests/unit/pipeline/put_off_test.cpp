// Pairs that pass the thresholds which their own tile has closed: put off to the end, and counted from the
// database.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

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
      thresholds.push_back({UINT32_MAX, worst.count, worst.compared});
    }
  }

  std::vector<RankedHits> ranked(const BlockSource& source, Engine& engine) const {
    Ranking ranking(Comparison::kIdentity, 2, KeepRule{.top = 3});
    Progress progress{ProgressMode::kNever, "", "", 100};
    Stream(source, 0, static_cast<std::size_t>(blocks.shape().n_blocks()), problem, engine)
        .run(ranking, progress);
    return ranking.result();
  }

  // By lanes that read tiles, which close the thresholds of the best in their first where they `close` any.
  std::vector<RankedHits> ranked_by_lanes(
      const Touchy& file, bool closes, std::size_t readers, std::size_t lanes = 1,
      const std::function<void()>& on_close = [] {}) const {
    Planned engine([&](LanePlan& plan) {
      plan.lanes = lanes;
      plan.tile_blocks = plan.first_tile_blocks = tile_blocks;
      plan.readers = readers;
    });
    engine.close = [&](std::span<Threshold> closed) {
      on_close();
      if (closes) std::ranges::copy(thresholds, closed.begin());
    };
    return ranked(file, engine);
  }

  // Pairs of a tile that pass those thresholds.
  std::size_t passing(std::uint64_t tile) const {
    const std::uint64_t rows = tile_blocks * kLanes, first = tile * rows;
    std::size_t n = 0;
    for (std::uint64_t row = first; row < std::min(first + rows, blocks.shape().n_profiles); ++row)
      for (std::size_t q = 0; q < 2; ++q) {
        const PairCounts pair = count_pair(Comparison::kIdentity, queries.row(q), blocks.view(), row);
        n += thresholds[q].passes(pair.count, pair.compared) ? 1 : 0;
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
  std::vector<Threshold> thresholds;  // that the best pass
};

// Reads of one block: a pair's.
std::size_t pairs_read(Touchy& file, const std::function<void()>& work) {
  std::atomic<std::size_t> n_read = 0;
  file.on_read = [&](std::uint64_t, std::size_t n) { n_read += n == 1 ? 1 : 0; };
  work();
  return n_read;
}

// Blocks that were read once are read again, for pairs that are listed or tie, and for no other.
TEST(PutOff, WhatIsSoonOutdoneWhereALaneClosesThresholds) {
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

// Two lanes, both of which find their first tiles' pairs by open thresholds. Whatever one of them waits for
// in a tile is done by the other.
struct TwoLanes {
  explicit TwoLanes(const Crowd& of) : crowd(of) {
    file.on_read = [this](std::uint64_t first, std::size_t n) {
      if (n != 1) return;
      const std::lock_guard lock(guard);
      read.insert(first / crowd.tile_blocks);
      changed.notify_all();
    };
  }

  // Each lane calls `wait` in its tiles, with the lane's number and the tile's, each from 0 on.
  std::vector<RankedHits> ranked(const std::function<void(std::size_t lane, std::size_t tile)>& wait) {
    return crowd.ranked_by_lanes(file, true, 2, 2, [&] {
      std::unique_lock lock(guard);
      const std::size_t lane = lanes.try_emplace(std::this_thread::get_id(), lanes.size()).first->second;
      const std::size_t tile = tiles[lane]++;
      changed.notify_all();
      until(lock, [&] { return lanes.size() == 2; });
      lock.unlock();
      wait(lane, tile);
    });
  }
  void until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done) {
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), done));
  }

  const Crowd& crowd;
  Touchy file{crowd.blocks.view(), kNone};
  std::mutex guard;
  std::condition_variable changed;
  std::map<std::thread::id, std::size_t> lanes;
  std::array<std::size_t, 2> tiles{};
  std::set<std::uint64_t> read;  // tiles of which pairs were read, to be ranked late
};

TEST(PutOff, ByALaneThatIsNotDoneAndRankedByOneThatIs) {
  const Crowd crowd(4000, 25);
  ASSERT_GT(crowd.passing(0), 0u);
  ASSERT_GT(crowd.passing(1), 0u);
  TwoLanes two(crowd);
  // The first lane stays in its second tile until pairs of both lanes' first tiles have been read.
  crowd.expect_right(two.ranked([&](std::size_t lane, std::size_t tile) {
    std::unique_lock lock(two.guard);
    if (lane == 0 && tile == 1) two.until(lock, [&] { return two.read.contains(0) && two.read.contains(1); });
  }));
}

TEST(PutOff, ByALaneWhenOthersHaveRankedTheirs) {
  const Crowd crowd(4000, 25);
  TwoLanes two(crowd);
  // The first lane stays in its first tile until the other one is done with its own.
  crowd.expect_right(two.ranked([&](std::size_t lane, std::size_t) {
    std::unique_lock lock(two.guard);
    if (lane == 0) two.until(lock, [&] { return !two.read.empty(); });
  }));
  EXPECT_TRUE(two.read.contains(0) && two.read.contains(1));
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
