// What engines and files do wrong stops the loop, or is made up for.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "base/error.hpp"
#include "world.hpp"

namespace fastid {
namespace {

using testing::Case;

/// The native engine on a device that has no memory for tiles of more than `most` blocks.
class Cramped final : public Engine {
 public:
  explicit Cramped(std::size_t most) : most_(most) {}
  std::string name() const override { return "cramped"; }
  std::string description() const override { return "cramped"; }
  LanePlan plan(const Problem& problem) const override { return engine_->plan(problem); }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    if (tile_blocks > most_) throw DeviceMemoryError("cramped: no memory");
    return engine_->open_lane(problem, tile_blocks);
  }

 private:
  std::size_t most_;
  std::unique_ptr<Engine> engine_ = make_cpu_engine({.threads = 2, .tile_blocks = 4});
};

TEST(Stream, HalvesTilesUntilTheDeviceHasMemoryForThem) {
  Case run;
  Cramped engine(1);
  const StreamStats stats = stream(run.source, 0, 4, run.problem, engine, run.ranking, run.progress);
  EXPECT_EQ(stats.tile_blocks, 1u);
  EXPECT_EQ(stats.tiles, 4u);
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
  Cramped full(0);
  EXPECT_THROW(stream(run.source, 0, 4, run.problem, full, run.ranking, run.progress), DeviceMemoryError);
}

/// The native engine where only the first lane can be opened.
class OneLane final : public Engine {
 public:
  std::string name() const override { return "one lane"; }
  std::string description() const override { return "one lane"; }
  LanePlan plan(const Problem& problem) const override { return engine_->plan(problem); }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    if (opened_.exchange(true)) throw DeviceMemoryError("one lane: no memory");
    return engine_->open_lane(problem, tile_blocks);
  }

 private:
  std::atomic<bool> opened_ = false;
  std::unique_ptr<Engine> engine_ = make_cpu_engine({.threads = 2, .tile_blocks = 1});
};

TEST(Stream, DoesWithoutALaneThatTheDeviceHasNoMemoryFor) {
  Case run;
  OneLane engine;
  EXPECT_EQ(engine.plan(run.problem).lanes, 2u);
  const StreamStats stats = stream(run.source, 0, 4, run.problem, engine, run.ranking, run.progress);
  EXPECT_EQ(stats.lanes, 1u);
  EXPECT_EQ(stats.tiles, 4u);
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
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
      void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
        honest->count(tile, series, out);
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
