// Configs of the user's own: found before the program's, replaced and not doubled, and never in the way when
// they are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "model/registry.hpp"
#include "support/config_text.hpp"
#include "support/temp_folder.hpp"

namespace fastid::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UserConfigs : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const before = std::getenv("XDG_CONFIG_HOME");
    before_ = before == nullptr ? "" : before;
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    std::filesystem::create_directories(user_config_folder());
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("XDG_CONFIG_HOME");
    else
      setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
  }

  void write(const std::string& name, const std::string& text) const {
    folder_.write("fastid/configs/" + name, text);
  }
  void write_config(const std::string& name) const {
    write(name + ".h", testing::config_with("generic", {{"CONFIG_NAME", "\"" + name + "\""}}));
  }
  static DeviceFacts device() {
    DeviceFacts facts;
    facts.device = "NVIDIA H200";
    facts.architecture = "sm_90";
    facts.vendor = "NVIDIA Corporation";
    facts.type = "GPU";
    facts.local_memory = 49152;
    facts.max_group_items = facts.max_group_columns = facts.max_group_rows = 1024;
    return facts;
  }
  static std::vector<std::string> chain() {
    std::vector<std::string> names;
    for (const ConfigLink& link : config_chain(device()))
      names.push_back((link.file.empty() ? "" : "own ") + link.config + (link.unfit.empty() ? "" : " unfit"));
    return names;
  }

  testing::TempFolder folder_;
  std::string before_;
};

TEST_F(UserConfigs, ComeBeforeTheProgramsOwn) {
  write_config("my_h200");
  write("registry.tsv", "# mine\ndevice\tnvidia h200\tmy_h200\n");
  EXPECT_THAT(chain(), ElementsAre("own my_h200", "nvidia_sm90", "nvidia_sm80", "generic"));
  const ConfigLink first = config_chain(device()).front();
  EXPECT_EQ(config_of(first).name, "my_h200");
  EXPECT_EQ(first.file, user_config_folder() + "/my_h200.h");
  EXPECT_EQ(config_of(config_chain(device())[1]).name, "nvidia_sm90");
}

TEST_F(UserConfigs, OfTheSameNameAreTheirOwn) {
  write_config("nvidia_sm90");
  write("registry.tsv", "architecture\tsm_9*\tnvidia_sm90\n");
  EXPECT_THAT(chain(), ElementsAre("own nvidia_sm90", "nvidia_sm90", "nvidia_sm80", "generic"));
}

TEST_F(UserConfigs, ThatAreDamagedOrGoneAreLeftOutWithTheReason) {
  write("broken.h", "#include \"/etc/passwd\"\n");
  write("registry.tsv", "device\t*H200\tbroken\ndevice\t*H200*\tgone\n");
  EXPECT_THAT(chain(),
              ElementsAre("own broken unfit", "own gone unfit", "nvidia_sm90", "nvidia_sm80", "generic"));
  EXPECT_THAT(config_chain(device()).front().unfit, HasSubstr("broken.h, line 1"));
}

TEST_F(UserConfigs, LinesThatAreNoneAreLeftOut) {
  write_config("good");
  write(
      "registry.tsv",
      "nonsense\n\t\t\ncolour\t*\tgood\ndevice\t*\t../../etc/passwd\ndevice\t*\t\ndevice\t*\tgood\textra\n");
  EXPECT_THAT(user_registry(), IsEmpty());
  EXPECT_THAT(chain(), ElementsAre("nvidia_sm90", "nvidia_sm80", "generic"));
}

TEST_F(UserConfigs, ARegistryThatIsNoTextIsNoFailure) {
  write("registry.tsv", std::string("\0\xff\x01\t\t\n", 6) + std::string(100'000, '\t'));
  EXPECT_THAT(chain(), ElementsAre("nvidia_sm90", "nvidia_sm80", "generic"));
  std::filesystem::remove(user_config_folder() + "/registry.tsv");
  std::filesystem::create_directory(user_config_folder() + "/registry.tsv");
  EXPECT_THAT(chain(), ElementsAre("nvidia_sm90", "nvidia_sm80", "generic"));
}

TEST_F(UserConfigs, ADevicesLineIsReplacedAndTheOthersStay) {
  write("registry.tsv", "device\tOther\tother\ndevice\tNVIDIA H200\told\n");
  write("registry.tsv", registry_with({"device", "NVIDIA H200", "tuned"}));
  const std::vector<RegistryLine> lines = user_registry();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].config, "tuned");
  EXPECT_EQ(lines[1].config, "other");
}

TEST_F(UserConfigs, ARegistryThatCannotBeReadIsNotReplaced) {
  write("registry.tsv", "device\tOther\tother\n" + std::string(2 << 20, '#'));
  EXPECT_THAT(user_registry(), IsEmpty());
  EXPECT_THROW(registry_with({"device", "NVIDIA H200", "tuned"}), InputError);
}

TEST_F(UserConfigs, WithoutAHomeThereAreNone) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  setenv("HOME", "", 1);
  EXPECT_EQ(user_config_folder(), "");
  EXPECT_THAT(user_registry(), IsEmpty());
  EXPECT_THAT(chain(), ElementsAre("nvidia_sm90", "nvidia_sm80", "generic"));
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace fastid::model
