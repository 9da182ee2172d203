// kernels/config_check.h: that the device's compiler and the reader of configs refuse the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/embedded.hpp"
#include "opencl/devices.hpp"
#include "support/broken_configs.hpp"

namespace fastid::opencl {
namespace {

using ::testing::HasSubstr;

TEST(ConfigCheck, TheDevicesCompilerRefusesWhatTheReaderRefuses) {
  const auto devices = find_opencl_devices();
  if (devices.empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
  const cl::Context context(devices.front().device);
  const auto log_of = [&](const std::string& config) {
    cl::Program program(context, config + std::string(embedded_text("kernels/config_check.h")) +
                                     "__kernel void nothing(void) {}\n");
    try {
      program.build({devices.front().device}, "-cl-std=CL1.2");
    } catch (const cl::BuildError& error) {
      return error.getBuildLog().front().second;
    }
    return std::string("it builds");
  };
  EXPECT_EQ(log_of(std::string(embedded_text("configs/generic.h"))), "it builds");
  EXPECT_EQ(log_of(testing::matrix_with("MATRIX_TILES", "2")), "it builds");
  for (const testing::Broken& broken : testing::kBroken)
    EXPECT_THAT(log_of(testing::generic_with(broken.name, broken.value)), HasSubstr(broken.reason))
        << broken.name << " " << broken.value;
  for (const testing::Broken& broken : testing::kBrokenMatrix)
    EXPECT_THAT(log_of(testing::matrix_with(broken.name, broken.value)), HasSubstr(broken.reason))
        << broken.name << " " << broken.value;
}

}  // namespace
}  // namespace fastid::opencl
