// Files of what is expected of a cohort, and how it is met.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "unit/questions/pairs/cohort/cohort_testing.hpp"

namespace fastid::pairs {
namespace {

using testing::Cohort;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::vector<std::string> kIds{"A", "B", "C", "D", "E", "F"};

std::vector<std::string> missing(const std::string& text) {
  return Cohort::judged(Cohort(kIds).expecting(text).table(), Outcome::kMissing);
}

std::string refused(const std::string& text) {
  const std::string message = fastid::testing::refusal([&] { Cohort(kIds).expecting(text).table(); });
  const std::size_t at = message.find("/expected");
  return at == std::string::npos ? message : message.substr(at + 1);
}

TEST(Expectation, HasPairs) {
  EXPECT_THAT(missing("\xEF\xBB\xBF# mine\nB A\n\nC\tD\tFull-Siblings\r\n"),
              ElementsAre("A+B same", "C+D sibling"));
}

TEST(Expectation, HasGroups) {
  EXPECT_THAT(missing("A one\nB one\nC one\nD two sibling\nE two sibling\nF three\n"),
              ElementsAre("A+B same", "A+C same", "B+C same", "D+E sibling"));
  EXPECT_THAT(missing("A A\nB A\n"), ElementsAre("A+B same")) << "a group may be called as a member is";
}

TEST(Expectation, HasAPedigree) {
  const CohortTable table =
      Cohort(kIds).expecting("f A C D 0 0\nf B C D 0 0\nf C 0 0 1 0\nf D 0 0 2 0\nf X A 0 0 0\n").table();
  EXPECT_EQ(table.expectation->kind, "pedigree");
  EXPECT_EQ(table.expectation->n_absent, 1u);
  EXPECT_THAT(Cohort::judged(table, Outcome::kMissing),
              ElementsAre("A+B sibling", "A+C parent-child", "A+D parent-child", "B+C parent-child",
                          "B+D parent-child"));
}

TEST(Expectation, FollowsWhoIsTheSamePerson) {
  EXPECT_THAT(missing("A B\nB C\nC D parent-child\nD E\n"),
              UnorderedElementsAre("A+B same", "A+C same", "B+C same", "A+D parent-child", "A+E parent-child",
                                   "B+D parent-child", "B+E parent-child", "C+D parent-child",
                                   "C+E parent-child", "D+E same"));
}

TEST(Expectation, TellsWhatItMet) {
  const CohortTable table = Cohort(kIds)
                                .expecting("A B\nC D sibling\nE F\nA E cousin\nA C unrelated\n")
                                .found("A", "B")
                                .found("C", "D", "parent-child")
                                .found("B", "C", "half-sibling")
                                .found("A", "D", "unrelated")
                                .table();
  EXPECT_THAT(Cohort::judged(table, Outcome::kFound), ElementsAre("A+B same"));
  EXPECT_THAT(Cohort::judged(table, Outcome::kOtherRelation), ElementsAre("C+D sibling"));
  EXPECT_THAT(Cohort::judged(table, Outcome::kMissing), ElementsAre("E+F same"));
  EXPECT_THAT(Cohort::judged(table, Outcome::kUnexpected), ElementsAre("B+C"));
  EXPECT_EQ(table.expectation->number(Outcome::kBelow), 4u) << "cousins need not pass .0884: A, B with E, F";
  EXPECT_EQ(table.expectation->n_expected, 7u);
  EXPECT_FALSE(table.expectation->met());
  EXPECT_EQ(table.pairs[*table.expectation->judged[0].pair].relation, "same");
}

TEST(Expectation, ListsWhoIsNotOfTheStatedSex) {
  Cohort cohort(kIds);
  cohort.expecting("f A 0 0 1 0\nf B 0 0 1 0\nf C 0 0 2 0\nf D 0 0 2 0\nf E 0 0 0 0\nf F A 0 1 0\n")
      .found("A", "F", "parent-child")
      .options()
      .sexes = [](std::size_t database, std::span<const std::uint64_t> rows) {
    EXPECT_EQ(database, 0u);
    EXPECT_THAT(rows, ElementsAre(0, 1, 2, 3, 5)) << "E has no stated sex";
    return std::vector<std::optional<Sex>>{Sex::kMale, Sex::kFemale, Sex::kMale, Sex::kUndecided,
                                           std::nullopt};
  };
  const CohortTable table = cohort.table();
  const CohortExpectation& of = *table.expectation;
  EXPECT_EQ(of.n_sexes, 3u) << "of D and F it is not known";
  ASSERT_EQ(of.sexes.size(), 2u);
  EXPECT_EQ(table.profiles[of.sexes[0].profile].id, "B");
  EXPECT_EQ(of.sexes[0].stated, Sex::kMale);
  EXPECT_EQ(of.sexes[0].found, Sex::kFemale);
  EXPECT_EQ(table.profiles[of.sexes[1].profile].id, "C");
  EXPECT_EQ(of.number(Outcome::kFound), 1u);
  EXPECT_FALSE(of.met()) << "though all pairs are as expected";
}

TEST(Expectation, IsMetByWhatMayBeChanceAndNothingElseIs) {
  const match::ClosePair expected{
      .first = 0, .second = 1, .kinship = 0.1, .relation = "undecided", .log10_chance_pairs = 0};
  match::ClosePair other = expected;
  other.second = 2;
  const CohortTable table = Cohort(kIds).expecting("A B half-sibling\n").add(expected).add(other).table();
  EXPECT_THAT(Cohort::judged(table, Outcome::kFound), ElementsAre("A+B half-sibling"));
  EXPECT_THAT(Cohort::judged(table, Outcome::kUnexpected), IsEmpty());
  EXPECT_TRUE(table.groups.empty());
  EXPECT_EQ(table.pairs.size(), 2u);
}

TEST(Expectation, IsMetWhereNothingElseIsFound) {
  const CohortTable table = Cohort(kIds).expecting("A B\nC D cousin\n").found("A", "B").table();
  EXPECT_TRUE(table.expectation->met());
}

TEST(Expectation, DoesNotMissWhatWasNotCompared) {
  Cohort cohort(kIds);
  cohort.expecting("A B\nC D\n").options().compared = [](std::uint64_t a, std::uint64_t b) {
    return a >= 2 || b >= 2;
  };
  EXPECT_THAT(Cohort::judged(cohort.table(), Outcome::kNotCompared), ElementsAre("A+B same"));
  EXPECT_THAT(Cohort::judged(cohort.table(), Outcome::kMissing), ElementsAre("C+D same"));
}

TEST(Expectation, TakesAnIdOfTwoDatabasesAsOnePerson) {
  Cohort cohort({"A", "B", "C"}, {"C", "B", "X"});
  const CohortTable table =
      cohort.expecting("A X\nB C sibling\n").found("A", "X").found("C", "B", "sibling").table();
  EXPECT_THAT(Cohort::judged(table, Outcome::kFound), ElementsAre("A+X same", "C+B sibling"));
  EXPECT_THAT(Cohort::judged(table, Outcome::kMissing), ElementsAre("B+C sibling", "B+B same", "C+C same"));
  EXPECT_EQ(table.expectation->number(Outcome::kNotCompared), 2u) << "B and C within each database";
}

TEST(Expectation, NeedNotNameAnIdOfTwoDatabases) {
  const CohortTable table =
      Cohort({"A", "B", "C"}, {"C", "B", "X"}).expecting("A X\n").found("C", "C").table();
  EXPECT_THAT(Cohort::judged(table, Outcome::kFound), ElementsAre("C+C same"));
  EXPECT_THAT(Cohort::judged(table, Outcome::kMissing), ElementsAre("A+X same", "B+B same"));
}

TEST(Expectation, IsRefusedWithItsPlace) {
  EXPECT_EQ(
      refused("A B\nA Q\n"),
      "expected, line 2: Q is no profile of people.h5, though other lines name two profiles (of groups, no "
      "line's second word is one); give ids as the database has them; a line that begins with # is a "
      "comment");
  EXPECT_THAT(refused("id group\nA one\n"),
              HasSubstr("expected, line 1: id is no profile of people.h5; give ids"));
  EXPECT_THAT(refused("A B\n#\nB A same\n"),
              HasSubstr("expected, line 3: A and B are in line 1 too; leave one of the two lines out"));
  EXPECT_THAT(refused("A g\nA g\n"), HasSubstr("line 2: A and g are in line 1 too"));
  EXPECT_THAT(refused("A B friend\n"), HasSubstr("line 1: 'friend' is no relation; name same, parent-child"));
  EXPECT_THAT(
      refused("A g\nB g sibling\n"),
      HasSubstr("line 2: group g is of relation sibling here, and of same in line 1; give all lines"));
  EXPECT_THAT(refused("A\n"), HasSubstr("line 1: has 1 column; write two ids"));
  EXPECT_THAT(refused("A B same x\n"), HasSubstr("line 1: has 4 columns"));
  EXPECT_THAT(refused("# nothing\n"), HasSubstr("expected: says nothing; write two ids"));
  EXPECT_THAT(refused("f X 0 0 0 0\n"), HasSubstr("none of its 1 person name is a profile of people.h5"));
  EXPECT_THAT(refused("f A A 0 0 0\n"), HasSubstr("line 1: A is its own father"));
}

TEST(Expectation, IsRefusedWhereItContradictsItself) {
  EXPECT_EQ(
      refused("A B\nB C\nC A sibling\n"),
      "expected, line 3: C and A are sibling here, but the same person by other lines; leave out what is "
      "wrong");
  EXPECT_THAT(refused("A B\nA C sibling\nB C cousin\n"),
              HasSubstr("line 3: B and C are cousin here, but sibling by line 2"));
  EXPECT_THAT(refused("A B unrelated\nB A2\n"), HasSubstr("A2 is no profile"));
}

TEST(Expectation, HasALimit) {
  std::vector<std::string> ids;
  std::string same, siblings;
  for (int i = 0; i < 4600; ++i) {
    ids.push_back("P" + std::to_string(i));
    same += ids.back() + " all\n";
    siblings += ids.back() + " all sibling\n";
  }
  for (const std::string& text : {same, siblings})
    EXPECT_THAT(fastid::testing::refusal([&] { Cohort(ids).expecting(text).table(); }),
                HasSubstr("more than 10,000,000 pairs"));
}

}  // namespace
}  // namespace fastid::pairs
