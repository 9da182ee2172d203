// Transfers, tiles, and which engine a run gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/choice.hpp"
#include "model/known_devices.hpp"
#include "model/transfer.hpp"

namespace fastid::model {
namespace {

// An H200 and its host, as `fastid tune` and scripts/bench/gpu measured them.
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
      {1'000'000, 512, 32, 2, 24, 0.0026},     {1'000'000, 512, 32, 3, 16, 0.0026},
      {1'000'000, 512, 32, 3, 24, 0.0025},     {1'000'000, 512, 32, 4, 16, 0.0024},
      {1'000'000, 512, 32, 4, 24, 0.0026},     {1'000'000, 512, 32, 6, 16, 0.0026},
      {1'000'000, 512, 32, 6, 24, 0.0028},     {1'000'000, 512, 2048, 2, 8, 0.0074},
      {1'000'000, 512, 2048, 2, 16, 0.0077},   {1'000'000, 512, 2048, 2, 24, 0.0075},
      {1'000'000, 512, 2048, 3, 8, 0.0066},    {1'000'000, 512, 2048, 3, 16, 0.0063},
      {1'000'000, 512, 2048, 3, 24, 0.0063},   {1'000'000, 512, 2048, 4, 8, 0.0062},
      {1'000'000, 512, 2048, 4, 16, 0.0064},   {1'000'000, 512, 2048, 4, 24, 0.0070},
      {1'000'000, 512, 2048, 6, 8, 0.0064},    {1'000'000, 512, 2048, 6, 16, 0.0064},
      {1'000'000, 512, 2048, 6, 24, 0.0064},   {1'000'000, 1024, 32, 2, 16, 0.0045},
      {1'000'000, 1024, 32, 2, 24, 0.0042},    {1'000'000, 1024, 32, 3, 16, 0.0038},
      {1'000'000, 1024, 32, 3, 24, 0.0037},    {1'000'000, 1024, 32, 4, 16, 0.0038},
      {1'000'000, 1024, 32, 4, 24, 0.0041},    {1'000'000, 1024, 32, 6, 16, 0.0041},
      {1'000'000, 1024, 32, 6, 24, 0.0044},    {1'000'000, 1024, 2048, 3, 16, 0.0064},
      {1'000'000, 1024, 2048, 3, 24, 0.0072},  {1'000'000, 1024, 2048, 4, 16, 0.0061},
      {1'000'000, 1024, 2048, 4, 24, 0.0067},  {1'000'000, 1024, 2048, 6, 16, 0.0058},
      {1'000'000, 1024, 2048, 6, 24, 0.0063},  {4'000'000, 512, 32, 2, 24, 0.0076},
      {4'000'000, 512, 32, 3, 16, 0.0066},     {4'000'000, 512, 32, 3, 24, 0.0063},
      {4'000'000, 512, 32, 4, 16, 0.0061},     {4'000'000, 512, 32, 4, 24, 0.0063},
      {4'000'000, 512, 32, 6, 16, 0.0061},     {4'000'000, 512, 32, 6, 24, 0.0070},
      {4'000'000, 512, 2048, 3, 16, 0.0105},   {4'000'000, 512, 2048, 3, 24, 0.0101},
      {4'000'000, 512, 2048, 4, 16, 0.0090},   {4'000'000, 512, 2048, 4, 24, 0.0088},
      {4'000'000, 512, 2048, 6, 16, 0.0092},   {4'000'000, 512, 2048, 6, 24, 0.0095},
      {4'000'000, 1024, 32, 2, 24, 0.0128},    {4'000'000, 1024, 32, 3, 16, 0.0115},
      {4'000'000, 1024, 32, 3, 24, 0.0109},    {4'000'000, 1024, 32, 4, 16, 0.0110},
      {4'000'000, 1024, 32, 4, 24, 0.0109},    {4'000'000, 1024, 32, 6, 16, 0.0112},
      {4'000'000, 1024, 32, 6, 24, 0.0125},    {4'000'000, 1024, 2048, 3, 16, 0.0163},
      {4'000'000, 1024, 2048, 3, 24, 0.0146},  {4'000'000, 1024, 2048, 4, 16, 0.0142},
      {4'000'000, 1024, 2048, 4, 24, 0.0134},  {4'000'000, 1024, 2048, 6, 16, 0.0135},
      {4'000'000, 1024, 2048, 6, 24, 0.0135},  {20'000'000, 512, 32, 3, 12, 0.0306},
      {20'000'000, 512, 32, 3, 16, 0.0267},    {20'000'000, 512, 32, 3, 24, 0.0258},
      {20'000'000, 512, 32, 4, 12, 0.0276},    {20'000'000, 512, 32, 4, 16, 0.0266},
      {20'000'000, 512, 32, 4, 24, 0.0260},    {20'000'000, 512, 32, 5, 12, 0.0271},
      {20'000'000, 512, 32, 5, 16, 0.0262},    {20'000'000, 512, 32, 5, 24, 0.0262},
      {20'000'000, 512, 32, 6, 12, 0.0277},    {20'000'000, 512, 32, 6, 16, 0.0267},
      {20'000'000, 512, 32, 6, 24, 0.0276},    {20'000'000, 512, 512, 4, 24, 0.0260},
      {20'000'000, 512, 2048, 3, 24, 0.0306},  {20'000'000, 512, 2048, 4, 12, 0.0327},
      {20'000'000, 512, 2048, 4, 16, 0.0283},  {20'000'000, 512, 2048, 4, 24, 0.0275},
      {20'000'000, 512, 2048, 5, 12, 0.0301},  {20'000'000, 512, 2048, 5, 16, 0.0288},
      {20'000'000, 512, 2048, 5, 24, 0.0279},  {20'000'000, 512, 2048, 6, 12, 0.0301},
      {20'000'000, 512, 2048, 6, 16, 0.0294},  {20'000'000, 512, 2048, 6, 24, 0.0292},
      {20'000'000, 1024, 32, 3, 12, 0.0608},   {20'000'000, 1024, 32, 3, 16, 0.0526},
      {20'000'000, 1024, 32, 3, 24, 0.0499},   {20'000'000, 1024, 32, 4, 12, 0.0528},
      {20'000'000, 1024, 32, 4, 16, 0.0516},   {20'000'000, 1024, 32, 4, 24, 0.0503},
      {20'000'000, 1024, 32, 5, 12, 0.0539},   {20'000'000, 1024, 32, 5, 16, 0.0515},
      {20'000'000, 1024, 32, 5, 24, 0.0503},   {20'000'000, 1024, 32, 6, 12, 0.0534},
      {20'000'000, 1024, 32, 6, 16, 0.0525},   {20'000'000, 1024, 32, 6, 24, 0.0507},
      {20'000'000, 1024, 512, 4, 24, 0.0507},  {20'000'000, 1024, 2048, 3, 16, 0.0630},
      {20'000'000, 1024, 2048, 3, 24, 0.0553}, {20'000'000, 1024, 2048, 4, 12, 0.0618},
      {20'000'000, 1024, 2048, 4, 16, 0.0553}, {20'000'000, 1024, 2048, 4, 24, 0.0528},
      {20'000'000, 1024, 2048, 5, 12, 0.0578}, {20'000'000, 1024, 2048, 5, 16, 0.0555},
      {20'000'000, 1024, 2048, 5, 24, 0.0539}, {20'000'000, 1024, 2048, 6, 12, 0.0587},
      {20'000'000, 1024, 2048, 6, 16, 0.0550}, {20'000'000, 1024, 2048, 6, 24, 0.0541},
  };
  double squares = 0;
  for (const Run& run : kRuns) {
    const TilePlan tiles{static_cast<std::uint64_t>(run.tile_mib * kMiB), run.buffers};
    const RunEstimate of = predicted({run.queries, run.profiles, run.sites}, tiles);
    const double off = (of.open + of.stream) / run.seconds - 1;
    EXPECT_NEAR(off, 0, 0.25) << run.profiles << " " << run.sites << " " << run.queries << " " << run.buffers
                              << " " << run.tile_mib;
    squares += off * off;
  }
  EXPECT_LT(std::sqrt(squares / std::size(kRuns)), 0.065);
}

// No plan was measured to take less than 0.9 of what the model's does.
TEST(Transfer, ThePlanIsAmongTheFastestThatWereMeasured) {
  const auto plan = [](std::uint64_t queries, std::uint32_t sites) {
    const TilePlan made = planned({queries, 20'000'000, sites});
    return std::pair(made.tile_bytes >> 20, made.workers);
  };
  using Plan = std::pair<std::uint64_t, std::size_t>;
  for (const std::uint32_t sites : {512u, 1024u})
    for (const std::uint64_t queries : {32u, 512u, 2048u})
      EXPECT_EQ(plan(queries, sites), Plan(24, 4)) << queries << " x " << sites;
}

// Many queries, which a model without that bound would have six buffers for.
TEST(Transfer, NoMoreIsInFlightThanCachesHold) {
  for (const std::uint64_t queries : {1u, 2048u, 65536u, 1'000'000u})
    for (const double kernel : {0.001, 0.1, 10.0}) {
      const TilePlan made = plan_tiles(h200(), kernel, kHost, {queries, 20'000'000, 1024});
      EXPECT_LE(static_cast<double>(made.tile_bytes) * static_cast<double>(made.workers), 96 * kMiB);
    }
}

TEST(Transfer, HalfOfTheThreadsIsLeftToReaders) {
  for (const std::size_t threads : {1u, 4u, 8u}) {
    const TilePlan made = plan_tiles(h200(), 0.01, {.threads = threads}, {2048, 20'000'000, 1024});
    EXPECT_EQ(made.workers, std::max<std::size_t>(2, threads / 2));
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
  EXPECT_EQ(plan_tiles({}, 1, kHost, {32, 20'000'000, 1024}).workers, 2u);
}

TEST(Transfer, AnH200sSearchesAreAsPredicted) {
  const auto of = [](const Workload& work) { return predicted(work, planned(work)); };
  const RunEstimate few = of({32, 20'000'000, 1024}), many = of({2048, 20'000'000, 1024});
  EXPECT_NEAR(few.stream, 0.0503, 0.005);
  EXPECT_NEAR(few.upload, 0.0481, 0.0048);
  EXPECT_NEAR(few.open, 0.0002, 0.00004);
  EXPECT_NEAR(many.kernel, 0.0209, 0.0042);
  EXPECT_NEAR(many.stream, 0.0525, 0.0052);
  EXPECT_NEAR(many.open, 0.0003, 0.00006);
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
