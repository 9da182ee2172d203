// A scratch folder and all that is in it go away.
#include "base/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace fastid {
namespace {

TEST(ScratchFolder, GoesWithAllThatItHolds) {
  const testing::TempFolder parent;
  {
    ScratchFolder scratch(parent.path());
    std::ofstream(scratch.file("a")) << "1";
    std::filesystem::create_directory(scratch.path() + "/b");
    std::ofstream(scratch.path() + "/b/c") << "2";
    EXPECT_EQ(parent.entries(), 1u);
    EXPECT_EQ(scratch.file("a"), scratch.path() + "/a");
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    EXPECT_EQ(std::filesystem::status(scratch.path()).permissions() & others, std::filesystem::perms::none);
  }
  EXPECT_EQ(parent.entries(), 0u);
}

TEST(ScratchFolder, SaysWhereItCannotBe) {
  const testing::TempFolder parent;
  EXPECT_THROW(ScratchFolder(parent / "missing"), Failure);
}

}  // namespace
}  // namespace fastid
