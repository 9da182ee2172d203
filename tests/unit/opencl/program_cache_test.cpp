// The cache of built programs: what it gives back, and what it does not trust.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "opencl/kernel/programs.hpp"
#include "support/on_a_device.hpp"
#include "support/temp_folder.hpp"

namespace fastid::opencl {
namespace {

using testing::read_bytes;
using testing::TempFolder;

const std::string kKey(64, 'a');

// Sets a variable of the environment while it lives; null: it is not there.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value != nullptr ? setenv(name_, value, 1) : unsetenv(name_); }

  const char* name_;
  std::optional<std::string> old_;
};

TEST(ProgramCache, GivesBackWhatWasStoredForTheUserAlone) {
  const TempFolder home;
  const ProgramCache cache(home / "deep/programs");
  EXPECT_EQ(cache.load(kKey), std::nullopt);
  const std::string binary("\0line\nnext\xFF", 11);
  cache.store(kKey, binary);
  EXPECT_EQ(cache.load(kKey), binary);
  EXPECT_EQ(cache.load(std::string(64, 'b')), std::nullopt);
  cache.store(kKey, "newer");
  EXPECT_EQ(cache.load(kKey), "newer");
  struct stat info {};
  ASSERT_EQ(::stat((home / "deep/programs").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST(ProgramCache, NoByteOfAnEntryCanChangeUnnoticed) {
  const TempFolder home;
  const ProgramCache cache(home.path());
  ::chmod(home.path().c_str(), 0700);
  cache.store(kKey, "some machine code");
  const std::string whole = read_bytes(home / kKey);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    home.write(kKey, damaged);
    EXPECT_EQ(cache.load(kKey), std::nullopt) << "byte " << at;
    home.write(kKey, whole.substr(0, at));
    EXPECT_EQ(cache.load(kKey), std::nullopt) << "cut to " << at;
  }
  home.write(kKey, whole + "x");
  EXPECT_EQ(cache.load(kKey), std::nullopt);
  home.write(std::string(64, 'b'), whole);  // whole, but another program's
  EXPECT_EQ(cache.load(std::string(64, 'b')), std::nullopt);
  home.write(kKey, whole);
  EXPECT_EQ(cache.load(kKey), "some machine code");
}

TEST(ProgramCache, WhatOthersCouldHaveWrittenIsNotTrusted) {
  const TempFolder home;
  const ProgramCache cache(home.path());
  ::chmod(home.path().c_str(), 0700);
  cache.store(kKey, "code");
  ::chmod((home / kKey).c_str(), 0666);
  EXPECT_EQ(cache.load(kKey), std::nullopt);
  ::chmod((home / kKey).c_str(), 0600);
  EXPECT_EQ(cache.load(kKey), "code");
  ::chmod(home.path().c_str(), 0777);
  EXPECT_EQ(cache.load(kKey), std::nullopt);
  ::chmod(home.path().c_str(), 0700);
  std::filesystem::rename(home / kKey, home / "elsewhere");
  std::filesystem::create_symlink(home / "elsewhere", home / kKey);
  EXPECT_EQ(cache.load(kKey), std::nullopt);
}

TEST(ProgramCache, AFolderThatCannotBeWrittenIsNoError) {
  const TempFolder home;
  home.write("file", "");
  const ProgramCache below_a_file(home / "file/programs");
  below_a_file.store(kKey, "code");
  EXPECT_EQ(below_a_file.load(kKey), std::nullopt);
  const ProgramCache nowhere("");
  nowhere.store(kKey, "code");
  EXPECT_EQ(nowhere.load(kKey), std::nullopt);
  EXPECT_EQ(home.entries(), 1u);
}

TEST(ProgramCache, IsWhereTheEnvironmentSays) {
  const TempFolder home, cache;
  const Variable wanted("FASTID_NO_CACHE", nullptr), at_home("HOME", home.path().c_str());
  {
    const Variable xdg("XDG_CACHE_HOME", cache.path().c_str());
    ProgramCache::from_environment().store(kKey, "code");
    EXPECT_TRUE(std::filesystem::exists(cache / ("fastid/programs/" + kKey)));
  }
  {
    const Variable relative("XDG_CACHE_HOME", "relative");
    ProgramCache::from_environment().store(kKey, "code");
    EXPECT_TRUE(std::filesystem::exists(home / (".cache/fastid/programs/" + kKey)));
    EXPECT_EQ(ProgramCache::from_environment().load(kKey), "code");
    const Variable unwanted("FASTID_NO_CACHE", "1");
    EXPECT_EQ(ProgramCache::from_environment().load(kKey), std::nullopt);
  }
}

class BuiltPrograms : public testing::OnADevice {
 protected:
  void SetUp() override {
    OnADevice::SetUp();
    if (IsSkipped()) return;
    context_ = cl::Context(device_->device);
    ::chmod(home_.path().c_str(), 0700);
  }

  // What the program's kernel writes.
  cl_uint answer(const cl::Program& program) {
    const cl::CommandQueue queue(context_, device_->device);
    const cl::Buffer out(context_, CL_MEM_WRITE_ONLY, sizeof(cl_uint));
    cl::Kernel kernel(program, "answer");
    kernel.setArg(0, out);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
    cl_uint value = 0;
    queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof value, &value);
    return value;
  }

  cl::Program build(const ProgramSource& source) {
    return build_program(context_, device_->device, device_->facts, source, ProgramCache(home_.path()));
  }

  static ProgramSource saying(int value) {
    return {"__kernel void answer(__global uint *to) { *to = " + std::to_string(value) + "; }",
            "-cl-std=CL1.2", "answer"};
  }

  TempFolder home_;
  cl::Context context_;
};

TEST_F(BuiltPrograms, ComeOutOfTheCacheAndWork) {
  EXPECT_EQ(answer(build(saying(42))), 42u);
  const std::string entry = home_ / program_key(saying(42), device_->facts);
  ASSERT_TRUE(std::filesystem::exists(entry));
  const auto written = std::filesystem::last_write_time(entry);
  EXPECT_EQ(answer(build(saying(42))), 42u);
  EXPECT_EQ(std::filesystem::last_write_time(entry), written);  // not built anew
}

TEST_F(BuiltPrograms, AreBuiltAnewWhereTheEntryIsDamagedOrTheDriverRefusesIt) {
  const std::string key = program_key(saying(42), device_->facts);
  build(saying(42));
  const std::string good = read_bytes(home_ / key);
  home_.write(key, good.substr(0, good.size() / 2));
  EXPECT_EQ(answer(build(saying(42))), 42u);
  EXPECT_EQ(read_bytes(home_ / key).substr(0, 16), good.substr(0, 16));
  EXPECT_TRUE(ProgramCache(home_.path()).load(key));  // mended

  ProgramCache(home_.path()).store(key, "no machine code, but a whole entry");
  EXPECT_EQ(answer(build(saying(42))), 42u);
  const auto binary_of_other = [&] {
    build({"__kernel void other(__global uint *to) { *to = 1; }", "-cl-std=CL1.2", "other"});
    return ProgramCache(home_.path())
        .load(program_key({"__kernel void other(__global uint *to) { *to = 1; }", "-cl-std=CL1.2", "other"},
                          device_->facts));
  };
  ProgramCache(home_.path()).store(key, binary_of_other().value());
  EXPECT_EQ(answer(build(saying(42))), 42u);  // a program without the kernel
}

TEST_F(BuiltPrograms, HaveAKeyForEachThingThatMatters) {
  const ProgramSource source = saying(1);
  const std::string key = program_key(source, device_->facts);
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(program_key(source, device_->facts), key);
  const auto differs = [&](const std::function<void(ProgramSource&, model::DeviceFacts&)>& change) {
    ProgramSource other = source;
    model::DeviceFacts facts = device_->facts;
    change(other, facts);
    return program_key(other, facts) != key;
  };
  EXPECT_TRUE(differs([](ProgramSource& s, model::DeviceFacts&) { s.text += ' '; }));
  EXPECT_TRUE(differs([](ProgramSource& s, model::DeviceFacts&) { s.options += " -D X=1"; }));
  EXPECT_TRUE(differs([](ProgramSource& s, model::DeviceFacts&) {
    s.options.insert(0, 1, s.text.back()), s.text.pop_back();
  }));
  EXPECT_TRUE(differs([](ProgramSource&, model::DeviceFacts& f) { f.device += '2'; }));
  EXPECT_TRUE(differs([](ProgramSource&, model::DeviceFacts& f) { f.driver += '2'; }));
  EXPECT_TRUE(differs([](ProgramSource&, model::DeviceFacts& f) { f.platform_version += '2'; }));
}

TEST_F(BuiltPrograms, ThatDoNotBuildShowTheCompilersLog) {
  try {
    with_cl_errors("opencl:0.0", [&] {
      build({"__kernel void answer(void) { nonsense; }", "-cl-std=CL1.2", "answer"});
    });
    FAIL() << "it builds";
  } catch (const KernelBuildError& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("opencl:0.0: the kernel does not build"),
                                               ::testing::HasSubstr("nonsense")));
  }
}

}  // namespace
}  // namespace fastid::opencl
