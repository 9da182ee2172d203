// Transfers, tiles, and which engine a run gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/choice.hpp"
#include "model/known_devices.hpp"
#include "model/transfer.hpp"

namespace fastid::model {
namespace {

// An H200 and its host, as `fastid tune` and scripts/bench-gpu measured them.
DeviceTraits h200() {
  DeviceTraits traits = traits_of(*find_known_device("NVIDIA H200", ""));
  traits.upload_pinned.learn(55.4e9, Source::kMeasured);
  traits.upload_seconds.learn(16e-6, Source::kMeasured);
  traits.launch_seconds.learn(3.9e-6, Source::kMeasured);
  traits.startup_seconds.learn(0.35, Source::kMeasured);
  return traits;
}
constexpr HostRates kHost{.threads = 16};
constexpr double kMiB = 1 << 20;

// By the matrix kernel: 32 queries wait for the memory, 2,048 for the matrix unit.
double kernel_seconds(const Workload& work) {
  return std::max(work.bytes() / 4.4e12, work.bits() * (1 + 100.0 / work.sites) / 2.75e15);
}

RunEstimate predicted(const Workload& work, const TilePlan& tiles) {
  return predict_run(h200(), kernel_seconds(work), kHost, tiles, work);
}
TilePlan planned(const Workload& work) {
  return plan_tiles(h200(), kernel_seconds(work), kHost, work);
}

// Of uploads that are queued, and so begin without a wait.
TEST(Transfer, RatesByChunkAreThoseThatWereMeasured) {
  DeviceTraits queued = h200();
  queued.upload_seconds.learn(3e-6, Source::kMeasured);
  const std::pair<double, double> measured[] = {{1, 48.3e9}, {4, 53.5e9}, {16, 54.9e9}, {64, 55.3e9}};
  for (const auto& [mib, rate] : measured)
    EXPECT_NEAR(256 * kMiB / predict_upload(queued, 256 * kMiB, mib * kMiB) / rate, 1, 0.03) << mib;
}

// 32 queries; docs/tuning.md has the runs.
TEST(Transfer, RunsByTheTileTakeWhatWasMeasured) {
  struct Run {
    std::uint64_t profiles;
    std::size_t buffers;
    double tile_bytes, seconds;
  };
  constexpr Run kRuns[] = {
      {20'000'000, 3, 16.8e6, 0.053}, {20'000'000, 3, 9.0e6, 0.081}, {20'000'000, 2, 16.8e6, 0.078},
      {20'000'000, 4, 16.8e6, 0.058}, {4'000'000, 3, 8.4e6, 0.020},  {4'000'000, 3, 4.9e6, 0.038},
      {4'000'000, 2, 8.4e6, 0.035},   {4'000'000, 4, 8.4e6, 0.023},  {1'000'000, 3, 4.2e6, 0.0125},
      {1'000'000, 3, 2.9e6, 0.016},   {1'000'000, 2, 4.2e6, 0.016},  {1'000'000, 4, 4.2e6, 0.015}};
  for (const Run& run : kRuns) {
    const TilePlan tiles{static_cast<std::uint64_t>(run.tile_bytes), run.buffers};
    EXPECT_NEAR(predicted({32, run.profiles, 1024}, tiles).stream / run.seconds, 1, 0.4)
        << run.profiles << " " << run.tile_bytes;
  }
}

TEST(Transfer, ThePlanIsTheFastestThatWasMeasured) {
  const std::pair<std::uint64_t, std::uint64_t> best_mib[] = {
      {20'000'000, 16}, {4'000'000, 8}, {1'000'000, 4}};
  for (const auto& [profiles, mib] : best_mib) {
    const TilePlan plan = planned({32, profiles, 1024});
    EXPECT_EQ(plan.tile_bytes >> 20, mib) << profiles;
    EXPECT_EQ(plan.buffers, 3u) << profiles;
  }
}

TEST(Transfer, NoPlanIsSlowerThanAnotherTileOrBuffer) {
  for (const std::uint64_t queries : {1u, 2048u, 65536u})
    for (const std::uint64_t profiles : {10u, 100'000u, 20'000'000u}) {
      const Workload work{queries, profiles, 1024, 2};
      const double least = predicted(work, planned(work)).total();
      for (std::uint64_t tile = 1 << 18; tile <= 1 << 26; tile *= 2)
        for (const std::size_t buffers : {2u, 3u}) EXPECT_LE(least, predicted(work, {tile, buffers}).total());
    }
}

TEST(Transfer, WhereNothingIsUploadedTwoBuffersDo) {
  EXPECT_EQ(plan_tiles({}, 1, kHost, {32, 20'000'000, 1024}).buffers, 2u);
}

TEST(Transfer, AnH200sSearchesArePredictedWithinAFifth) {
  const auto of = [](const Workload& work) { return predicted(work, planned(work)); };
  const RunEstimate few = of({32, 20'000'000, 1024}), many = of({2048, 20'000'000, 1024});
  EXPECT_NEAR(few.stream, 0.053, 0.0106);
  EXPECT_NEAR(few.upload, 0.050, 0.010);
  EXPECT_NEAR(few.open, 0.031, 0.0062);
  EXPECT_NEAR(many.kernel, 0.020, 0.004);
  EXPECT_NEAR(many.stream, 0.092, 0.0184);
  EXPECT_DOUBLE_EQ(few.startup, 0.35);
}

TEST(Transfer, WhatIsNotKnownIsNotPredicted) {
  EXPECT_EQ(predict_upload({}, 1e9, 1e6), 0);
}

TEST(Choice, TheNativeEngineReadsAndThenCompares) {
  EXPECT_NEAR(cpu_seconds(1e12, 1e9, {32, 1'000'000, 1024}), 0.032768 + 0.128, 1e-9);
  EXPECT_TRUE(std::isinf(cpu_seconds(0, 1e9, {1, 1, 1})));
}

TEST(Choice, NoGpuIsFasterThanItsStartAndItsLink) {
  EXPECT_NEAR(least_gpu_seconds(0.3, {1, 20'000'000, 1024}), 0.34, 1e-9);
  for (const std::uint64_t queries : {1u, 2048u}) {
    const Workload work{queries, 20'000'000, 1024};
    EXPECT_GE(predicted(work, planned(work)).total(), least_gpu_seconds(0.35, work));
  }
}

}  // namespace
}  // namespace fastid::model
