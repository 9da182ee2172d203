// Finding devices and naming them. That the engine counts right is the conformance test's business.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/config_text.hpp"
#include "support/temp_folder.hpp"

namespace fastid::opencl {
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
  std::vector<model::DeviceFacts> devices_;
};

TEST_F(OpenClDevices, SayWhatTheyAre) {
  for (const model::DeviceFacts& device : devices_) {
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
  const model::DeviceFacts& last = devices_.back();
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
                      HasSubstr(printable(devices_.front().device))));
}

TEST_F(OpenClDevices, TilesKeepToTheUsersMemoryAndTile) {
  const ProfileRows query(1, 1024);
  const engine::Problem problem{engine::Comparison::kIdentity, &query, {10'000'000, 1024}, true};
  const engine::WorkPlan plan = make_opencl_engine("", {.memory = std::uint64_t{1} << 20})->plan(problem);
  EXPECT_LE(plan.workers * plan.tile_blocks * 2 * problem.database.block_bytes(), std::size_t{1} << 20);
  EXPECT_EQ(make_opencl_engine("", {.tile_blocks = 3})->plan(problem).tile_blocks, 3u);
  EXPECT_EQ(make_opencl_engine("", {.memory = 1})->plan(problem).tile_blocks, 1u);
}

TEST_F(OpenClDevices, WorkersAreAsManyAsTheUserSays) {
  const ProfileRows query(1, 1024);
  const engine::Problem problem{engine::Comparison::kIdentity, &query, {10'000'000, 1024}, true};
  for (const std::size_t buffers : {1, 2, 3, 16})
    EXPECT_EQ(make_opencl_engine("", {.buffers = buffers})->plan(problem).workers, buffers);
  const engine::WorkPlan small =
      make_opencl_engine("", {})->plan({engine::Comparison::kIdentity, &query, {70, 1024}, false});
  EXPECT_LE(small.tile_blocks, 3u);
  EXPECT_LE(small.workers, 2u);
}

TEST_F(OpenClDevices, AUsersConfigIsTheOneInUse) {
  const testing::TempFolder folder;
  const ProfileRows query(1, 64);
  const engine::Problem problem{engine::Comparison::kIdentity, &query, {64, 64}, false};
  const auto with = [&](const std::string& number, const std::string& value) {
    return folder.write("mine.h", testing::config_with("generic", {{number, value}}));
  };
  const auto mine = make_opencl_engine("", {.config_file = with("CONFIG_NAME", "\"mine\"")});
  EXPECT_THAT(mine->description(), HasSubstr("config mine"));
  EXPECT_NE(mine->prepare(problem, {.workers = 0})->open_worker(2), nullptr);

  const std::string illegal = with("N_VEC", "5");
  EXPECT_THROW(make_opencl_engine("", {.config_file = illegal}), InputError);
  EXPECT_THROW(make_opencl_engine("", {.config_file = folder / "none.h"}), InputError);
}

TEST_F(OpenClDevices, AConfigThatTheDeviceCannotRunIsRefusedWithTheCure) {
  const testing::TempFolder folder;
  const std::size_t columns = devices_.front().max_group_items + 1;
  std::string text =
      "#define FASTID_CONFIG_NAME \"wide\"\n#define FASTID_M_C 4\n#define FASTID_K_C 2\n#define FASTID_M_R "
      "4\n"
      "#define FASTID_N_VEC 1\n#define FASTID_GROUP_ROWS 1\n#define FASTID_CARRY_LEVELS 0\n"
      "#define FASTID_POPCOUNT 1\n#define FASTID_HW_LOCAL_BYTES 32\n#define FASTID_HW_REG_WORDS 8\n";
  for (const char* name : {"N_R", "GROUP_COLUMNS"})
    text += "#define FASTID_" + std::string(name) + " " + std::to_string(columns) + "\n";
  const std::string wide = folder.write("wide.h", text);
  try {
    make_opencl_engine("", {.config_file = wide});
    FAIL() << "it runs";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("wide.h"), HasSubstr(std::to_string(columns)), HasSubstr("--config")));
  }
}

TEST_F(OpenClDevices, ATileThatTheDeviceCannotAllocateIsRefused) {
  const ProfileRows query(1, 1u << 20);
  const engine::Problem problem{engine::Comparison::kIdentity, &query, {1u << 31, 1u << 20}, false};
  const auto engine = make_opencl_engine("", {});
  const std::size_t too_many = devices_.front().max_allocation / problem.database.block_bytes() + 1;
  const auto queries = engine->prepare(problem, {.workers = 0});
  EXPECT_THROW(queries->open_worker(too_many), DeviceMemoryError);
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
}  // namespace fastid::opencl
