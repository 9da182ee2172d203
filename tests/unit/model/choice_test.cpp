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
    std::uint64_t profiles;
    std::uint32_t sites;
    std::uint64_t queries;
    std::size_t buffers;
    double tile_mib, seconds;
  };
  constexpr Run kRuns[] = {
      {1'000'000, 1024, 1, 2, 16, 0.0054},     {1'000'000, 1024, 1, 3, 16, 0.0056},
      {1'000'000, 1024, 1, 4, 16, 0.0061},     {1'000'000, 1024, 1, 5, 16, 0.0065},
      {1'000'000, 1024, 512, 2, 16, 0.0090},   {1'000'000, 1024, 512, 3, 16, 0.0084},
      {1'000'000, 1024, 512, 4, 16, 0.0080},   {1'000'000, 1024, 512, 5, 16, 0.0088},
      {1'000'000, 1024, 2048, 3, 8, 0.0141},   {1'000'000, 1024, 2048, 4, 8, 0.0140},
      {1'000'000, 1024, 2048, 5, 8, 0.0127},   {1'000'000, 1024, 2048, 2, 16, 0.0131},
      {1'000'000, 1024, 2048, 3, 16, 0.0125},  {1'000'000, 1024, 2048, 4, 16, 0.0123},
      {1'000'000, 1024, 2048, 5, 16, 0.0129},  {4'000'000, 1024, 1, 4, 8, 0.0153},
      {4'000'000, 1024, 1, 5, 8, 0.0154},      {4'000'000, 1024, 1, 2, 16, 0.0161},
      {4'000'000, 1024, 1, 3, 16, 0.0130},     {4'000'000, 1024, 1, 4, 16, 0.0132},
      {4'000'000, 1024, 1, 5, 16, 0.0136},     {4'000'000, 1024, 1, 6, 16, 0.0137},
      {4'000'000, 1024, 512, 4, 8, 0.0188},    {4'000'000, 1024, 512, 5, 8, 0.0192},
      {4'000'000, 1024, 512, 6, 8, 0.0193},    {4'000'000, 1024, 512, 3, 16, 0.0165},
      {4'000'000, 1024, 512, 4, 16, 0.0159},   {4'000'000, 1024, 512, 5, 16, 0.0167},
      {4'000'000, 1024, 512, 6, 16, 0.0167},   {4'000'000, 1024, 2048, 5, 8, 0.0235},
      {4'000'000, 1024, 2048, 6, 8, 0.0242},   {4'000'000, 1024, 2048, 3, 16, 0.0233},
      {4'000'000, 1024, 2048, 4, 16, 0.0215},  {4'000'000, 1024, 2048, 5, 16, 0.0198},
      {4'000'000, 1024, 2048, 6, 16, 0.0211},  {20'000'000, 512, 1, 4, 8, 0.0321},
      {20'000'000, 512, 1, 5, 8, 0.0309},      {20'000'000, 512, 1, 6, 8, 0.0328},
      {20'000'000, 512, 1, 3, 12, 0.0301},     {20'000'000, 512, 1, 4, 12, 0.0311},
      {20'000'000, 512, 1, 5, 12, 0.0308},     {20'000'000, 512, 1, 6, 12, 0.0302},
      {20'000'000, 512, 1, 3, 16, 0.0288},     {20'000'000, 512, 1, 4, 16, 0.0281},
      {20'000'000, 512, 1, 5, 16, 0.0306},     {20'000'000, 512, 1, 6, 16, 0.0305},
      {20'000'000, 512, 1, 2, 24, 0.0325},     {20'000'000, 512, 1, 3, 24, 0.0276},
      {20'000'000, 512, 1, 4, 24, 0.0274},     {20'000'000, 512, 1, 5, 24, 0.0277},
      {20'000'000, 512, 512, 4, 8, 0.0360},    {20'000'000, 512, 512, 5, 8, 0.0355},
      {20'000'000, 512, 512, 6, 8, 0.0357},    {20'000'000, 512, 512, 4, 12, 0.0326},
      {20'000'000, 512, 512, 5, 12, 0.0342},   {20'000'000, 512, 512, 6, 12, 0.0342},
      {20'000'000, 512, 512, 3, 16, 0.0331},   {20'000'000, 512, 512, 4, 16, 0.0314},
      {20'000'000, 512, 512, 5, 16, 0.0328},   {20'000'000, 512, 512, 6, 16, 0.0333},
      {20'000'000, 512, 512, 3, 24, 0.0296},   {20'000'000, 512, 512, 4, 24, 0.0301},
      {20'000'000, 512, 512, 5, 24, 0.0307},   {20'000'000, 512, 2048, 6, 8, 0.0403},
      {20'000'000, 512, 2048, 4, 12, 0.0401},  {20'000'000, 512, 2048, 5, 12, 0.0375},
      {20'000'000, 512, 2048, 6, 12, 0.0383},  {20'000'000, 512, 2048, 3, 16, 0.0418},
      {20'000'000, 512, 2048, 4, 16, 0.0382},  {20'000'000, 512, 2048, 5, 16, 0.0378},
      {20'000'000, 512, 2048, 6, 16, 0.0373},  {20'000'000, 512, 2048, 3, 24, 0.0366},
      {20'000'000, 512, 2048, 4, 24, 0.0354},  {20'000'000, 512, 2048, 5, 24, 0.0340},
      {20'000'000, 1024, 1, 4, 8, 0.0603},     {20'000'000, 1024, 1, 5, 8, 0.0590},
      {20'000'000, 1024, 1, 6, 8, 0.0588},     {20'000'000, 1024, 1, 3, 12, 0.0553},
      {20'000'000, 1024, 1, 4, 12, 0.0566},    {20'000'000, 1024, 1, 5, 12, 0.0561},
      {20'000'000, 1024, 1, 6, 12, 0.0554},    {20'000'000, 1024, 1, 3, 16, 0.0561},
      {20'000'000, 1024, 1, 4, 16, 0.0550},    {20'000'000, 1024, 1, 5, 16, 0.0546},
      {20'000'000, 1024, 1, 6, 16, 0.0548},    {20'000'000, 1024, 1, 2, 24, 0.0635},
      {20'000'000, 1024, 1, 3, 24, 0.0517},    {20'000'000, 1024, 1, 4, 24, 0.0518},
      {20'000'000, 1024, 1, 5, 24, 0.0522},    {20'000'000, 1024, 512, 5, 8, 0.0643},
      {20'000'000, 1024, 512, 6, 8, 0.0627},   {20'000'000, 1024, 512, 3, 12, 0.0645},
      {20'000'000, 1024, 512, 4, 12, 0.0581},  {20'000'000, 1024, 512, 5, 12, 0.0591},
      {20'000'000, 1024, 512, 6, 12, 0.0589},  {20'000'000, 1024, 512, 3, 16, 0.0629},
      {20'000'000, 1024, 512, 4, 16, 0.0622},  {20'000'000, 1024, 512, 5, 16, 0.0587},
      {20'000'000, 1024, 512, 6, 16, 0.0581},  {20'000'000, 1024, 512, 3, 24, 0.0554},
      {20'000'000, 1024, 512, 4, 24, 0.0549},  {20'000'000, 1024, 512, 5, 24, 0.0554},
      {20'000'000, 1024, 2048, 6, 8, 0.0700},  {20'000'000, 1024, 2048, 4, 12, 0.0700},
      {20'000'000, 1024, 2048, 5, 12, 0.0651}, {20'000'000, 1024, 2048, 6, 12, 0.0654},
      {20'000'000, 1024, 2048, 4, 16, 0.0683}, {20'000'000, 1024, 2048, 5, 16, 0.0640},
      {20'000'000, 1024, 2048, 6, 16, 0.0644}, {20'000'000, 1024, 2048, 3, 24, 0.0666},
      {20'000'000, 1024, 2048, 4, 24, 0.0594}, {20'000'000, 1024, 2048, 5, 24, 0.0606},
  };
  for (const Run& run : kRuns) {
    const TilePlan tiles{static_cast<std::uint64_t>(run.tile_mib * kMiB), run.buffers};
    const RunEstimate of = predicted({run.queries, run.profiles, run.sites}, tiles);
    EXPECT_NEAR((of.open + of.stream) / run.seconds, 1, 0.2)
        << run.profiles << " " << run.sites << " " << run.queries << " " << run.buffers << " "
        << run.tile_mib;
  }
}

// No plan was measured to take less than 0.9 of what the model's does.
TEST(Transfer, ThePlanIsAmongTheFastestThatWereMeasured) {
  const auto plan = [](std::uint64_t profiles, std::uint64_t queries) {
    const TilePlan made = planned({queries, profiles, 512});
    return std::pair(made.tile_bytes >> 20, made.buffers);
  };
  using Plan = std::pair<std::uint64_t, std::size_t>;
  EXPECT_EQ(plan(20'000'000, 32), Plan(24, 4));
  EXPECT_EQ(plan(20'000'000, 2048), Plan(24, 4));
}

// Many queries, which a model without that bound would have six buffers for.
TEST(Transfer, NoMoreIsInFlightThanCachesHold) {
  for (const std::uint64_t queries : {1u, 2048u, 65536u, 1'000'000u})
    for (const double kernel : {0.001, 0.1, 10.0}) {
      const TilePlan made = plan_tiles(h200(), kernel, kHost, {queries, 20'000'000, 1024});
      EXPECT_LE(static_cast<double>(made.tile_bytes) * static_cast<double>(made.buffers), 96 * kMiB);
    }
}

TEST(Transfer, HalfOfTheThreadsIsLeftToReaders) {
  for (const std::size_t threads : {1u, 4u, 8u}) {
    const TilePlan made = plan_tiles(h200(), 0.01, {.threads = threads}, {2048, 20'000'000, 1024});
    EXPECT_EQ(made.buffers, std::max<std::size_t>(2, threads / 2));
  }
}

TEST(Transfer, NoPlanIsSlowerThanAnotherTileOrBuffer) {
  for (const std::uint64_t queries : {1u, 2048u, 65536u})
    for (const std::uint64_t profiles : {10u, 100'000u, 20'000'000u}) {
      const Workload work{queries, profiles, 1024, 2};
      const double least = predicted(work, planned(work)).total();
      for (std::uint64_t tile = 1 << 18; tile <= 1 << 24; tile *= 2)
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
  EXPECT_NEAR(few.stream, 0.0518, 0.0104);
  EXPECT_NEAR(few.upload, 0.0490, 0.0098);
  EXPECT_NEAR(few.open, 0.0008, 0.00016);
  EXPECT_NEAR(many.kernel, 0.0202, 0.004);
  EXPECT_NEAR(many.stream, 0.0585, 0.0117);
  EXPECT_NEAR(many.open, 0.0021, 0.00042);
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
