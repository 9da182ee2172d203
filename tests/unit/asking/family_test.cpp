// Family files: what they say, and what is refused with its line.
#include "asking/family.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::asking {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FamilyTest : public ::testing::Test {
 protected:
  FamilyFile read(const std::string& text) { return read_family(folder_.write("family", text)); }
  /// The message without the folder.
  std::string refused(const std::string& text) {
    const std::string message = testing::refusal([&] { read(text); });
    const std::size_t at = message.find("/family");
    return at == std::string::npos ? message : message.substr(at + 1);
  }
  /// "person father mother", "-" for a parent who is not listed.
  static std::string line(const FamilyFile& family, std::size_t person) {
    const auto name = [&](const std::optional<std::size_t>& parent) {
      return parent ? family.people[*parent].name : "-";
    };
    const Person& of = family.people[person];
    return of.name + " " + name(of.father) + " " + name(of.mother);
  }

  testing::TempFolder folder_;
};

TEST_F(FamilyTest, HasThreeColumns) {
  const std::string text =
      "\xEF\xBB\xBF# mine\n\n  child \t father mother\r\nfather 0 granny\n# end\nother 0 0";
  const FamilyFile family = read(text);
  ASSERT_EQ(family.people.size(), 5u);
  EXPECT_EQ(line(family, 0), "child father mother");
  EXPECT_EQ(line(family, 1), "father - granny");
  EXPECT_EQ(line(family, 2), "mother - -") << "no line of her own: a founder";
  EXPECT_EQ(line(family, 3), "granny - -");
  EXPECT_EQ(family.find("other"), 4u);
  EXPECT_EQ(family.find("nobody"), std::nullopt);
  EXPECT_EQ(family.sha256, sha256_of_file(family.path));
}

TEST_F(FamilyTest, KnowsSexesByRoleAndByThePed) {
  const FamilyFile three = read("child father mother\n");
  EXPECT_EQ(three.people[0].sex, std::nullopt);
  EXPECT_EQ(three.people[1].sex, Sex::kMale);
  EXPECT_EQ(three.people[2].sex, Sex::kFemale);
  const FamilyFile ped = read("F son 0 0 1 0\nF daughter 0 0 2 0\nF other 0 0 0 0\nF child son 0 -9 0\n");
  EXPECT_EQ(ped.people[0].sex, Sex::kMale);
  EXPECT_EQ(ped.people[1].sex, Sex::kFemale);
  EXPECT_EQ(ped.people[2].sex, std::nullopt);
}

TEST_F(FamilyTest, OrIsPed) {
  const FamilyFile family =
      read("F child father mother 2 1 A A\nF father 0 0 1 -9\nG single 0 0 other 0 comment\n");
  EXPECT_EQ(line(family, 0), "child father mother");
  EXPECT_EQ(family.people[2].family, "F") << "a founder without a line is of the child's family";
  EXPECT_EQ(family.people[3].family, "G");
}

TEST_F(FamilyTest, RefusesColumnsThatAreNone) {
  EXPECT_THAT(refused("a b\n"), StartsWith("family, line 1: has 2 columns; write person, father and mother"));
  EXPECT_THAT(refused("#\na b c\nF a b c 1 1\n"),
              StartsWith("family, line 3: has 6 columns, unlike the lines"));
  EXPECT_THAT(refused("F a b c 1 1\nF d b c 1\n"), StartsWith("family, line 2: has 5 columns, unlike"));
  EXPECT_THAT(refused("\n# nothing\n"), StartsWith("family: names no person;"));
  EXPECT_THAT(refused(std::string(2 << 20, 'a')), HasSubstr("is longer than 1048576 bytes"));
}

// As GATK, bcbio, gemini, R and spreadsheets write it.
TEST_F(FamilyTest, NobodyHasManyNames) {
  for (const std::string nobody : {"0", "-9", ".", "NA", "na", "NaN", "None", ""}) {
    const FamilyFile family =
        read("F\tson\t" + nobody + "\tmum\t1\t2\nF\tdau\t" + nobody + "\t" + nobody + "\t2\t2\n");
    EXPECT_EQ(line(family, 0), "son - mum") << nobody;
    EXPECT_EQ(line(family, 2), "dau - -") << nobody;
  }
  EXPECT_THAT(refused("NA a b"), StartsWith("family, line 1: a person is called NA"));
}

TEST_F(FamilyTest, TellsPeopleOfOneNameApartByTheirFamilies) {
  const FamilyFile family = read("FA 1 2 3 1 0\nFA 2 0 0 1 0\nFB 1 2 4 1 0\n");
  EXPECT_EQ(line(family, 0), "FA:1 FA:2 3");
  EXPECT_EQ(line(family, 3), "FB:1 FB:2 4");
}

TEST_F(FamilyTest, NamesATextInUtf16) {
  EXPECT_THAT(refused(std::string("\xFF\xFE"
                                  "a\0 \0",
                                  6)),
              HasSubstr("UTF-16"));
}

TEST_F(FamilyTest, RefusesNamesThatAreNone) {
  for (const std::string name : {"\x01", "\xff\xfe", "a\xe2\x80\xaex"})
    EXPECT_THAT(refused("a 0 0\n" + name + " 0 0\n"),
                EndsWith("is no name; write names of printable characters (UTF-8); the file must be a plain "
                         "text"));
  EXPECT_THAT(refused(std::string(300, 'x').append(" 0 0")), HasSubstr("is no name"));
  EXPECT_THAT(refused("0 a b"), StartsWith("family, line 1: a person is called 0"));
}

TEST_F(FamilyTest, RefusesPeopleWhoCannotBe) {
  EXPECT_THAT(refused("a 0 0\na b c\n"), StartsWith("family, line 2: a is in line 1 too;"));
  EXPECT_THAT(refused("F a 0 0 0 0\nG b 0 0 0 0\nF a 0 0 0 0\n"),
              StartsWith("family, line 3: a is in line 1 too;"));
  EXPECT_THAT(refused("a a 0\n"), StartsWith("family, line 1: a is its own father;"));
  EXPECT_THAT(refused("a 0 a\n"), StartsWith("family, line 1: a is its own mother;"));
  EXPECT_THAT(refused("a b b\n"), StartsWith("family, line 1: b is both father and mother;"));
  EXPECT_THAT(refused("a b 0\nc 0 b\n"),
              StartsWith("family, line 2: b is a mother here, but male or a father"));
  EXPECT_THAT(refused("F b 0 0 2 0\nF a b 0 0 0\n"),
              StartsWith("family, line 2: b is a father here, but female"));
  EXPECT_THAT(refused("F a b 0 0 0\nF b 0 0 2 0\n"),
              StartsWith("family, line 2: b is female here, but a father"));
}

}  // namespace
}  // namespace fastid::asking
