// Finding devices and naming them. That the engine counts right is the conformance test's business.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of(const std::string& selector) {
  try {
    make_opencl_engine(selector, {});
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

class OpenClDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    devices_ = list_opencl_devices();
    if (devices_.empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }
  std::vector<DeviceFacts> devices_;
};

TEST_F(OpenClDevices, SayWhatTheyAre) {
  for (const DeviceFacts& device : devices_) {
    SCOPED_TRACE(device.selector);
    EXPECT_FALSE(device.platform.empty());
    EXPECT_FALSE(device.device.empty());
    EXPECT_THAT(device.version, HasSubstr("OpenCL"));
    EXPECT_FALSE(device.driver.empty());
    EXPECT_THAT(device.type, ::testing::AnyOf("GPU", "CPU", "accelerator", "other"));
    EXPECT_GT(device.compute_units, 0u);
    EXPECT_GE(device.global_memory, device.max_allocation);
    EXPECT_GT(device.max_allocation, 0u);
    EXPECT_GT(device.local_memory, 0u);
  }
}

TEST_F(OpenClDevices, AreFoundByIndexAndByNameInAnyCase) {
  const DeviceFacts& last = devices_.back();
  EXPECT_EQ(make_opencl_engine(last.selector, {})->name(), "opencl:" + last.selector);
  std::string name = devices_.front().platform;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto engine = make_opencl_engine(name, {});
  EXPECT_EQ(engine->name(), "opencl:" + devices_.front().selector);
  EXPECT_THAT(engine->description(), HasSubstr(devices_.front().platform));
}

TEST_F(OpenClDevices, UnknownOnesAreRefusedWithThoseThereAre) {
  for (const char* selector : {"no such maker", "99.0", "0.99"})
    EXPECT_THAT(message_of(selector),
                AllOf(HasSubstr(selector), HasSubstr("opencl:" + devices_.front().selector),
                      HasSubstr(devices_.front().device)));
}

TEST_F(OpenClDevices, TilesKeepToTheUsersMemoryAndTile) {
  const ProfileRows query(1, 1024);
  const Problem problem{Comparison::kIdentity, &query, {10'000'000, 1024}, true};
  const LanePlan plan = make_opencl_engine("", {.memory = std::uint64_t{1} << 20})->plan(problem);
  EXPECT_LE(plan.lanes * plan.tile_blocks * 2 * problem.database.block_bytes(), std::size_t{1} << 20);
  EXPECT_EQ(make_opencl_engine("", {.tile_blocks = 3})->plan(problem).tile_blocks, 3u);
  EXPECT_EQ(make_opencl_engine("", {.memory = 1})->plan(problem).tile_blocks, 1u);
}

TEST_F(OpenClDevices, ATileThatTheDeviceCannotAllocateIsRefused) {
  const ProfileRows query(1, 1u << 20);
  const Problem problem{Comparison::kIdentity, &query, {1u << 31, 1u << 20}, false};
  const auto engine = make_opencl_engine("", {});
  const std::size_t too_many = devices_.front().max_allocation / problem.database.block_bytes() + 1;
  EXPECT_THROW(engine->open_lane(problem, too_many), DeviceError);
}

// In a process of its own: the loader looks for drivers once.
TEST(OpenClDevicesDeathTest, WithoutADriverTheCureIsNamed) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("OCL_ICD_VENDORS", "/nonexistent-vendors", 1);
        const bool none = list_opencl_devices().empty();
        std::fputs(message_of("").c_str(), stderr);
        std::_Exit(none ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "pocl-opencl-icd.*--device cpu");
}

}  // namespace
}  // namespace fastid
