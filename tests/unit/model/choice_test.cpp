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
  return std::max(work.bytes() / 4.4e12, work.bits() * (1 + 280.0 / work.sites) / 3.2e15);
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
    double tile_mib, seconds;
  };
  constexpr Run kRuns[] = {
      {20'000'000, 2, 4, 0.226},  {20'000'000, 2, 8, 0.131},  {20'000'000, 2, 16, 0.071},
      {20'000'000, 2, 32, 0.064}, {20'000'000, 3, 4, 0.149},  {20'000'000, 3, 8, 0.066},
      {20'000'000, 3, 16, 0.054}, {20'000'000, 3, 32, 0.054}, {20'000'000, 4, 4, 0.127},
      {20'000'000, 4, 8, 0.056},  {20'000'000, 4, 16, 0.053}, {20'000'000, 4, 32, 0.055},
      {4'000'000, 2, 2, 0.084},   {4'000'000, 2, 4, 0.052},   {4'000'000, 2, 8, 0.029},
      {4'000'000, 2, 16, 0.018},  {4'000'000, 2, 32, 0.016},  {4'000'000, 3, 2, 0.057},
      {4'000'000, 3, 4, 0.035},   {4'000'000, 3, 8, 0.015},   {4'000'000, 3, 16, 0.012},
      {4'000'000, 3, 32, 0.014},  {4'000'000, 4, 2, 0.053},   {4'000'000, 4, 4, 0.027},
      {4'000'000, 4, 8, 0.013},   {4'000'000, 4, 16, 0.012},  {4'000'000, 4, 32, 0.014},
      {1'000'000, 2, 2, 0.023},   {1'000'000, 2, 4, 0.014},   {1'000'000, 2, 8, 0.009},
      {1'000'000, 2, 16, 0.007},  {1'000'000, 3, 2, 0.017},   {1'000'000, 3, 4, 0.01},
      {1'000'000, 3, 8, 0.006},   {1'000'000, 3, 16, 0.005},  {1'000'000, 4, 2, 0.013},
      {1'000'000, 4, 4, 0.009},   {1'000'000, 4, 8, 0.006},   {1'000'000, 4, 16, 0.005},
  };
  for (const Run& run : kRuns) {
    const TilePlan tiles{static_cast<std::uint64_t>(run.tile_mib * kMiB), run.buffers};
    EXPECT_NEAR(predicted({32, run.profiles, 1024}, tiles).stream / run.seconds, 1, 0.25)
        << run.profiles << " " << run.buffers << " " << run.tile_mib;
  }
}

// Opening included: no plan was measured to take less than nine tenths of the model's.
TEST(Transfer, ThePlanIsAmongTheFastestThatWereMeasured) {
  const auto plan = [](std::uint64_t profiles) { return planned({32, profiles, 1024}); };
  EXPECT_EQ(plan(20'000'000).tile_bytes >> 20, 16u);  // 82 ms; 80 ms with four of 8 MiB
  EXPECT_EQ(plan(20'000'000).buffers, 3u);
  EXPECT_EQ(plan(4'000'000).tile_bytes >> 20, 8u);
  EXPECT_EQ(plan(1'000'000).tile_bytes >> 20, 4u);
}

TEST(Transfer, NoPlanIsSlowerThanAnotherTileOrBuffer) {
  for (const std::uint64_t queries : {1u, 2048u, 65536u})
    for (const std::uint64_t profiles : {10u, 100'000u, 20'000'000u}) {
      const Workload work{queries, profiles, 1024, 2};
      const double least = predicted(work, planned(work)).total();
      for (std::uint64_t tile = 1 << 18; tile <= 1 << 26; tile *= 2)
        for (const std::size_t buffers : {2u, 3u, 4u})
          EXPECT_LE(least, predicted(work, {tile, buffers}).total());
    }
}

TEST(Transfer, WhereNothingIsUploadedTwoBuffersDo) {
  EXPECT_EQ(plan_tiles({}, 1, kHost, {32, 20'000'000, 1024}).buffers, 2u);
}

TEST(Transfer, AnH200sSearchesArePredictedWithinAFifth) {
  const auto of = [](const Workload& work) { return predicted(work, planned(work)); };
  const RunEstimate few = of({32, 20'000'000, 1024}), many = of({2048, 20'000'000, 1024});
  EXPECT_NEAR(few.stream, 0.054, 0.0108);
  EXPECT_NEAR(few.upload, 0.049, 0.0098);
  EXPECT_NEAR(few.open, 0.028, 0.0056);
  EXPECT_NEAR(many.kernel, 0.019, 0.0038);
  EXPECT_NEAR(many.stream, 0.067, 0.0134);
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
