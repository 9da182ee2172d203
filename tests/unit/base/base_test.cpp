// The base's pieces: text, checked sizes, hashes with published vectors, outputs that appear whole.
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>
#include <string>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/rare.hpp"
#include "base/text.hpp"
#include "support/temp_folder.hpp"

namespace fastid {
namespace {

namespace fs = std::filesystem;

class InFolder : public ::testing::Test {
 protected:
  const testing::TempFolder temporary_;
  const fs::path folder_ = temporary_.path();
  std::string text_of(const fs::path& path) { return testing::read_bytes(path); }
  std::size_t files() { return temporary_.entries(); }
};

TEST(Text, ParsesWholeNumbersOnly) {
  EXPECT_EQ(parse_number<std::uint32_t>("4294967295"), 4294967295u);
  for (const char* bad : {"", " 1", "1 ", "-1", "+1", "4294967296", "1x", "0x10"})
    EXPECT_FALSE(parse_number<std::uint32_t>(bad)) << bad;
  EXPECT_EQ(parse_number<double>("0.25"), 0.25);
  for (const char* bad : {"nan", "inf", "1e999", ""}) EXPECT_FALSE(parse_number<double>(bad)) << bad;
}

TEST(Text, SplitsKeepingEmptyPieces) {
  EXPECT_EQ(split("a,,b", ',').size(), 3u);
  EXPECT_EQ(split("", ',').size(), 1u);
  EXPECT_EQ(split_blanks(" a \t b ").size(), 2u);
  EXPECT_EQ(trim("\t a b\r"), "a b");
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(printable("a\x1b[31m\xff"), "a?[31m?");
}

TEST(Text, RoundsToUnitsAsPrintedTextDoes) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> number(-3000, 3000), small(-1e-3, 1e-3);
  std::size_t told = 0, all = 0;
  for (int i = 0; i < 20000; ++i)
    for (const double value : {number(random), small(random)})
      for (const int decimals : {0, 2, 4, 6}) {
        const auto units = decimal_units(value, decimals);
        ++all, told += units.has_value();
        if (!units) continue;
        const double printed = *parse_number<double>(fmt::format("{:.{}f}", value, decimals));
        EXPECT_EQ(static_cast<double>(*units) / std::pow(10, decimals), printed) << value;
      }
  EXPECT_GT(told, all * 98 / 100);
  for (const double value : {0.5, -2.5, 0.49999999999999994, 1e300, double{INFINITY}, double{NAN}})
    EXPECT_FALSE(decimal_units(value, 0)) << value;
  EXPECT_FALSE(
      decimal_units(1.00005, 4));  // whether that is above or below half way, a double cannot tell here
}

TEST(Rare, IsCopiedWithItsValue) {
  Rare<std::string> none, one = std::string("x");
  EXPECT_FALSE(none);
  Rare<std::string> copy = one;
  *copy += 'y';
  EXPECT_EQ(*one, "x");
  EXPECT_EQ(*copy, "xy");
  none = copy;
  EXPECT_EQ(none->size(), 2u);
  none = Rare<std::string>();
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(one.emplace(3, 'z'), "zzz");
  one = std::optional<std::string>();
  EXPECT_FALSE(one);
}

TEST(Text, AlignsCellsAndLeavesNoBlanksAtTheEnd) {
  EXPECT_EQ(aligned({{"a", "n", "b"}, {"long", "12", "of"}, {"c", "3", ""}}, {true, false, true}, "  "),
            "a      n  b\n"
            "long  12  of\n"
            "c      3\n");
  EXPECT_EQ(aligned({}, {true}, " "), "");
}

TEST(Checked, RefusesWhatDoesNotFit) {
  EXPECT_EQ(checked_mul<std::size_t>(3, 4), 12u);
  EXPECT_THROW(checked_mul<std::uint64_t>(UINT64_MAX / 2, 3), Failure);
  EXPECT_THROW(checked_add<std::uint64_t>(UINT64_MAX, 1), Failure);
  EXPECT_THROW(narrow<std::uint32_t>(std::uint64_t{1} << 32), Failure);
  EXPECT_THROW(narrow<std::uint32_t>(-1), Failure);
  EXPECT_EQ(ceil_div<std::uint64_t>(UINT64_MAX, 2), (UINT64_MAX / 2) + 1);
}

TEST_F(InFolder, HashesEqualPublishedVectors) {
  Sha256 sha;
  sha.update("abc");
  EXPECT_EQ(sha.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::ofstream(folder_ / "empty").flush();
  EXPECT_EQ(sha256_of_file(folder_ / "empty"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex64(xxh3_64(nullptr, 0)), "2d06800538d394c2");  // xxHash's own test vector for no input
  const std::string text(1000, 'x');
  EXPECT_EQ(xxh3_64(text.data(), 1000), xxh3_64(text.data(), 300, text.data() + 300, 700));
}

#if defined(__x86_64__)
/// The parts of the vector registers that a thread has in use (XINUSE); bits 2 and 6 are the upper halves.
[[gnu::target("xsave")]] std::uint64_t registers_in_use() {
  return _xgetbv(1);
}

TEST(Hash, LeavesTheUpperHalvesOfVectorRegistersClear) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__builtin_cpu_supports("avx") || __get_cpuid_count(0xD, 1, &a, &b, &c, &d) == 0 || (a & 4) == 0)
    GTEST_SKIP() << "this CPU has no such halves, or does not say";
  constexpr std::uint64_t kUpperHalves = 1 << 2 | 1 << 6;
  const std::string text(4096, 'x');
  xxh3_64(text.data(), text.size());
  EXPECT_EQ(registers_in_use() & kUpperHalves, 0u) << "or floating point is slow from then on";
  xxh3_64(text.data(), text.size(), text.data(), text.size());
  EXPECT_EQ(registers_in_use() & kUpperHalves, 0u);
}
#endif

TEST_F(InFolder, OutputAppearsWholeOrNotAtAll) {
  const fs::path target = folder_ / "out.tsv";
  {
    OutputFile out(target);
    out.write("half");
    EXPECT_FALSE(fs::exists(target));
  }
  EXPECT_EQ(files(), 0u);
  OutputFile out(target);
  out.write("whole\n");
  out.commit();
  EXPECT_EQ(text_of(target), "whole\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(InFolder, AFailedRunLeavesTheOldOutputAlone) {
  const fs::path target = folder_ / "out.tsv";
  std::ofstream(target) << "old";
  { OutputFile(target).write("new"); }
  EXPECT_EQ(text_of(target), "old");
}

TEST_F(InFolder, OutputReplacesWhatALinkPointsToAndNotTheLink) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink("real", folder_ / "link");
  OutputFile out(folder_ / "link");
  out.write("new");
  out.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "real"), "new");
}

TEST_F(InFolder, DevicesAreWrittenDirectlyAndAFullOneIsAnError) {
  OutputFile null("/dev/null");
  null.write("x");
  null.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  OutputFile full("/dev/full");
  full.write("x");
  EXPECT_THROW(full.commit(), Failure);
  EXPECT_THROW(OutputFile(folder_ / "no" / "such"), Failure);
}

TEST_F(InFolder, ReadingPastTheEndNamesTheByte) {
  std::ofstream(folder_ / "short") << "12345";
  const FileDescriptor file = open_for_reading(folder_ / "short");
  char buffer[8];
  try {
    read_at(file.get(), buffer, 8, 0, "short");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("byte 5"), std::string::npos) << error.what();
  }
  EXPECT_THROW(open_for_reading(folder_), InputError);
  EXPECT_THROW(open_for_reading(folder_ / "none"), InputError);
}

TEST(Process, SaysWhatItTook) {
  EXPECT_GE(available_cpus(), 1u);
  const std::uint64_t before = peak_memory_bytes();
  const std::vector<char> held(std::size_t{64} << 20, 'x');
  EXPECT_GE(peak_memory_bytes(), before + (std::uint64_t{48} << 20)) << held.size();
}

TEST(Clock, HonoursSourceDateEpoch) {
  ::setenv("SOURCE_DATE_EPOCH", "0", 1);
  EXPECT_EQ(utc_now(), "1970-01-01T00:00:00Z");
  ::unsetenv("SOURCE_DATE_EPOCH");
}

}  // namespace
}  // namespace fastid
