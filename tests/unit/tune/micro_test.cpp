// The microbenchmarks' arithmetic on made-up devices whose numbers are known, and, where a driver is
// installed, that a real device computes what the host does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "opencl/device_configs.hpp"
#include "opencl/devices.hpp"
#include "support/on_a_device.hpp"
#include "support/temp_folder.hpp"
#include "tune/choose/header.hpp"
#include "tune/measure/micro.hpp"
#include "tune/measure/opencl_micro.hpp"
#include "tune/measure/opencl_micro_host.hpp"
#include "tune/roofs.hpp"

namespace fastid::tune {
namespace {

using model::DeviceTraits;
using model::Source;

// A device with pipes: an operation takes its pipe for 1 / rate clocks a work-item and compute unit; a chain
// waits `latency` clocks a step; a run takes the longer of both.
struct MadeUp : MicroDevice {
  static constexpr std::size_t kOps = 5;
  struct Unit {
    int pipe;
    double rate, latency;
  };
  double clock = 1e9, units = 8, launch = 5e-6;
  std::array<Unit, kOps> of;   ///< by Op; kPopcount's is the popcount's own
  bool popcount_adds = false;  ///< one instruction counts and adds
  std::uint32_t banks = 32, lanes = 32;
  double memory = 400e9, upload_rate = 12e9, pageable_rate = 4e9, upload_besides = 10e-6;
  double matrix = 5e15;  ///< bits a second
  double noise = 0;
  mutable unsigned turn = 0;

  // Up and down by turns, so that medians are right.
  double noisy(double seconds) const { return seconds * (1 + noise * ((turn++ % 5) - 2.0) / 2); }

  void add_step(Op op, double steps, std::array<double, 3>& busy, double& latency) const {
    const Unit& unit = of[static_cast<std::size_t>(op)];
    const Unit& add = of[static_cast<std::size_t>(Op::kAdd)];
    busy[static_cast<std::size_t>(unit.pipe)] += steps / unit.rate;
    latency = unit.latency;
    const bool fused = op == Op::kPopcount ? popcount_adds : op == Op::kAdd || op == Op::kLogic;
    if (!fused) {
      busy[static_cast<std::size_t>(add.pipe)] += steps / add.rate;
      latency += add.latency;
    }
  }

  std::uint32_t words() const override { return 1; }
  double chains(const ChainRun& run) override {
    const double steps = kChainSteps * run.rounds;
    const double items = static_cast<double>(run.group_items * run.groups) / units;
    std::array<double, 3> busy{};
    double first = 0, second = 0;
    add_step(run.first, steps * (run.latency ? 1 : 2), busy, first);
    if (!run.latency) add_step(run.second, steps * 2, busy, second);
    const double pipes = *std::ranges::max_element(busy) * std::max(1.0, items);
    const double waiting = steps * std::max(first, second);
    return noisy(launch + std::max(run.latency ? 0 : pipes, waiting) / clock);
  }
  double local_reads(std::uint32_t stride, std::uint32_t rounds, std::size_t group_items,
                     std::size_t groups) override {
    const double conflicts = std::min(stride, banks);
    const double others = 2.5;  // instructions beside each read
    return noisy(launch + 16.0 * rounds * std::max(others, conflicts) *
                              static_cast<double>(group_items * groups) / (lanes * units * clock));
  }
  double stream(std::size_t bytes, std::size_t groups) override {
    const double busy = groups == 0 ? 1 : std::min(1.0, static_cast<double>(groups) / (2 * units));
    return noisy(static_cast<double>(bytes) / (memory * busy));
  }
  double matrix_products(std::uint32_t rounds, std::size_t thread_groups) override {
    return noisy(launch + rounds * static_cast<double>(thread_groups) * kBitsOfProducts / matrix);
  }
  double transfer(Way way, bool pinned, std::size_t bytes) override {
    const double rate = pinned ? upload_rate : pageable_rate;
    return noisy(upload_besides + static_cast<double>(bytes) / rate * (way == Way::kBoth ? 1.2 : 1));
  }
  double launches(std::size_t n) override { return noisy(launch * static_cast<double>(n)); }
  std::size_t usable_local() override { return 49152 - 4; }
};

MadeUp vega_like() {  // one pipe for all; a popcount adds
  MadeUp device;
  device.of = {MadeUp::Unit{0, 64, 4}, {0, 64, 4}, {0, 64, 4}, {0, 32, 8}, {0, 64, 4}};
  device.popcount_adds = true;
  device.lanes = 64;
  return device;
}

MadeUp nvidia_like() {  // popcounts apart, at a quarter of the rate; logic and adds share a pipe
  MadeUp device;
  device.of = {MadeUp::Unit{0, 64, 4}, {0, 64, 4}, {0, 64, 5}, {0, 64, 4}, {1, 16, 6}};
  return device;
}

DeviceTraits base_of(const MadeUp& device) {
  DeviceTraits base;
  base.clock_mhz.learn(device.clock / 1e6, Source::kQueried);
  base.compute_units.learn(device.units, Source::kQueried);
  base.thread_group.learn(device.lanes, Source::kQueried);
  base.group_items.learn(1024, Source::kQueried);
  base.allocation_bytes.learn(1e9, Source::kQueried);
  return base;
}

DeviceTraits measured(MadeUp device) {
  return measure(device, base_of(device), {}).traits;
}

constexpr double kWithin = 0.05;

TEST(Micro, OnAVegaLikeDeviceAllShareAPipeAndAPopcountAddsByItself) {
  const DeviceTraits t = measured(vega_like());
  EXPECT_NEAR(t.popcounts.value / 64, 1, kWithin);
  EXPECT_NEAR(t.adds.value / 64, 1, kWithin);
  EXPECT_NEAR(t.ands.value / 64, 1, kWithin);
  EXPECT_NEAR(t.xors.value / 64, 1, kWithin);
  EXPECT_GT(t.logic_shares_add.value, 0.9);
  EXPECT_GT(t.popcount_shares_add.value, 0.9);
  EXPECT_GT(t.popcount_shares_logic.value, 0.9);
  EXPECT_NEAR(t.popcount_latency.value, 4, 0.2);
  EXPECT_NEAR(t.add_latency.value, 4, 0.2);
}

TEST(Micro, OnAnNvidiaLikeDevicePopcountsHaveAPipeOfTheirOwn) {
  const DeviceTraits t = measured(nvidia_like());
  EXPECT_NEAR(t.popcounts.value / 16, 1, kWithin);
  EXPECT_NEAR(t.adds.value / 64, 1, kWithin);
  EXPECT_GT(t.logic_shares_add.value, 0.9);
  EXPECT_LT(t.popcount_shares_add.value, 0.1);
  EXPECT_LT(t.popcount_shares_logic.value, 0.1);
  EXPECT_NEAR(t.popcount_latency.value, 6, 0.3);  // without the ADD of its step
  EXPECT_NEAR(t.xor_latency.value, 5, 0.2);
}

TEST(Micro, ACpuWhoseDriverTellsNoClockAddsInOne) {
  MadeUp device = nvidia_like();
  device.lanes = 1;
  device.clock = 2.5e9;
  device.of = {MadeUp::Unit{0, 2, 1}, {0, 2, 1}, {0, 2, 1}, {0, 2, 1}, {1, 1, 3}};
  DeviceTraits base = base_of(device);
  base.clock_mhz = {};
  const DeviceTraits t = measure(device, base, {}).traits;
  EXPECT_NEAR(t.clock_mhz.value / 2500, 1, kWithin);
  EXPECT_NEAR(t.popcounts.value, 1, kWithin);
  EXPECT_NEAR(t.popcount_latency.value, 3, 0.2);
  base.thread_group.learn(32, Source::kQueried);  // a GPU's latency says nothing of its clock
  EXPECT_FALSE(measure(device, base, {}).traits.popcounts.known());
}

TEST(Micro, APopcountThatSharesItsPipeWithAnAddOfItsOwnIsToldApart) {
  MadeUp device = nvidia_like();
  device.of[static_cast<std::size_t>(Op::kPopcount)] = {0, 32, 6};
  const DeviceTraits t = measured(device);
  EXPECT_NEAR(t.popcounts.value / 32, 1, kWithin);
  EXPECT_GT(t.popcount_shares_add.value, 0.9);
}

TEST(Micro, EveryInstructionMayHaveAPipeOfItsOwn) {
  MadeUp device = nvidia_like();
  device.of = {MadeUp::Unit{0, 64, 4}, {2, 32, 4}, {2, 32, 4}, {2, 32, 4}, {1, 16, 6}};
  const DeviceTraits t = measured(device);
  EXPECT_LT(t.logic_shares_add.value, 0.1);
  EXPECT_LT(t.popcount_shares_logic.value, 0.1);
  EXPECT_NEAR(t.ands.value / 32, 1, kWithin);
  EXPECT_NEAR(t.adds.value / 64, 1, kWithin);
}

TEST(Micro, PopcountsAndLogicMayShareAPipeThatAddsDoNot) {
  MadeUp device = nvidia_like();
  device.of = {MadeUp::Unit{0, 64, 4}, {1, 32, 4}, {1, 32, 4}, {1, 32, 4}, {1, 16, 6}};
  const DeviceTraits t = measured(device);
  EXPECT_GT(t.popcount_shares_logic.value, 0.9);
  EXPECT_LT(t.popcount_shares_add.value, 0.1);
  EXPECT_LT(t.logic_shares_add.value, 0.1);
}

TEST(Micro, MediansSeeThroughNoise) {
  MadeUp device = nvidia_like();
  device.noise = 0.2;
  const DeviceTraits t = measured(device);
  EXPECT_NEAR(t.popcounts.value / 16, 1, kWithin);
  EXPECT_LT(t.popcount_shares_add.value, 0.1);
  EXPECT_EQ(t.banks.value, 32);
}

TEST(Micro, MemoryLaunchesAndTransfersAreAsTheyWereMade) {
  const DeviceTraits t = measured(nvidia_like());
  EXPECT_NEAR(t.launch_seconds.value, 5e-6, 1e-8);
  EXPECT_NEAR(t.memory_rate.value / 400e9, 1, kWithin);
  EXPECT_NEAR(t.upload_pinned.value / 12e9, 1, kWithin);
  EXPECT_NEAR(t.upload_seconds.value, 10e-6, 2e-6);
  EXPECT_NEAR(t.upload_pageable.value / 4e9, 1, kWithin);
  EXPECT_NEAR(t.both_ways.value / (2 * 12e9 / 1.2), 1, kWithin);
  EXPECT_EQ(t.local_bytes.value, 49152 - 4);
}

TEST(Micro, BanksAreWhereTheTimeNoLongerGrows) {
  EXPECT_EQ(banks_of({1, 2, 4, 8, 16, 32, 32}), 32u);
  EXPECT_EQ(banks_of({5, 5, 5, 8, 16, 16, 16}), 16u);
  EXPECT_EQ(banks_of({1, 1.01, 0.99, 1, 1, 1, 1}), 0u);
  for (const std::uint32_t banks : {16u, 32u, 64u}) {
    MadeUp device = nvidia_like();
    device.banks = banks;
    EXPECT_EQ(measured(device).banks.value, banks);
  }
}

TEST(Micro, SharingIsFromNoneToAll) {
  EXPECT_DOUBLE_EQ(shared(1, 1, 1), 0);
  EXPECT_DOUBLE_EQ(shared(1, 1, 2), 1);
  EXPECT_DOUBLE_EQ(shared(4, 1, 4.5), 0.5);
  EXPECT_DOUBLE_EQ(shared(4, 1, 3), 0);
  EXPECT_DOUBLE_EQ(shared(4, 1, 9), 1);
}

TEST(Micro, AStepIsSplitIntoItsOperationAndItsAdd) {
  const auto expect = [](const Split& split, double own, double shares) {
    EXPECT_DOUBLE_EQ(split.own, own);
    EXPECT_DOUBLE_EQ(split.shares, shares);
  };
  expect(split_step(1, 4, 4), 4, 0);  // a slow pipe of its own
  expect(split_step(1, 4, 5), 3, 1);  // one pipe: three and one
  expect(split_step(1, 1.5, 2), 1.5, 0);
  expect(split_step(1, 2, 3), 1, 1);
  expect(split_step(1, 1, 2), 1, 1);  // one instruction
  EXPECT_DOUBLE_EQ(own_time(1, 4, 0), 4);
  EXPECT_DOUBLE_EQ(own_time(1, 4, 1), 3);
  EXPECT_DOUBLE_EQ(own_time(1, 1, 0), 1);  // hidden behind the ADD
}

// As measured on an H200: ADDs go through two pipes, one of which is the logic's.
TEST(Micro, AddsThatFindASecondPipeDoNotHideTheLogicsRate) {
  const double logic = 1 / 64.0, add = 1 / 107.85, both = 1 / 64.0, and_step = 1 / 63.5;
  EXPECT_NEAR(1 / own_time(add, and_step, shared(logic, add, both)), 64, 1);
}

TEST(Micro, WhatWasFoldedIsNotBelieved) {
  MadeUp device = nvidia_like();
  device.of = {
      MadeUp::Unit{0, 64e3, 0.001}, {0, 64e3, 0.001}, {0, 64e3, 0.001}, {0, 64e3, 0.001}, {1, 16e3, 0.001}};
  const DeviceTraits t = measured(device);
  EXPECT_FALSE(t.adds.known());
  EXPECT_FALSE(t.ands.known());
  EXPECT_FALSE(t.popcounts.known());
  EXPECT_FALSE(t.popcount_latency.known());
  EXPECT_FALSE(t.add_latency.known());
}

TEST(Micro, ALineGoesThroughSizesAndTimes) {
  const Line line = fit_line({{1e6, 30e-6}, {8e6, 170e-6}, {64e6, 1290e-6}});
  EXPECT_NEAR(line.a_byte, 20e-12, 1e-15);
  EXPECT_NEAR(line.besides, 10e-6, 1e-9);
  EXPECT_EQ(fit_line({{1e6, 1}, {1e6, 1}}).a_byte, 0);
}

// Rates a second of the made-up devices; of work-groups of 256 work-items they have 8 units.
TEST(Roofs, AreThoseOfTheDevice) {
  MadeUp device = nvidia_like();
  std::vector<std::size_t> compared;
  const DeviceRoofs roofs =
      measure_roofs(device, base_of(device), true,
                    [&](std::size_t groups) {
                      compared.push_back(groups);
                      return 1e9 * static_cast<double>(std::min<std::size_t>(groups, 16));
                    },
                    {.least_seconds = 1e-2});
  const double bits = device.clock * device.units * 32;
  EXPECT_NEAR(roofs.best.popcounts / (bits * 16), 1, kWithin);
  EXPECT_NEAR(roofs.best.logic / (bits * 64), 1, kWithin);
  EXPECT_NEAR(roofs.best.memory / device.memory, 1, kWithin);
  EXPECT_NEAR(roofs.best.local / (4 * device.lanes * device.units * device.clock / 2.5), 1, kWithin);
  EXPECT_NEAR(roofs.matrix / device.matrix, 1, kWithin);
  EXPECT_EQ(roofs.best.compared, 16e9);
  EXPECT_EQ(compared, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64, 128}));
  ASSERT_EQ(roofs.by_groups.size(), compared.size());
  for (std::size_t i = 0; i < compared.size(); ++i) {
    EXPECT_EQ(roofs.by_groups[i].groups, compared[i]);
    EXPECT_NEAR(roofs.by_groups[i].rates.memory / (device.memory * std::min(1.0, std::exp2(i) / 16)), 1,
                kWithin);
  }
}

TEST(Roofs, WithoutAMatrixUnitAndLocalMemory) {
  MadeUp device = vega_like();
  DeviceTraits base = base_of(device);
  base.thread_group = {};
  base.thread_group.learn(1, Source::kQueried);  // a CPU
  const DeviceRoofs roofs = measure_roofs(device, base, false, {}, {});
  EXPECT_EQ(roofs.matrix, 0);
  EXPECT_EQ(roofs.best.local, 0);
  EXPECT_EQ(roofs.best.compared, 0);
  EXPECT_GT(roofs.best.popcounts, 0);
}

// Three levels of adders leave an eighth of the popcounts, and take a comparison and 14 operations of 8
// words.
TEST(Roofs, FullAddersAreBoundByTheSlowerPipe) {
  const RoofRates rates{.popcounts = 16, .logic = 64};
  EXPECT_EQ(adder_rate(rates, 0), 0);
  EXPECT_DOUBLE_EQ(adder_rate(rates, 1), 32);
  EXPECT_DOUBLE_EQ(adder_rate(rates, 3), 64 / 2.75);
}

// One round, by the picture of compare_matrix.cl: each entry of the first warp's product by itself.
TEST(Micro, MatrixProductsAreThoseOfTheInstruction) {
  constexpr std::uint32_t kSalt = 0x9E3779B1;
  std::array<std::array<std::uint32_t, 8>, 16> rows{};
  std::array<std::array<std::uint32_t, 8>, 8> columns{};
  for (std::uint32_t item = 0; item < 32; ++item) {
    const std::uint32_t r = item / 4, g = item % 4;
    rows[r][g] = item, rows[r + 8][g] = kSalt, rows[r][g + 4] = item ^ kSalt, rows[r + 8][g + 4] = ~item;
    columns[r][g] = item * kSalt, columns[r][g + 4] = item + kSalt;
  }
  for (std::uint32_t item = 0; item < 32; ++item) {
    std::uint32_t sum = 0;
    for (const std::uint32_t row : {item / 4, item / 4 + 8})
      for (const std::uint32_t column : {item % 4 * 2, item % 4 * 2 + 1})
        for (std::size_t word = 0; word < 8; ++word)
          sum += static_cast<std::uint32_t>(bits_set(rows[row][word] & columns[column][word]));
    EXPECT_EQ(host_matrix_products(3, item, kSalt), 3 * 8 * sum) << item;
  }
}

TEST(Micro, AMedianIsRepeatedUntilItIsSteadyAndNoLonger) {
  int runs = 0;
  EXPECT_EQ(median_of_runs("x", 50, [&] { return ++runs, 1e-3; }).runs, 5u);
  EXPECT_EQ(runs, 6);  // the first does not count
  runs = 0;
  const MicroTiming wild = median_of_runs("x", 50, [&] { return 1e-3 * (1 + ++runs % 7); });
  EXPECT_EQ(wild.runs, 50u);
  EXPECT_NEAR(wild.seconds, 4e-3, 1e-3);
}

TEST(Micro, AClockThatTellsNothingIsAnErrorOfTheDevice) {
  EXPECT_THROW(median_of_runs("x", 9, [] { return 0.0; }), DeviceError);
  EXPECT_THROW(median_of_runs("x", 9, [] { return -1.0; }), DeviceError);
  int runs = 0;  // a few that tell nothing are left out
  EXPECT_NEAR(median_of_runs("x", 20, [&] { return ++runs % 3 == 0 ? 0.0 : 2e-3; }).seconds, 2e-3, 1e-9);
}

class MicroOnADevice : public testing::OnADevice {
 protected:
  void SetUp() override {
    OnADevice::SetUp();
    if (!IsSkipped()) micro_ = make_opencl_micro(*device_);
  }
  std::unique_ptr<MicroDevice> micro_;
};

// The device's results are held against the host's in each run.
TEST_F(MicroOnADevice, ComputesWhatTheHostDoes) {
  for (const Op first : {Op::kAdd, Op::kAnd, Op::kXor, Op::kLogic, Op::kPopcount}) {
    for (const std::uint32_t rounds : {1u, 3u})
      EXPECT_GT(micro_->chains({first, first, true, rounds, 1, 3}), 0) << name_of(first);
    EXPECT_GT(micro_->chains({first, first, false, 2, 2, 3}), 0) << name_of(first);
  }
  EXPECT_GT(micro_->chains({Op::kPopcount, Op::kAdd, false, 2, 2, 3}), 0);
  EXPECT_GT(micro_->chains({Op::kPopcount, Op::kLogic, false, 2, 2, 3}), 0);
  EXPECT_GT(micro_->chains({Op::kLogic, Op::kAdd, false, 2, 2, 3}), 0);
  EXPECT_GT(micro_->local_reads(2, 3, 4, 2), 0);
  for (const std::size_t groups : {0, 1, 3}) EXPECT_GT(micro_->stream(1 << 20, groups), 0);
  EXPECT_GT(micro_->launches(10), 0);
  for (const Way way : {Way::kUp, Way::kDown, Way::kBoth}) EXPECT_GT(micro_->transfer(way, true, 1 << 20), 0);
  const std::size_t local = micro_->usable_local();
  EXPECT_GE(local, 1024u);
  EXPECT_LE(local, device_->facts.local_memory);
}

TEST_F(MicroOnADevice, TheDriversAnswersAreTraits) {
  const DeviceTraits traits = opencl::stated_traits(*device_);
  EXPECT_EQ(traits.compute_units.value, device_->facts.compute_units);
  EXPECT_EQ(traits.compute_units.source, Source::kQueried);
  EXPECT_EQ(traits.local_bytes.value, static_cast<double>(device_->facts.local_memory));
  EXPECT_TRUE(traits.load_words.known());
}

class RoofsOfADevice : public testing::OnADevice {};

TEST_F(RoofsOfADevice, AreMeasuredWithEachNumberOfWorkGroups) {
  const DeviceRoofs roofs =
      measure_roofs(device_->facts.selector, {}, {.least_seconds = 1e-5, .most_runs = 1});
  EXPECT_EQ(roofs.is_cpu, device_->facts.type == "CPU");
  ASSERT_GT(roofs.by_groups.size(), 3u);
  for (const auto& [groups, rates] : roofs.by_groups) {
    EXPECT_GT(rates.memory, 0) << groups;
    EXPECT_GT(rates.popcounts, 0) << groups;
    EXPECT_GT(rates.compared, 0) << groups;
    EXPECT_LE(rates.compared, roofs.best.compared) << groups;
    EXPECT_EQ(rates.local > 0, !roofs.is_cpu) << groups;
  }
}

TEST_F(RoofsOfADevice, AreOfTheConfigThatIsNamed) {
  const fastid::testing::TempFolder folder;
  const std::string file = std::string(folder.path()) + "/named.h";
  model::KernelConfig config = opencl::configs_for(device_->facts, {}, {}).front();
  config.popcount = 1 - config.popcount;  // which the usual one has not
  config.carry_levels = 0;
  std::ofstream(file) << header_text(config, {});
  const DeviceRoofs roofs =
      measure_roofs(device_->facts.selector, {.config_file = file}, {.least_seconds = 1e-5, .most_runs = 1});
  EXPECT_EQ(roofs.by_popcount, config.popcount != 0);
  EXPECT_EQ(roofs.adders, 0);
  EXPECT_THROW(measure_roofs(device_->facts.selector, {.config_file = file + ".not"}, {}), InputError);
}

}  // namespace
}  // namespace fastid::tune
