// How long comparing takes: what was measured of devices, and what bounds what.
#include "model/kernel_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "model/known_devices.hpp"

namespace fastid::model {
namespace {

DeviceTraits traits_for(const std::string& device) {
  const KnownDevice* const known = find_known_device(device, "");
  return known == nullptr ? DeviceTraits{} : traits_of(*known);
}

// The paper's peaks: GTX 980 16 x 32 popcounts, Titan V 80 x 16, Vega 64 64 x 64 shared with AND and ADD.
TEST(KernelTime, ThePeakIsThatOfThePopcountUnits) {
  EXPECT_NEAR(popcount_peak(traits_for("GTX 980")), 1.367e9 * 16 * 32 * 32, 1e6);
  EXPECT_NEAR(popcount_peak(traits_for("TITAN V")), 1.455e9 * 80 * 16 * 32, 1e6);
}

KernelConfig sm90() {
  KernelConfig config;
  config.m_c = 32;
  config.m_r = 16;
  config.n_r = config.group_columns = 64;
  config.n_vec = 1;
  config.group_rows = 2;
  config.carry_levels = 1;
  return config;
}

// What opencl_bench measured on an H200, Tbit/s by sites, against the published traits.
TEST(KernelTime, AnH200IsPredictedWithinAFifth) {
  const DeviceTraits h200 = traits_for("NVIDIA H200");
  struct Measured {
    std::uint64_t queries, profiles;
    std::uint32_t sites;
    double tbits;
  };
  for (const Measured& m : {Measured{32, 20'000'000, 128, 116}, Measured{32, 20'000'000, 256, 147},
                            Measured{32, 20'000'000, 512, 172}, Measured{32, 20'000'000, 1024, 189},
                            Measured{512, 20'000'000, 256, 147}, Measured{2048, 20'000'000, 1024, 189},
                            Measured{16384, 16384, 10240, 201}}) {
    const Workload work{m.queries, m.profiles, m.sites};
    const double seconds = compare_seconds(sm90(), h200, work);
    EXPECT_NEAR(work.bits() / seconds / 1e12 / m.tbits, 1, 0.2) << m.queries << " x " << m.sites;
  }
}

TEST(KernelTime, FullAddersGainWhereThePopcountIsSlowAndNotWhereItIsFast) {
  const Workload work{32, 1'000'000, 1024};
  EXPECT_EQ(model_shape(traits_for("NVIDIA H200"), work).carry_levels, 1u);
  EXPECT_EQ(model_shape(traits_for("Radeon RX Vega 64"), work).carry_levels, 0u);
}

TEST(KernelTime, OneQueryCostsAsMuchAsARowBlock) {
  const DeviceTraits h200 = traits_for("NVIDIA H200");
  const double one = compare_seconds(sm90(), h200, Workload{1, 1'000'000, 1024});
  EXPECT_DOUBLE_EQ(one, compare_seconds(sm90(), h200, Workload{32, 1'000'000, 1024}));
  EXPECT_GT(compare_seconds(sm90(), h200, Workload{33, 1'000'000, 1024}), 1.9 * one);
}

TEST(KernelTime, ASlowMemoryBounds) {
  DeviceTraits slow = traits_for("NVIDIA H200");
  slow.memory_rate.learn(50e9, Source::kMeasured);
  EXPECT_NEAR(compare_seconds(sm90(), slow, Workload{32, 20'000'000, 1024}), 2.56e9 / 50e9, 1e-9);
  EXPECT_NEAR(compare_seconds(sm90(), slow, Workload{64, 20'000'000, 1024}), 2 * 2.56e9 / 50e9, 1e-9);
}

// A word is a popcount, and an AND and an ADD of one pipe; a pair's start and test are 6 operations.
TEST(KernelTime, APairTakesItsWordsAndItsStart) {
  DeviceTraits device;
  device.clock_mhz.learn(1000, Source::kKnown);
  device.compute_units.learn(10, Source::kKnown);
  device.popcounts.learn(16, Source::kKnown);
  device.ands.learn(64, Source::kKnown);
  KernelConfig config;
  config.m_c = 64;
  const double clocks = 32 * std::pow(std::pow(1 / 16.0, 4) + std::pow(2 / 64.0, 4), 0.25) + 6 / 64.0;
  EXPECT_NEAR(compare_seconds(config, device, Workload{64, 1'000'000, 1024}), 64e6 * clocks / 1e10, 1e-9);
}

// So that a device without a measured rate can be held against others all the same.
TEST(KernelTime, ADeviceOfWhichNothingIsKnownIsTakenForTheLeast) {
  KernelConfig config;
  config.m_c = 16;
  EXPECT_NEAR(compare_seconds(config, {}, Workload{16, 1'000'000, 1024}), 16e6 * 32 / (1e9 * 4), 1e-9);
  DeviceTraits larger;
  larger.compute_units.learn(10, Source::kQueried);
  larger.clock_mhz.learn(2000, Source::kQueried);
  EXPECT_NEAR(compare_seconds(config, larger, Workload{16, 1'000'000, 1024}), 16e6 * 32 / (2e10 * 4), 1e-9);
}

TEST(KernelTime, AMeasuredRateIsBelievedBeforeThePipes) {
  KernelConfig config = sm90();
  config.rate_popcount = 200'000;
  config.start_popcount = 256;
  config.matrix = 2;
  const DeviceTraits h200 = traits_for("NVIDIA H200");
  const Workload work{33, 1'000'000, 1024};  // fills up to 64
  EXPECT_NEAR(compare_seconds(config, h200, work), 1e6 * 64 * 1280 / 200e12, 1e-9);
  config.rate_matrix = 2'000'000;
  config.start_matrix = 256;
  EXPECT_NEAR(compare_seconds(config, h200, work), 1e6 * 48 * 1280 / 2000e12, 1e-9);  // to 48
  config.matrix = 0;
  EXPECT_NEAR(compare_seconds(config, h200, work), 1e6 * 64 * 1280 / 200e12, 1e-9);
}

TEST(KernelTime, AProfileTakesTheLongerOfReadingAndComparingIt) {
  KernelConfig config;
  config.rate_popcount = 100;
  config.start_popcount = 10;
  const KernelWork work{.profiles = 2, .rows = 10, .sites = 90, .bytes = 400};
  DeviceTraits device;
  EXPECT_DOUBLE_EQ(compare_seconds(config, device, work), 20e-9);
  device.memory_rate.learn(80e9, Source::kMeasured);
  EXPECT_DOUBLE_EQ(compare_seconds(config, device, work), 20e-9);
  device.memory_rate.learn(20e9, Source::kMeasured);
  EXPECT_DOUBLE_EQ(compare_seconds(config, device, work), 40e-9);
}

}  // namespace
}  // namespace fastid::model
