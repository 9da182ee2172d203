// Databases of another program that kept the checksums but not the rules: bits past the last site or profile,
// and alleles where nothing was called. Engines rely on their absence.
#include <gmock/gmock.h>
#include <hdf5.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "db_testing.hpp"

namespace fastid::db {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr std::size_t kProfiles = 40, kSites = 70, kBlockWords = 3 * 32;
constexpr std::size_t kBlock = 1;  // profiles 32 to 39: lanes 8 and on are unused

/// Reads or writes a whole dataset of the file.
template <class T>
void transfer(hid_t file, const char* name, hid_t type, std::vector<T>& values, bool write) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const herr_t done = write ? H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data())
                            : H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  EXPECT_GE(done, 0) << name;
  H5Dclose(dataset);
}

/// Sets one bit of a plane, and mends the checksum of its block.
void set_bit(const std::string& path, bool in_called, std::size_t lane, std::size_t site) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  std::vector<Word> bits(2 * kBlockWords), called(2 * kBlockWords);
  std::vector<std::uint64_t> sums(2);
  transfer(file, "/profiles/bits", H5T_NATIVE_UINT32, bits, false);
  transfer(file, "/profiles/called", H5T_NATIVE_UINT32, called, false);
  transfer(file, "/profiles/checksum", H5T_NATIVE_UINT64, sums, false);
  (in_called ? called : bits)[kBlock * kBlockWords + site / 32 * 32 + lane] |= Word{1} << site % 32;
  const std::size_t at = kBlock * kBlockWords, bytes = kBlockWords * sizeof(Word);
  sums[kBlock] = xxh3_64(&bits[at], bytes, &called[at], bytes);
  transfer(file, "/profiles/bits", H5T_NATIVE_UINT32, bits, true);
  transfer(file, "/profiles/called", H5T_NATIVE_UINT32, called, true);
  transfer(file, "/profiles/checksum", H5T_NATIVE_UINT64, sums, true);
  H5Fclose(file);
}

class StrayBits : public ::testing::Test {
 protected:
  /// Person 33 (lane 1 of block 1) is not called at site 5.
  void SetUp() override {
    People people(kProfiles, std::string(kSites, '1'));
    people[33][5] = '-';
    build(path_, people);
  }
  std::string problem() {
    const auto damage = verify(path_, 1, nullptr);
    if (damage.empty()) return "sound";
    EXPECT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].place, "block 1 (profiles 32 to 39)");
    return damage[0].problem;
  }
  std::string refusal_to_read() {
    const Reader db(path_);
    std::vector<Word> bits(2 * kBlockWords), called(2 * kBlockWords);
    try {
      db.read(0, 2, bits.data(), called.data());
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  }
  const Folder folder_;
  const std::string path_ = folder_ / "db.h5";
};

TEST_F(StrayBits, TheMendedChecksumHolds) {
  set_bit(path_, false, 0, 3);  // is set already
  EXPECT_EQ(problem(), "sound");
  EXPECT_EQ(refusal_to_read(), "read");
}

TEST_F(StrayBits, PastTheLastSiteAreSeenByReadAndVerify) {
  for (const bool in_called : {false, true})
    for (const std::size_t site : {kSites, std::size_t{95}}) {
      SetUp();
      set_bit(path_, in_called, 7, site);
      EXPECT_EQ(problem(), "it has bits past the last site or the last profile") << site;
      EXPECT_THAT(refusal_to_read(),
                  HasSubstr("block 1 (profiles 32 to 39): it has bits past the last site"));
    }
}

TEST_F(StrayBits, PastTheLastProfileAreSeenByVerify) {
  for (const bool in_called : {false, true}) {
    SetUp();
    set_bit(path_, in_called, 8, 0);
    EXPECT_EQ(problem(), "it has bits past the last site or the last profile");
  }
}

TEST_F(StrayBits, WhereNothingWasCalledAreSeenByReadAndVerify) {
  set_bit(path_, false, 1, 5);
  EXPECT_EQ(problem(), "it has alleles at sites that were not called");
  EXPECT_THAT(refusal_to_read(),
              HasSubstr("block 1 (profiles 32 to 39): it has alleles at sites that were not"));
}

}  // namespace
}  // namespace fastid::db
