// The places that a candidate may have in a family: each untyped member, and who may stand beside the typed
// ones.
#include "questions/kin/family_roles.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

namespace fastid::kin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of_roles(const std::vector<stats::Member>& members, std::size_t missing) {
  std::vector<std::string> names;
  for (const FamilyRole& role : other_roles(members, missing, false)) names.push_back(role.name);
  return names;
}

/// father, mother (typed), child (missing), aunt: a child of the mother's typed parent.
class FamilyRoles : public ::testing::Test {
 protected:
  FamilyRoles() {
    members_[1].typed.emplace();
    members_[1].mother = 3;
    members_[2] = {.father = 0, .mother = 1, .typed = {}, .name = "child"};
    members_[4] = {.father = {}, .mother = 3, .typed = {}, .name = "aunt"};
    for (const FamilyRole& role : other_roles(members_, 2, true)) roles_.emplace(role.name, role);
  }

  std::vector<stats::Member> members_ = {{.typed = {}, .name = "father"},
                                         {.typed = {}, .name = "mother"},
                                         {.typed = {}, .name = "child"},
                                         {.typed = {}, .name = "grandmother"},
                                         {.typed = {}, .name = "aunt"}};
  std::map<std::string, FamilyRole> roles_;
};

TEST_F(FamilyRoles, AreThoseOfUntypedMembersAndBesideTypedOnes) {
  EXPECT_THAT(names_of_roles(members_, 2), ElementsAre("father", "grandmother", "aunt", "sibling of mother",
                                                       "child of mother", "parent of mother"));
  EXPECT_EQ(roles_.at("aunt").place, 4);
  EXPECT_EQ(roles_.at("aunt").members.size(), members_.size());
}

TEST_F(FamilyRoles, ASiblingSharesTheListedParentAndOneWhoIsAdded) {
  const FamilyRole& role = roles_.at("sibling of mother");
  ASSERT_EQ(role.members.size(), members_.size() + 2);
  const stats::Member& sibling = role.members.at(role.place);
  EXPECT_EQ(sibling.mother, 3);
  EXPECT_EQ(sibling.father, role.members[1].father);
  EXPECT_FALSE(role.members.at(*sibling.father).father || role.members.at(*sibling.father).typed);
}

TEST_F(FamilyRoles, AChildHasAnotherParentWhoIsNotListed) {
  const FamilyRole& role = roles_.at("child of mother");
  EXPECT_EQ(role.members.at(role.place).father, 1);
  EXPECT_FALSE(role.members.at(role.place).mother);
}

TEST_F(FamilyRoles, AHalfSiblingSharesOneParent) {
  const FamilyRole& role = roles_.at("half-sibling of mother");
  EXPECT_EQ(role.members.at(role.place).father, role.members[1].father);
  EXPECT_FALSE(role.members.at(role.place).mother);
}

TEST_F(FamilyRoles, TheOtherParentsOfThreeQuarterSiblingsAreSiblings) {
  const FamilyRole& role = roles_.at("three-quarter-sibling of mother");
  const stats::Member &sibling = role.members.at(role.place), &mother = role.members[1];
  EXPECT_EQ(sibling.father, mother.father);
  const stats::Member &aunt = role.members.at(*sibling.mother), &grandmother = role.members[3];
  EXPECT_TRUE(aunt.father && aunt.mother);
  EXPECT_EQ(aunt.father, grandmother.father);
  EXPECT_EQ(aunt.mother, grandmother.mother);
}

TEST_F(FamilyRoles, AParentTakesThePlaceThatNobodyHas) {
  const FamilyRole& role = roles_.at("parent of mother");
  EXPECT_EQ(role.members[1].father, role.place);
  EXPECT_EQ(role.members[1].mother, 3);
}

TEST(FamilyRolesOfSiblings, LeaveOutTheMissingOnesOwnPlace) {
  std::vector<stats::Member> members = {{.typed = {}, .name = "father"},
                                        {.typed = {}, .name = "mother"},
                                        {.father = 0, .mother = 1, .typed = {}, .name = "brother"},
                                        {.father = 0, .mother = 1, .typed = {}, .name = "sister"}};
  members[3].typed.emplace();
  EXPECT_THAT(names_of_roles(members, 2), ElementsAre("father", "mother", "child of sister"));
  members.push_back({.father = 2, .mother = {}, .typed = {}, .name = "nephew"});
  EXPECT_THAT(names_of_roles(members, 2),
              ElementsAre("father", "mother", "nephew", "sibling of sister", "child of sister"))
      << "an uncle of the nephew";
}

TEST(FamilyRolesOfLargeFamilies, LeaveOutWhomThereIsNoRoomFor) {
  std::vector<stats::Member> members(stats::kMostMembers);
  for (std::size_t i = 1; i < members.size(); ++i) members[i].typed.emplace();
  EXPECT_THAT(other_roles(members, 0, true), IsEmpty());
}

}  // namespace
}  // namespace fastid::kin
