// What the model is told of a device.
#include "opencl/run_model.hpp"

#include <gtest/gtest.h>

#include "model/registry.hpp"
#include "model/transfer.hpp"

namespace fastid {
namespace {

using model::Source;

TEST(RunModel, TakesTheHardwareNumbersInTheirUnitsAndNotTheShapes) {
  KernelConfig config = embedded_config("nvidia_sm90");
  config.hw_upload_ns = 16'000;
  config.hw_startup_ms = 350;
  const model::DeviceTraits traits = traits_of(config, Source::kMeasured);
  EXPECT_DOUBLE_EQ(traits.upload_pinned.value, 55e9);
  EXPECT_DOUBLE_EQ(traits.upload_seconds.value, 16e-6);
  EXPECT_DOUBLE_EQ(traits.startup_seconds.value, 0.35);
  EXPECT_EQ(traits.upload_pinned.source, Source::kMeasured);
  EXPECT_FALSE(traits.local_bytes.known());  // part of the shape
  EXPECT_FALSE(traits.upload_pageable.known());
}

TEST(RunModel, ALinkOfWhichNothingIsKnownIsTakenForASlowOne) {
  const model::DeviceTraits unknown = run_traits(nullptr, true);
  EXPECT_DOUBLE_EQ(unknown.upload_pinned.value, model::kUnknownUpload);
  EXPECT_DOUBLE_EQ(unknown.upload_seconds.value, model::kUnknownUploadSeconds);
  const KernelConfig config = embedded_config("nvidia_sm90");
  EXPECT_DOUBLE_EQ(run_traits(&config, true).upload_pinned.value, 55e9);
  EXPECT_EQ(run_traits(&config, false).upload_pinned.value, 0);
}

TEST(RunModel, AWorkloadCountsThePlanesThatAreRead) {
  const ProfileRows queries(3, 100);
  const model::Workload work = workload_of({Comparison::kMixture, &queries, {7, 100}, true});
  EXPECT_EQ(work.queries, 3u);
  EXPECT_EQ(work.bytes(), 7 * 4 * 4 * 2);
}

}  // namespace
}  // namespace fastid
