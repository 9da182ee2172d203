// Who is of a missing member's paternal and maternal line.
#include "questions/kin/family_lines.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/temp_folder.hpp"

namespace fastid::kin {
namespace {

class FamilyLinesTest : public ::testing::Test {
 protected:
  void read(const std::string& text) { family_ = asking::read_family(folder_.write("family", text)); }

  /// The name of who is nearest among `typed`; "-" for nobody.
  std::string nearest(Lineage line, std::string_view from, const std::set<std::string>& typed) const {
    const auto found = nearest_of_line(family_, line, *family_.find(from), [&](std::size_t person) {
      return typed.contains(family_.people[person].name);
    });
    return found ? family_.people[*found].name : "-";
  }

  testing::TempFolder folder_;
  asking::FamilyFile family_;
};

constexpr const char* kFamily =
    "F missing father mother 1 0\n"
    "F sister father mother 2 0\n"
    "F brother father mother 1 0\n"
    "F nephew brother stranger 1 0\n"
    "F niece_of_sister brother_in_law sister 2 0\n"
    "F father grandfather grandmother 1 0\n"
    "F mother grandfather_m grandmother_m 2 0\n"
    "F uncle grandfather grandmother 1 0\n"
    "F cousin uncle aunt_in_law 1 0\n"
    "F uncle_m grandfather_m grandmother_m 1 0\n"
    "F daughter missing wife 2 0\n"
    "F son missing wife 1 0\n";

TEST_F(FamilyLinesTest, FollowYFromFatherToSon) {
  read(kFamily);
  EXPECT_EQ(nearest(Lineage::kPaternal, "missing", {"cousin", "uncle", "nephew"}), "nephew")
      << "as many births away as the uncle is, and named first";
  EXPECT_EQ(nearest(Lineage::kPaternal, "missing", {"cousin", "uncle"}), "uncle");
  EXPECT_EQ(nearest(Lineage::kPaternal, "missing", {"cousin"}), "cousin");
  EXPECT_EQ(nearest(Lineage::kPaternal, "missing", {"grandfather", "son"}), "son");
  EXPECT_EQ(
      nearest(Lineage::kPaternal, "missing", {"mother", "uncle_m", "grandfather_m", "sister", "daughter"}),
      "-")
      << "neither women nor men of another line";
  EXPECT_EQ(nearest(Lineage::kPaternal, "sister", {"father", "brother"}), "-") << "a woman has no Y";
}

TEST_F(FamilyLinesTest, FollowMFromMotherToChild) {
  read(kFamily);
  EXPECT_EQ(nearest(Lineage::kMaternal, "missing", {"sister", "uncle_m", "grandmother_m"}), "sister");
  EXPECT_EQ(nearest(Lineage::kMaternal, "missing", {"niece_of_sister", "uncle_m"}), "niece_of_sister");
  EXPECT_EQ(nearest(Lineage::kMaternal, "missing", {"uncle_m", "father", "son", "daughter"}), "uncle_m")
      << "neither the father nor a man's children";
  EXPECT_EQ(nearest(Lineage::kMaternal, "missing", {"father", "son", "daughter", "grandmother"}), "-");
  EXPECT_EQ(nearest(Lineage::kMaternal, "sister", {"missing", "niece_of_sister"}), "niece_of_sister");
}

TEST_F(FamilyLinesTest, AreFollowedWhereSexesAreNotKnown) {
  read("missing father mother\nother father 0\n");
  EXPECT_EQ(nearest(Lineage::kPaternal, "missing", {"other"}), "other");
  EXPECT_EQ(nearest(Lineage::kMaternal, "missing", {"other"}), "-");
}

}  // namespace
}  // namespace fastid::kin
