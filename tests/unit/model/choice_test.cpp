// Transfers, tiles, and which engine a run gets.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/choice.hpp"
#include "model/known_devices.hpp"
#include "model/transfer.hpp"

namespace fastid::model {
namespace {

// An H200 and its host, as docs/benchmarks.md has them.
DeviceTraits h200() {
  DeviceTraits traits = traits_of(*find_known_device("NVIDIA H200", ""));
  traits.upload_pinned.learn(55.3e9, Source::kMeasured);
  traits.upload_seconds.learn(4.8e-6, Source::kMeasured);
  traits.startup_seconds.learn(0.15, Source::kMeasured);
  return traits;
}
constexpr HostRates kHost{8e9, 57e9, 16};
constexpr KernelShape kShape{32, 256, 16, 64, 1, 2, 64, 1, 1};
constexpr double kMiB = 1 << 20;

TEST(Transfer, RatesByChunkAreThoseThatWereMeasured) {
  const std::pair<double, double> measured[] = {{1, 44e9}, {4, 52e9}, {16, 54e9}, {64, 55e9}};
  for (const auto& [mib, rate] : measured)
    EXPECT_NEAR(256 * kMiB / predict_upload(h200(), 256 * kMiB, mib * kMiB) / rate, 1, 0.04) << mib;
}

TEST(Transfer, ATileReachesTheRateAndBuffersCoverTheReading) {
  const TilePlan plan = plan_tiles(h200(), kHost);
  EXPECT_EQ(plan.tile_bytes, std::uint64_t{16} << 20);
  EXPECT_EQ(plan.buffers, 9u);
  EXPECT_LE(predict_upload(h200(), 1e9, static_cast<double>(plan.tile_bytes)), 1e9 / 55.3e9 * 1.031);
}

TEST(Transfer, TilesShrinkBeforeBuffersGoAndBothKeepToTheMemory) {
  for (const std::uint64_t memory :
       {std::uint64_t{64} << 20, std::uint64_t{3} << 20, std::uint64_t{100'000}}) {
    const TilePlan plan = plan_tiles(h200(), kHost, memory);
    EXPECT_LE(plan.tile_bytes * plan.buffers, memory);
    EXPECT_GE(plan.buffers, 2u);
  }
  EXPECT_EQ(plan_tiles(h200(), kHost, std::uint64_t{64} << 20).buffers, 9u);
  EXPECT_EQ(plan_tiles(h200(), {8e9, 45e9, 1}).buffers, 2u);
}

// 20,000,000 profiles of 1,024 sites: 0.081 to 0.095 s without OpenCL's start; 2,048 queries are compared in
// 0.22 s.
TEST(Transfer, AnH200sSearchesArePredictedWithinAFifth) {
  const TilePlan tiles = plan_tiles(h200(), kHost);
  const auto predicted = [&](const Workload& work) {
    return predict_run(h200(), predict_kernel(h200(), kShape, work).seconds, kHost, tiles, work);
  };
  const RunEstimate few = predicted({32, 20'000'000, 1024});
  EXPECT_NEAR(few.total - few.startup, 0.088, 0.018);
  EXPECT_NEAR(few.upload, 0.047, 0.009);
  EXPECT_NEAR(few.kernel, 32 * 20e6 * 1024 / 189e12, 0.0007);
  const RunEstimate many = predicted({2048, 20'000'000, 1024});
  EXPECT_NEAR(many.total - many.startup, 2048 * 20e6 * 1024 / 189e12, 0.045);
}

TEST(Transfer, WhatIsNotKnownIsNotPredicted) {
  EXPECT_EQ(predict_upload({}, 1e9, 1e6), 0);
}

std::vector<EngineCost> laptop_and_gpu() {
  return {{.name = "cpu", .bits_rate = 5e12, .bytes_rate = 28e9},
          {.name = "gpu",
           .startup_seconds = 0.15,
           .bits_rate = 189e12,
           .bytes_rate = 28e9,
           .overlaps = true,
           .query_step = 32}};
}

TEST(Choice, FewQueriesStayWithTheCpuAndManyGoToTheGpu) {
  const auto best = [](std::uint64_t queries, std::uint64_t profiles) {
    const auto candidates = laptop_and_gpu();
    return candidates[choose(candidates, {queries, profiles, 1024}).best].name;
  };
  EXPECT_EQ(best(1, 2504), "cpu");
  EXPECT_EQ(best(32, 1'000'000), "cpu");
  EXPECT_EQ(best(1, 20'000'000), "cpu");
  EXPECT_EQ(best(2048, 20'000'000), "gpu");
  EXPECT_EQ(best(2048, 2504), "cpu");
}

TEST(Choice, ChoosesTheLeastAndAmongEqualsTheFirst) {
  std::vector<EngineCost> same(3, {.name = "x", .bits_rate = 1, .bytes_rate = 1});
  EXPECT_EQ(choose(same, {1, 1, 32}).best, 0u);
  same[2].bits_rate = 2;
  EXPECT_EQ(choose(same, {1, 1, 32}).best, 2u);
  same[1].bits_rate = 0;  // compares nothing
  EXPECT_TRUE(std::isinf(choose(same, {1, 1, 32}).seconds[1]));
}

TEST(Choice, TimesAreStartPlusTheLongerOrTheSum) {
  const Workload work{32, 1'000'000, 1024};
  const EngineCost serial{.bits_rate = 1e12, .bytes_rate = 1e9};
  EXPECT_NEAR(predicted_seconds(serial, work), 0.032768 + 0.128, 1e-9);
  const EngineCost beside{.startup_seconds = 1, .bits_rate = 1e12, .bytes_rate = 1e9, .overlaps = true};
  EXPECT_NEAR(predicted_seconds(beside, work), 1.128, 1e-9);
  const EngineCost stepped{.bits_rate = 1e12, .bytes_rate = 1e12, .query_step = 64};
  EXPECT_NEAR(predicted_seconds(stepped, work), 0.065536 + 0.000128, 1e-9);
}

TEST(Choice, NoGpuIsFasterThanItsStartAndItsLink) {
  EXPECT_NEAR(least_gpu_seconds(0.3, {1, 20'000'000, 1024}), 0.34, 1e-9);
  for (const EngineCost& cost : laptop_and_gpu())
    if (cost.startup_seconds > 0) {
      const Workload work{1, 20'000'000, 1024};
      EXPECT_GE(predicted_seconds(cost, work), least_gpu_seconds(cost.startup_seconds, work));
    }
}

}  // namespace
}  // namespace fastid::model
