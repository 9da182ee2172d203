// Databases of another program that kept the checksums but not the rules: bits past the last site or profile,
// and alleles where nothing was called. Engines rely on their absence.
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "db_testing.hpp"
#include "support/stray_bits.hpp"

namespace fastid::db {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr std::size_t kProfiles = 40, kSites = 70, kBlockWords = 3 * 32;
constexpr std::size_t kBlock = 1;  // profiles 32 to 39: lanes 8 and on are unused

class StrayBits : public ::testing::Test {
 protected:
  /// Person 33 (lane 1 of block 1) is not called at site 5.
  void SetUp() override {
    People people(kProfiles, std::string(kSites, '1'));
    people[33][5] = '-';
    build(path_, people);
  }
  /// Of block 1.
  void set_bit(bool in_called, std::size_t lane, std::size_t site) const {
    fastid::testing::set_stray_bit(path_, {kProfiles, kSites}, in_called, kBlock * kLanes + lane, site);
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
  set_bit(false, 0, 3);  // is set already
  EXPECT_EQ(problem(), "sound");
  EXPECT_EQ(refusal_to_read(), "read");
}

TEST_F(StrayBits, PastTheLastSiteAreSeenByReadAndVerify) {
  for (const bool in_called : {false, true})
    for (const std::size_t site : {kSites, std::size_t{95}}) {
      SetUp();
      set_bit(in_called, 7, site);
      EXPECT_EQ(problem(), "it has bits past the last site or the last profile") << site;
      EXPECT_THAT(refusal_to_read(),
                  HasSubstr("block 1 (profiles 32 to 39): it has bits past the last site"));
    }
}

TEST_F(StrayBits, PastTheLastProfileAreSeenByVerify) {
  for (const bool in_called : {false, true}) {
    SetUp();
    set_bit(in_called, 8, 0);
    EXPECT_EQ(problem(), "it has bits past the last site or the last profile");
  }
}

TEST_F(StrayBits, WhereNothingWasCalledAreSeenByReadAndVerify) {
  set_bit(false, 1, 5);
  EXPECT_EQ(problem(), "it has alleles at sites that were not called");
  EXPECT_THAT(refusal_to_read(),
              HasSubstr("block 1 (profiles 32 to 39): it has alleles at sites that were not"));
}

}  // namespace
}  // namespace fastid::db
