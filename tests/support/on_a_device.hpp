/// \file
/// Tests that need an OpenCL device, whichever comes first, and are skipped where there is none.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "opencl/devices.hpp"

namespace fastid::testing {

/// A fixture that sets up more calls this one's SetUp() first, and returns where IsSkipped().
class OnADevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto devices = opencl::find_opencl_devices();
    if (devices.empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    device_ = devices.front();
  }
  std::optional<opencl::OpenClDevice> device_;
};

}  // namespace fastid::testing
