// More queries than a device takes at once, and a database that stays on it: the native engine's ranking and
// histograms, whatever the number of passes, with lanes that keep their tiles, candidate buffers that
// overflow, and called planes.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "conformance/world.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/checksums.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

// A file, to whoever asks: nothing of it lies in memory.
class Unseen final : public BlockSource {
 public:
  explicit Unseen(const BlocksView& view) : sums(testing::block_checksums(view)), memory_(view) {}
  BlockShape shape() const override { return memory_.shape(); }
  bool has_called() const override { return memory_.has_called(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    memory_.read(first, n, bits, called);
  }
  std::span<const std::uint64_t> checksums() const override { return sums; }

  std::vector<std::uint64_t> sums;  ///< as a database has them

 private:
  MemorySource memory_;
};

struct How {
  std::size_t queries;  ///< at once
  std::size_t buffers;
  std::size_t candidates;  ///< 40: overflows on every tile, and closes no thresholds; 700: those of one query
                           ///< at a time
  std::uint64_t memory;    ///< too little for the database: nothing is kept
  std::size_t tile_blocks = 3;

  bool keeps() const { return memory == kPlenty && candidates >= 700; }

  static constexpr std::uint64_t kPlenty = std::uint64_t{1} << 28, kLittle = 4096;
};
constexpr How kHows[] = {{1, 1, 40, How::kPlenty},       {32, 2, 1 << 16, How::kPlenty},
                         {69, 3, 2000, How::kPlenty, 1}, {69, 1, 2000, How::kPlenty, 1},
                         {70, 2, 700, How::kPlenty},     {70, 1, 1 << 16, How::kLittle},
                         {13, 2, 1 << 16, How::kLittle}};

class OpenClPasses : public ::testing::TestWithParam<How> {
 protected:
  void SetUp() override {
    if (list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    const How& how = GetParam();
    // So many threads that some read for the lanes, which put pairs off then.
    engine_ = make_opencl_engine(
        testing::opencl_selector(),
        {.threads = 8, .tile_blocks = how.tile_blocks, .memory = how.memory, .buffers = how.buffers},
        {.candidates = how.candidates, .queries = how.queries, .own_memory = true});
  }

  void check(const World& world) const {
    const auto native = make_cpu_engine({});
    const Unseen file(world.database.view());
    Stream plain(file, 0, file.shape().n_blocks(), world.problem(), *native);
    CountHistograms expected_counts(world.queries.n_rows(), file.shape());
    const std::vector<RankedHits> expected = world.ranked(plain, &expected_counts);
    Stream stream(file, 0, file.shape().n_blocks(), world.problem(), *engine_, true);
    for (int again = 0; again < 3; ++again) {
      CountHistograms counts(world.queries.n_rows(), file.shape());
      ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(stream, &counts), expected));
      for (std::size_t q = 0; q < world.queries.n_rows(); ++q)
        ASSERT_EQ(counts.of_query(q), expected_counts.of_query(q)) << "query " << q;
      EXPECT_EQ(counts.n_profiles(), file.shape().n_profiles);
      const bool sends = again == 0 || !GetParam().keeps();
      EXPECT_EQ(world.stats.device.upload_bytes > 0, sends) << "run " << again;
      EXPECT_EQ(world.stats.kept, !sends) << "run " << again;
      EXPECT_EQ(world.stats.checked, !sends) << "run " << again;
    }
  }

  std::unique_ptr<Engine> engine_;
};

TEST_P(OpenClPasses, RankAsOnePassDoes) {
  for (const Comparison comparison :
       {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture})
    for (int masks = 0; masks < 4; ++masks) {
      SCOPED_TRACE(::testing::Message()
                   << "comparison " << static_cast<int>(comparison) << ", masks " << masks);
      ASSERT_NO_FATAL_FAILURE(check(World({700, 33, 70}, comparison, (masks & 1) != 0, (masks & 2) != 0)));
    }
}

using OpenClKept = testing::OnADevice;

// Has a lane of one block a tile compare one of `all`, held against its checksum unless `sums` are none, and
// keep it. Returns what the lane says of it.
std::optional<std::size_t> keep_block(Lane& lane, const BlocksView& all, std::size_t block,
                                      std::span<const std::uint64_t> sums) {
  const std::size_t words = all.shape.block_words();
  std::copy_n(all.bits + block * words, words, lane.buffer().bits);
  if (!sums.empty()) {
    EXPECT_TRUE(lane.expect(sums.subspan(block, 1)));
  }
  std::vector<Candidate> found;
  lane.compare({kLanes, all.shape.n_sites}, std::vector<Threshold>(2), found);
  const auto n_damaged = lane.n_damaged();
  EXPECT_TRUE(lane.keep());
  return n_damaged;
}

// As what a device has kept, or as what was read. Block sizes on both sides of each step of the checksum: its
// shortest blocks, rounds of 1,024 bytes.
TEST_F(OpenClKept, BlocksAreHeldAgainstTheDatabasesChecksums) {
  const auto engine = make_opencl_engine(testing::opencl_selector(), {.tile_blocks = 3, .buffers = 2},
                                         {.candidates = 2000, .own_memory = true});
  for (const std::uint32_t sites : {20u, 33u, 96u, 128u, 129u, 224u, 256u, 257u, 288u, 512u, 1000u, 2080u})
    for (const bool masked : {false, true}) {
      SCOPED_TRACE(::testing::Message() << sites << " sites, masked " << masked);
      const World world({300, sites, 2}, Comparison::kIdentity, false, masked);
      Unseen file(world.database.view());
      Stream stream(file, 0, file.shape().n_blocks(), world.problem(), *engine, true);
      const auto expected = world.ranked(stream);
      ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(stream), expected));
      EXPECT_TRUE(world.stats.kept);
      const bool can_tell = sites > 32 || masked;
      EXPECT_EQ(world.stats.checked, can_tell);
      file.sums.back() ^= std::uint64_t{1} << 40;
      Stream damaged(file, 0, file.shape().n_blocks(), world.problem(), *engine, true);
      if (can_tell)
        EXPECT_THROW(world.ranked(damaged), Failure);
      else
        ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(damaged), expected));
    }
}

// More blocks than one piece of the device's memory has room for, one of which is not what it should be: as
// it was sent, and each time that it is compared again.
TEST_F(OpenClKept, WhicheverBlockIsDamaged) {
  constexpr std::size_t kBlocks = 35;
  const auto engine = make_opencl_engine(testing::opencl_selector(), {}, {.own_memory = true});
  const World world({kBlocks * kLanes, 64, 2}, Comparison::kIdentity, false, false);
  const BlocksView all = world.database.view();
  for (std::size_t damaged = 0; damaged < kBlocks; ++damaged) {
    std::vector<std::uint64_t> sums = testing::block_checksums(all);
    sums[damaged] ^= 1;
    const auto lane = engine->open_lane(world.problem(), 1);
    for (std::size_t block = 0; block < kBlocks; ++block)
      EXPECT_EQ(keep_block(*lane, all, block, sums), block == damaged ? 1 : 0) << "block " << block;
    for (int again = 0; again < 2; ++again)
      for (std::size_t first = 0, n; first < kBlocks; first += n) {
        n = lane->recall(first);
        EXPECT_LT(n, kBlocks);
        std::vector<Candidate> found;
        lane->compare({n * kLanes, all.shape.n_sites}, std::vector<Threshold>(2), found);
        EXPECT_EQ(lane->n_damaged(), first <= damaged && damaged < first + n ? 1 : 0) << "blocks " << first;
      }
  }
}

// The answer stays what it is whatever else is asked of the lane before it is asked for.
TEST_F(OpenClKept, AndWheneverThatIsAsked) {
  const auto engine = make_opencl_engine(testing::opencl_selector(), {}, {.own_memory = true});
  const World world({3 * kLanes, 64, 2}, Comparison::kIdentity, false, false);
  const BlocksView all = world.database.view();
  std::vector<std::uint64_t> sums = testing::block_checksums(all);
  sums[2] ^= 1;
  const auto lane = engine->open_lane(world.problem(), 1);
  std::vector<Candidate> found;
  for (std::size_t block = 0; block < 3; ++block)
    EXPECT_EQ(keep_block(*lane, all, block, sums), block == 2 ? 1 : 0);
  const std::vector<std::function<void()>> between = {
      [] {},
      [&] {
        std::span<const Candidate> left = found;
        ASSERT_EQ(left.size(), 2 * 3 * kLanes);  // more than the lane brings at once
        while (!left.empty()) {
          const BlocksView some = lane->bring(left);
          ASSERT_LT(some.shape.n_profiles, found.size());
          left = left.subspan(static_cast<std::size_t>(some.shape.n_profiles));
        }
      },
      [&] {
        std::vector<PairCount> counts;
        lane->count(all.shape, {0, 1, 3}, counts);
      },
      [&] { lane->buffer(); }, [&] { lane->recall(0); }};
  for (std::size_t i = 0; i < between.size(); ++i) {
    SCOPED_TRACE(i);
    found.clear();
    ASSERT_EQ(lane->recall(0), 3u);
    lane->compare(all.shape, std::vector<Threshold>(2), found);
    ASSERT_NO_FATAL_FAILURE(between[i]());
    EXPECT_EQ(lane->n_damaged(), 1u);
    EXPECT_EQ(lane->n_damaged(), 1u) << "asked again";
  }
}

// One that came without its checksum, among others that came with theirs.
TEST_F(OpenClKept, WhatCameWithoutItsChecksumIsNotHeldAgainstIt) {
  const auto engine = make_opencl_engine(testing::opencl_selector(), {}, {.own_memory = true});
  const World world({3 * kLanes, 64, 2}, Comparison::kIdentity, false, false);
  const BlocksView all = world.database.view();
  const std::vector<std::uint64_t> sums = testing::block_checksums(all);
  const auto lane = engine->open_lane(world.problem(), 1);
  std::vector<Candidate> found;
  for (std::size_t block = 0; block < 3; ++block)
    keep_block(*lane, all, block, block == 1 ? std::span<const std::uint64_t>() : sums);
  ASSERT_EQ(lane->recall(0), 3u);
  lane->compare(all.shape, std::vector<Threshold>(2), found);
  EXPECT_EQ(lane->n_damaged(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(All, OpenClPasses, ::testing::ValuesIn(kHows), [](const auto& one) {
  return "AtOnce" + std::to_string(one.param.queries) + "Buffers" + std::to_string(one.param.buffers) +
         (one.param.keeps() ? "Kept" : "Sent");
});

}  // namespace
}  // namespace fastid
