// Rows of which only some sites are kept.
#include "bits/rows.hpp"

#include <gtest/gtest.h>

namespace fastid {
namespace {

ProfileRows two_rows() {
  ProfileRows rows(2, 40, Encoding::kAlleles);
  rows.set_seen(0, 0, kMinorSeen);
  rows.set_seen(0, 33, kBothSeen);
  rows.set_seen(1, 1, kMajorSeen);
  rows.set_seen(1, 39, kMinorSeen);
  return rows;
}

constexpr Word kKept[] = {0b1, Word{1} << 7};  // sites 0 and 39

TEST(ProfileRows, OnlySitesThatAreKeptStayCalled) {
  ProfileRows rows = two_rows();
  rows.keep_sites(kKept);
  ProfileRows expected(2, 40, Encoding::kAlleles);
  expected.set_seen(0, 0, kMinorSeen);
  expected.set_seen(1, 39, kMinorSeen);
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(rows.called_sites(0), 1u);
  EXPECT_EQ(rows.called_sites(1), 1u);
}

TEST(MaskedRow, EqualsTheRowThatKeepsTheSameSites) {
  const ProfileRows rows = two_rows();
  ProfileRows kept = rows;
  kept.keep_sites(kKept);
  for (std::size_t row = 0; row < 2; ++row) {
    const MaskedRow masked(rows.row(row), kKept);
    EXPECT_TRUE(std::ranges::equal(masked.view().bits, kept.row(row).bits));
    EXPECT_TRUE(std::ranges::equal(masked.view().called, kept.row(row).called));
    EXPECT_TRUE(std::ranges::equal(masked.view().major, kept.row(row).major));
  }
}

TEST(MaskedRow, OfARowWithoutMajorAllelesHasNone) {
  ProfileRows rows(1, 40, Encoding::kMinor);
  rows.set(0, 39, true);
  EXPECT_TRUE(MaskedRow(rows.row(0), kKept).view().major.empty());
}

}  // namespace
}  // namespace fastid
