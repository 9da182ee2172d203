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

// Those that take less than 1.25 times as long as the best of their kind, opening included; docs/tuning.md
// has more.
TEST(Transfer, RunsByTheTileTakeWhatWasMeasured) {
  struct Run {
    std::uint64_t profiles, queries;
    std::size_t buffers;
    double tile_mib, seconds;
  };
  constexpr Run kRuns[] = {
      {20'000'000, 32, 3, 8, 0.0711},    {20'000'000, 32, 4, 8, 0.0628},    {20'000'000, 32, 6, 8, 0.0653},
      {20'000'000, 32, 3, 12, 0.0604},   {20'000'000, 32, 4, 12, 0.0635},   {20'000'000, 32, 6, 12, 0.0638},
      {20'000'000, 32, 3, 16, 0.0632},   {20'000'000, 32, 4, 16, 0.0658},   {20'000'000, 32, 6, 16, 0.0655},
      {20'000'000, 32, 3, 24, 0.0702},   {20'000'000, 32, 4, 24, 0.0675},   {20'000'000, 32, 6, 24, 0.0743},
      {20'000'000, 2048, 6, 8, 0.0869},  {20'000'000, 2048, 3, 12, 0.0925}, {20'000'000, 2048, 4, 12, 0.0805},
      {20'000'000, 2048, 6, 12, 0.0762}, {20'000'000, 2048, 3, 16, 0.0881}, {20'000'000, 2048, 4, 16, 0.0815},
      {20'000'000, 2048, 6, 16, 0.0800}, {20'000'000, 2048, 3, 24, 0.0883}, {20'000'000, 2048, 4, 24, 0.0853},
      {20'000'000, 2048, 6, 24, 0.0900}, {4'000'000, 32, 3, 8, 0.0210},     {4'000'000, 32, 4, 8, 0.0192},
      {4'000'000, 32, 6, 8, 0.0220},     {4'000'000, 32, 2, 12, 0.0219},    {4'000'000, 32, 3, 12, 0.0194},
      {4'000'000, 32, 4, 12, 0.0195},    {4'000'000, 32, 6, 12, 0.0231},    {4'000'000, 32, 2, 16, 0.0222},
      {4'000'000, 32, 3, 16, 0.0195},    {4'000'000, 32, 4, 16, 0.0214},    {4'000'000, 2048, 4, 8, 0.0353},
      {4'000'000, 2048, 6, 8, 0.0341},   {4'000'000, 2048, 3, 12, 0.0383},  {4'000'000, 2048, 4, 12, 0.0360},
      {4'000'000, 2048, 6, 12, 0.0358},  {4'000'000, 2048, 3, 16, 0.0348},  {4'000'000, 2048, 4, 16, 0.0348},
      {4'000'000, 2048, 6, 16, 0.0359},  {1'000'000, 32, 2, 8, 0.0104},     {1'000'000, 32, 3, 8, 0.0098},
      {1'000'000, 32, 4, 8, 0.0116},     {1'000'000, 2048, 3, 4, 0.0258},   {1'000'000, 2048, 4, 4, 0.0246},
      {1'000'000, 2048, 6, 4, 0.0244},   {1'000'000, 2048, 3, 8, 0.0245},   {1'000'000, 2048, 4, 8, 0.0218},
      {1'000'000, 2048, 6, 8, 0.0224},   {20'000'000, 512, 3, 12, 0.0683},  {20'000'000, 512, 4, 12, 0.0652},
      {20'000'000, 512, 6, 12, 0.0687},  {20'000'000, 512, 3, 16, 0.0732},  {20'000'000, 512, 4, 16, 0.0685},
      {20'000'000, 512, 6, 16, 0.0687},
  };
  for (const Run& run : kRuns) {
    const TilePlan tiles{static_cast<std::uint64_t>(run.tile_mib * kMiB), run.buffers};
    const RunEstimate of = predicted({run.queries, run.profiles, 1024}, tiles);
    EXPECT_NEAR((of.open + of.stream) / run.seconds, 1, 0.2)
        << run.profiles << " " << run.queries << " " << run.buffers << " " << run.tile_mib;
  }
}

// No plan was measured to take less than 0.95 of what the model's does.
TEST(Transfer, ThePlanIsAmongTheFastestThatWereMeasured) {
  const auto plan = [](std::uint64_t profiles, std::uint64_t queries) {
    const TilePlan made = planned({queries, profiles, 1024});
    return std::pair(made.tile_bytes >> 20, made.buffers);
  };
  using Plan = std::pair<std::uint64_t, std::size_t>;
  EXPECT_EQ(plan(20'000'000, 32), Plan(16, 3));
  EXPECT_EQ(plan(20'000'000, 2048), Plan(12, 5));
  EXPECT_EQ(plan(4'000'000, 32), Plan(8, 4));
  EXPECT_EQ(plan(1'000'000, 32), Plan(8, 3));
}

TEST(Transfer, NoPlanIsSlowerThanAnotherTileOrBuffer) {
  for (const std::uint64_t queries : {1u, 2048u, 65536u})
    for (const std::uint64_t profiles : {10u, 100'000u, 20'000'000u}) {
      const Workload work{queries, profiles, 1024, 2};
      const double least = predicted(work, planned(work)).total();
      for (std::uint64_t tile = 1 << 18; tile <= 1 << 26; tile *= 2)
        for (const std::size_t buffers : {2u, 3u, 4u, 5u, 6u})
          EXPECT_LE(least, predicted(work, {tile, buffers}).total());
    }
}

TEST(Transfer, WhereNothingIsUploadedTwoBuffersDo) {
  EXPECT_EQ(plan_tiles({}, 1, kHost, {32, 20'000'000, 1024}).buffers, 2u);
}

TEST(Transfer, AnH200sSearchesArePredictedWithinAFifth) {
  const auto of = [](const Workload& work) { return predicted(work, planned(work)); };
  const RunEstimate few = of({32, 20'000'000, 1024}), many = of({2048, 20'000'000, 1024});
  EXPECT_NEAR(few.stream, 0.0585, 0.0117);
  EXPECT_NEAR(few.upload, 0.050, 0.01);
  EXPECT_NEAR(few.open, 0.0047, 0.00094);
  EXPECT_NEAR(many.kernel, 0.019, 0.0038);
  EXPECT_NEAR(many.stream, 0.069, 0.0138);
  EXPECT_NEAR(many.open, 0.0073, 0.00146);
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
