// What engines and files do wrong stops the loop, or is made up for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "world.hpp"

namespace fastid {
namespace {

using testing::Case;

/// The native engine on a device that has no memory for some lanes.
class Cramped final : public Engine {
 public:
  /// \param tile_blocks  of the plan \param lacks  whether there is none for a lane of so many blocks
  Cramped(std::size_t tile_blocks, std::function<bool(std::size_t)> lacks)
      : lacks_(std::move(lacks)), engine_(make_cpu_engine({.threads = 2, .tile_blocks = tile_blocks})) {}
  std::string name() const override { return "cramped"; }
  std::string description() const override { return "cramped"; }
  LanePlan plan(const Problem& problem) const override { return engine_->plan(problem); }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    if (lacks_(tile_blocks)) throw DeviceMemoryError("cramped: no memory");
    return engine_->open_lane(problem, tile_blocks);
  }

 private:
  std::function<bool(std::size_t)> lacks_;
  std::unique_ptr<Engine> engine_;
};

TEST(Stream, HalvesTilesUntilTheDeviceHasMemoryForThem) {
  Case run;
  Cramped engine(4, [](std::size_t blocks) { return blocks > 1; });
  const StreamStats stats = Stream(run.source, 0, 4, run.problem, engine).run(run.ranking, run.progress);
  EXPECT_EQ(stats.tile_blocks, 1u);
  EXPECT_EQ(stats.tiles, 4u);
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
  Cramped full(4, [](std::size_t) { return true; });
  EXPECT_THROW(Stream(run.source, 0, 4, run.problem, full).run(run.ranking, run.progress), DeviceMemoryError);
}

TEST(Stream, DoesWithoutALaneThatTheDeviceHasNoMemoryFor) {
  Case run;
  std::atomic<bool> opened = false;
  Cramped engine(1, [&](std::size_t) { return opened.exchange(true); });
  EXPECT_EQ(engine.plan(run.problem).lanes, 2u);
  const StreamStats stats = Stream(run.source, 0, 4, run.problem, engine).run(run.ranking, run.progress);
  EXPECT_EQ(stats.lanes, 1u);
  EXPECT_EQ(stats.tiles, 4u);
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
}

/// An engine that says what is not so.
class Liar final : public Engine {
 public:
  /// \param lie  what it makes of the thresholds of a tile, and of what passed them
  using Lie = std::function<void(std::span<Threshold>, std::vector<Candidate>&)>;
  /// \param miscount  what it makes of a tile's counts
  using Miscount = std::function<void(std::vector<PairCount>&)>;
  explicit Liar(
      Lie lie, Miscount miscount = [](std::vector<PairCount>&) {})
      : lie_(std::move(lie)), miscount_(std::move(miscount)) {}
  std::string name() const override { return "liar"; }
  std::string description() const override { return "liar"; }
  LanePlan plan(const Problem& problem) const override { return honest_->plan(problem); }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    struct LyingLane final : Lane {
      std::unique_ptr<Lane> honest;
      Lie lie;
      Miscount miscount;
      TileBuffer buffer() override { return honest->buffer(); }
      void compare(const BlockShape& tile, std::span<const Threshold> thresholds,
                   std::vector<Candidate>& out) override {
        honest->compare(tile, thresholds, out);
      }
      void find_best(const BlockShape& tile, std::span<Threshold> thresholds, const Sought& sought,
                     std::vector<Candidate>& out) override {
        honest->find_best(tile, thresholds, sought, out);
        lie(thresholds, out);
      }
      void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
        honest->count(tile, series, out);
        miscount(out);
      }
    };
    auto lane = std::make_unique<LyingLane>();
    lane->honest = honest_->open_lane(problem, tile_blocks);
    lane->lie = lie_;
    lane->miscount = miscount_;
    return lane;
  }

 private:
  Lie lie_;
  Miscount miscount_;
  std::unique_ptr<Engine> honest_ = make_reference_engine({});
};

TEST(Stream, CatchesADeviceThatMiscounts) {
  Case run;
  Liar liar([](std::span<Threshold>, std::vector<Candidate>& found) {
    for (Candidate& pair : found)
      if (pair.count > 0) --pair.count;
  });
  EXPECT_THROW(Stream(run.source, 0, 4, run.problem, liar).run(run.ranking, run.progress), DeviceError);
}

TEST(Stream, CatchesADeviceThatClosesABarByPairsThatItDoesNotGive) {
  Case run;
  Liar liar([](std::span<Threshold> thresholds, std::vector<Candidate>& found) {
    thresholds[1] = {UINT32_MAX, 1, 50};
    std::erase_if(found, [&](const Candidate& pair) {
      return !thresholds[pair.query].passes(pair.count, pair.denominator);
    });
  });
  try {
    Stream(run.source, 0, 4, run.problem, liar).run(run.ranking, run.progress);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("liar turned pairs of query 1 away"), std::string::npos)
        << error.what();
  }
}

void expect_caught(Liar liar, const char* message) {
  Case run;
  CountHistograms histograms(2, run.blocks.shape());
  EXPECT_THAT(
      [&] {
        Stream(run.source, 0, 4, run.problem, liar).run(run.ranking, run.progress, &histograms);
        run.ranking.result();
      },
      ::testing::ThrowsMessage<DeviceError>(::testing::HasSubstr(message)));
}

void tell_no_lie(std::span<Threshold>, std::vector<Candidate>&) {}

TEST(Stream, CatchesADeviceThatFindsAPairThatDoesNotExist) {
  for (const Candidate& wrong :
       {Candidate{2, 0, 0, 50}, Candidate{0, 32, 0, 50}, Candidate{0, UINT32_MAX, 0, 50}})
    expect_caught(Liar([&](std::span<Threshold>, std::vector<Candidate>& found) { found.push_back(wrong); }),
                  "liar found a pair that does not exist");
}

TEST(Stream, CatchesADeviceThatGivesAPairTwice) {
  expect_caught(Liar([](std::span<Threshold>, std::vector<Candidate>& found) {
                  const auto best = std::ranges::min_element(found, {}, &Candidate::count);
                  if (best != found.end()) found.push_back(Candidate(*best));
                }),
                "was found twice for query");
}

TEST(Stream, CatchesADeviceThatMiscountsForAHistogram) {
  expect_caught(Liar(tell_no_lie, [](std::vector<PairCount>& counts) { counts.back().count = 51; }),
                "liar counted more sites than there are");
  expect_caught(Liar(tell_no_lie,
                     [](std::vector<PairCount>& counts) {
                       for (PairCount& pair : counts) pair = {51, 51};
                     }),
                "liar counted more sites than there are");
  expect_caught(Liar(tell_no_lie,
                     [](std::vector<PairCount>& counts) {
                       for (PairCount& pair : counts)
                         if (pair.count > 0) --pair.count;
                     }),
                "liar counted");
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
  EXPECT_THROW(Stream(broken, 0, 4, run.problem, *engine).run(run.ranking, run.progress), InputError);
}

}  // namespace
}  // namespace fastid
