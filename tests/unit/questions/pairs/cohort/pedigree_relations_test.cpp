// What a pedigree says of its people's relations.
#include "questions/pairs/cohort/pedigree_relations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> relations(const std::string& text, const std::string& absent = "",
                                   std::size_t most = 1000) {
  const fastid::testing::TempFolder folder;
  const asking::FamilyFile family = asking::read_family(folder.write("family", text));
  std::vector<bool> wanted;
  for (const asking::Person& person : family.people)
    wanted.push_back(absent.find(person.name) == std::string::npos);
  std::vector<std::string> lines;
  for (const auto& [a, b, relation] : implied_relations(family, wanted, most))
    lines.push_back(std::min(family.people[a].name, family.people[b].name) + "-" +
                    std::max(family.people[a].name, family.people[b].name) + " " + std::string(relation));
  return lines;
}

TEST(PedigreeRelations, OfANuclearFamily) {
  EXPECT_THAT(relations("a f m\nb f m\nf 0 0\nm 0 0\n"),
              UnorderedElementsAre("a-b sibling", "a-f parent-child", "a-m parent-child", "b-f parent-child",
                                   "b-m parent-child"));
}

TEST(PedigreeRelations, OfHalfSiblingsByTheParentWhoIsShared) {
  EXPECT_THAT(relations("a f m\nb f n\n", "fmn"), ElementsAre("a-b half-sibling"));
  EXPECT_THAT(relations("a f 0\nb f 0\n", "f"), ElementsAre("a-b half-sibling"))
      << "parents who are not listed are two people";
  EXPECT_THAT(relations("a 0 0\nb 0 0\n"), IsEmpty());
}

TEST(PedigreeRelations, OfThreeGenerations) {
  // g and h have f and u; f has c with m, u has d with n; d has e
  const std::string text = "f g h\nu g h\nc f m\nd u n\ne d 0\n";
  EXPECT_THAT(relations(text, "mnfh"),
              UnorderedElementsAre("g-u parent-child", "c-g half-sibling", "c-u half-sibling", "c-d cousin",
                                   "d-g half-sibling", "d-u parent-child", "d-e parent-child", "e-g cousin",
                                   "e-u half-sibling"))
      << "e and c, once removed, are of the fourth degree";
}

TEST(PedigreeRelations, CountEveryPath) {
  // Two brothers have children with two sisters: double first cousins are of the second degree.
  EXPECT_THAT(relations("b1 g h\nb2 g h\ns1 i j\ns2 i j\nc b1 s1\nd b2 s2\n", "b1b2s1s2ghij"),
              ElementsAre("c-d half-sibling"));
  // c's parents are siblings, so that c and their brother are closer than nephew and uncle.
  EXPECT_THAT(relations("f g h\nm g h\nu g h\nc f m\n", "fmgh"), ElementsAre("c-u sibling"));
}

TEST(PedigreeRelations, RefuseLoopsAndCrowds) {
  EXPECT_THAT(fastid::testing::refusal([] { relations("a b 0\nb a 0\nc 0 0\n"); }),
              HasSubstr("a is an own ancestor, or descends from somebody who is; put the parents right"));
  EXPECT_THAT(fastid::testing::refusal([] { relations("a f 0\nb f 0\nc f 0\n", "", 5); }),
              HasSubstr("has more than 5 pairs of people with a common ancestor within 3 generations"));
}

}  // namespace
}  // namespace fastid::pairs
