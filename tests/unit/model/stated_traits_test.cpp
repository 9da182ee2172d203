// What is known of a device by its config, its driver and the table.
#include "model/stated_traits.hpp"

#include <gtest/gtest.h>

#include "model/registry.hpp"
#include "model/transfer.hpp"

namespace fastid::model {
namespace {

TEST(StatedTraits, TakesTheHardwareNumbersInTheirUnitsAndNotTheShapes) {
  KernelConfig config = embedded_config("nvidia_sm90");
  config.hw_upload_ns = 16'000;
  config.hw_startup_ms = 350;
  const DeviceTraits traits = traits_of(config, Source::kMeasured);
  EXPECT_DOUBLE_EQ(traits.upload_pinned.value, 55e9);
  EXPECT_DOUBLE_EQ(traits.upload_seconds.value, 16e-6);
  EXPECT_DOUBLE_EQ(traits.startup_seconds.value, 0.35);
  EXPECT_EQ(traits.upload_pinned.source, Source::kMeasured);
  EXPECT_FALSE(traits.local_bytes.known());  // part of the shape
  EXPECT_FALSE(traits.upload_pageable.known());
}

TEST(StatedTraits, ALinkOfWhichNothingIsKnownIsTakenForASlowOne) {
  const DeviceTraits unknown = run_traits({}, nullptr, true);
  EXPECT_DOUBLE_EQ(unknown.upload_pinned.value, kUnknownUpload);
  EXPECT_DOUBLE_EQ(unknown.upload_seconds.value, kUnknownUploadSeconds);
  const KernelConfig config = embedded_config("nvidia_sm90");
  EXPECT_DOUBLE_EQ(run_traits({}, &config, true).upload_pinned.value, 55e9);
  EXPECT_EQ(run_traits({}, &config, false).upload_pinned.value, 0);
}

TEST(StatedTraits, AConfigIsBelievedBeforeTheDriverAndThatBeforeTheTable) {
  DeviceFacts facts;
  facts.device = "NVIDIA H200";
  facts.clock_mhz = 1500;
  KernelConfig config;
  config.hw_memory_mbytes = 4'400'000;
  const DeviceTraits traits = run_traits(facts, &config, true);
  EXPECT_EQ(traits.popcounts.value, 16);
  EXPECT_EQ(traits.compute_units.value, 132);
  EXPECT_EQ(traits.clock_mhz.value, 1500);
  EXPECT_DOUBLE_EQ(traits.memory_rate.value, 4.4e12);
  config.hw_clock_mhz = 1400;
  EXPECT_EQ(run_traits(facts, &config, true).clock_mhz.value, 1400);
}

}  // namespace
}  // namespace fastid::model
