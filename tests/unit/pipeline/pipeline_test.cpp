// The loop: tiles cover everything once, damage and lies stop it.
#include "pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pipeline/tile_queue.hpp"

namespace fastid {
namespace {

TEST(TileQueue, CoversEveryBlockOnceInTilesThatGrow) {
  for (const std::size_t largest : {1u, 2u, 5u, 64u, 1000u})
    for (const std::uint64_t end : {0u, 1u, 4u, 5u, 6u, 333u}) {
      TileQueue tiles(0, end, largest);
      std::uint64_t at = 0;
      while (const auto tile = tiles.next()) {
        EXPECT_EQ(tile->first, at);
        EXPECT_GE(tile->n, 1u);
        EXPECT_LE(tile->n, largest);
        at += tile->n;
      }
      EXPECT_EQ(at, end);
    }
}

TEST(TileQueue, TakesTheFirstTileAsLargeAsAskedFor) {
  TileQueue all(0, 157, 157, 157);
  EXPECT_EQ(all.next(), (Tile{0, 157}));
  EXPECT_FALSE(all.next());
  TileQueue some(0, 20, 8, 4);
  EXPECT_EQ(some.next(), (Tile{0, 4}));
  EXPECT_EQ(some.next(), (Tile{4, 8}));
}

BitBlocks random_blocks(BlockShape shape, std::uint32_t seed) {
  BitBlocks blocks(shape);
  std::mt19937 rng(seed);
  for (std::uint64_t i = 0; i < shape.n_profiles; ++i)
    for (std::uint32_t s = 0; s < shape.n_sites; ++s)
      if (rng() % 10 != 0) blocks.set(i, s, rng() % 3 == 0);
  return blocks;
}

struct Case {
  BitBlocks blocks = random_blocks({100, 50}, 1);
  MemorySource source{blocks.view()};
  std::vector<std::uint64_t> which{3, 77};
  ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  Problem problem{Comparison::kIdentity, &queries, blocks.shape(), true};
  Ranking ranking{Comparison::kIdentity, 2, KeepRule{.top = 3}};
  Progress progress{ProgressMode::kNever, "", "", 100};
};

TEST(Stream, FindsEachQueryAtItsOwnRow) {
  Case run;
  const auto engine = make_reference_engine({.tile_blocks = 1});
  const StreamStats stats = stream(run.source, 0, 4, run.problem, *engine, run.ranking, run.progress);
  const auto result = run.ranking.result();
  EXPECT_EQ(result[0].hits[0].row, 3u);
  EXPECT_EQ(result[0].hits[0].counts.count, 0u);
  EXPECT_EQ(result[1].hits[0].row, 77u);
  EXPECT_EQ(stats.tiles, 4u);
}

/// An engine that reports one mismatch too few.
class Liar final : public Engine {
 public:
  std::string name() const override { return "liar"; }
  std::string description() const override { return "liar"; }
  LanePlan plan(const Problem& problem) const override { return honest_->plan(problem); }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    struct LyingLane final : Lane {
      std::unique_ptr<Lane> honest;
      TileBuffer buffer() override { return honest->buffer(); }
      void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
        honest->compare(tile, bars, out);
        for (Candidate& found : out)
          if (found.count > 0) --found.count;
      }
    };
    auto lane = std::make_unique<LyingLane>();
    lane->honest = honest_->open_lane(problem, tile_blocks);
    return lane;
  }

 private:
  std::unique_ptr<Engine> honest_ = make_reference_engine({});
};

TEST(Stream, CatchesADeviceThatMiscounts) {
  Case run;
  Liar liar;
  EXPECT_THROW(stream(run.source, 0, 4, run.problem, liar, run.ranking, run.progress), DeviceError);
}

/// A source that breaks at its third block.
class Broken final : public BlockSource {
 public:
  explicit Broken(const BlockSource& good) : good_(good) {}
  BlockShape shape() const override { return good_.shape(); }
  bool has_called() const override { return good_.has_called(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    if (first + n > 2) throw InputError("db.h5, block 2: damaged");
    good_.read(first, n, bits, called);
  }

 private:
  const BlockSource& good_;
};

TEST(Stream, StopsAtADamagedBlock) {
  Case run;
  const Broken broken(run.source);
  const auto engine = make_reference_engine({});
  EXPECT_THROW(stream(broken, 0, 4, run.problem, *engine, run.ranking, run.progress), InputError);
}

}  // namespace
}  // namespace fastid
