// What `fastid devices` warns of, and what it adds to a device's traits.
#include "opencl/device_survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fastid::opencl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of(const model::DeviceFacts& facts,
                                     const model::KernelConfig* config = nullptr,
                                     const std::string& tuned = "") {
  return device_warnings(facts, config, tuned);
}

TEST(DeviceWarnings, SayWhatIsWrongAndNothingElse) {
  model::DeviceFacts gpu;
  gpu.type = "GPU";
  gpu.vendor = "NVIDIA Corporation";
  gpu.version = "OpenCL 3.0 CUDA";
  gpu.driver = "580.159.04";
  EXPECT_THAT(warnings_of(gpu), IsEmpty());
  EXPECT_THAT(warnings_of(gpu, nullptr, "580.159.04"), IsEmpty());
  EXPECT_THAT(warnings_of(gpu, nullptr, "535.1"), ElementsAre(HasSubstr("fastid tune")));
  gpu.driver = "390.48";
  EXPECT_THAT(warnings_of(gpu), ElementsAre(HasSubstr("driver 390.48 is old")));
  gpu.driver = "580.1";
  gpu.version = "OpenCL 1.1 whatever";
  EXPECT_THAT(warnings_of(gpu), ElementsAre(HasSubstr("OpenCL 1.1")));
  gpu.version = "strange";
  EXPECT_THAT(warnings_of(gpu), IsEmpty());
  gpu.type = "CPU";
  EXPECT_THAT(warnings_of(gpu), ElementsAre(HasSubstr("--device cpu")));
}

TEST(DeviceWarnings, PinnedMemoryThatIsNoFasterIsNone) {
  model::DeviceFacts gpu;
  gpu.type = "GPU";
  model::KernelConfig config;
  config.hw_upload_mbytes = 6100;
  config.hw_pageable_mbytes = 6000;
  EXPECT_THAT(warnings_of(gpu, &config), ElementsAre(HasSubstr("no pinned memory")));
  config.hw_upload_mbytes = 12000;
  EXPECT_THAT(warnings_of(gpu, &config), IsEmpty());
  config.hw_upload_mbytes = 6100;
  gpu.unified_memory = true;
  EXPECT_THAT(warnings_of(gpu, &config), IsEmpty());
}

TEST(DeviceWarnings, TheDriverOfATunedHeaderIsReadBack) {
  EXPECT_EQ(driver_of_header("/* configs/x.h: y.\n * Driver 1.2.3, OpenCL 3.0.\n */"), "1.2.3");
  EXPECT_EQ(driver_of_header("/* by hand */"), "");
}

TEST(DeviceSurvey, ATunedConfigAddsWhatWasMeasuredAndAnotherDoesNot) {
  model::KernelConfig config;
  config.hw_popcounts = 15;
  config.hw_upload_mbytes = 55000;
  model::DeviceTraits traits;
  traits.popcounts.learn(16, model::Source::kKnown);
  config.origin = "model";
  learn_measured(config, traits);
  EXPECT_EQ(traits.popcounts.value, 16);
  config.origin = "tuned";
  learn_measured(config, traits);
  EXPECT_EQ(traits.popcounts.value, 15);
  EXPECT_EQ(traits.popcounts.source, model::Source::kMeasured);
  EXPECT_DOUBLE_EQ(traits.upload_pinned.value, 55e9);
  EXPECT_FALSE(traits.banks.known());
}

}  // namespace
}  // namespace fastid::opencl
