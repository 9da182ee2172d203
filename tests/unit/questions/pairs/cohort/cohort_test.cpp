// From close pairs to a cohort's table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/questions/pairs/cohort/cohort_testing.hpp"

namespace fastid::pairs {
namespace {

using testing::Cohort;
using ::testing::ElementsAre;

/// "A1 B1 C2 parent-child": members with their persons, and the closest relation.
std::vector<std::string> groups(const CohortTable& table) {
  std::vector<std::string> lines;
  for (const CohortGroup& group : table.groups) {
    std::string line;
    for (const CohortGroup::Member& member : group.members)
      line += table.profiles[member.profile].id + std::to_string(member.person) + " ";
    lines.push_back(line + std::string(group.closest));
  }
  return lines;
}

TEST(CohortOf, GroupsWhoIsConnected) {
  const CohortTable table = Cohort({"A", "B", "C", "D", "E", "F", "G", "H"})
                                .found("G", "F")
                                .found("E", "B", "sibling")
                                .found("A", "C", "cousin")
                                .found("B", "C", "parent-child")
                                .found("E", "H")
                                .found("A", "D", "unrelated")
                                .table();
  EXPECT_THAT(groups(table), ElementsAre("A1 B2 C3 E4 H4 same", "F1 G1 same"));
  EXPECT_EQ(table.groups[0].n_persons, 4u);
  ASSERT_EQ(table.groups[0].pairs.size(), 4u);
  EXPECT_EQ(table.pairs[table.groups[0].pairs[0]].relation, "cousin") << "by the first one's row";
  EXPECT_EQ(table.profiles.size(), 8u) << "D is in a pair";
}

TEST(CohortOf, DoesNotDependOnTheOrderOfPairs) {
  Cohort forth({"A", "B", "C", "D"}), back({"A", "B", "C", "D"});
  forth.found("A", "B").found("B", "C", "sibling").found("C", "D");
  back.found("C", "D").found("B", "C", "sibling").found("A", "B");
  EXPECT_EQ(groups(forth.table()), groups(back.table()));
}

TEST(CohortOf, HasTwoDatabases) {
  const CohortTable table = Cohort({"A", "B"}, {"B", "A"}).found("A", "A").found("B", "A", "sibling").table();
  EXPECT_THAT(groups(table), ElementsAre("A1 B2 A1 same"));
  EXPECT_EQ(table.profiles[2].database, 1u);
  EXPECT_EQ(table.profiles[2].row, 1u);
}

TEST(CohortOf, HasNoPairs) {
  const CohortTable table = Cohort({"A"}).table();
  EXPECT_TRUE(table.groups.empty());
  EXPECT_FALSE(table.expectation);
  EXPECT_FALSE(table.unrelated);
}

TEST(CohortOf, KeepsWhoIsUnrelated) {
  Cohort cohort({"A", "B", "C", "D", "E", "F"});
  cohort.found("B", "A").found("B", "C", "cousin").options().unrelated = true;
  const CohortTable table = cohort.table();
  EXPECT_THAT(table.unrelated->ids, ElementsAre("A", "C", "D", "E", "F"));
  EXPECT_EQ(table.unrelated->n_profiles, 6u);
  EXPECT_EQ(table.unrelated->greedy_groups, 0u);
  EXPECT_EQ(table.unrelated->kinship, 0.0884);
}

TEST(CohortOf, KeepsNoNearPairWhateverTheEvidenceSays) {
  Cohort cohort({"A", "B", "C", "D"});
  cohort.found("A", "B", "unrelated").found("C", "D", "undecided").options().unrelated = true;
  EXPECT_THAT(cohort.table().unrelated->ids, ElementsAre("A", "C"));
}

TEST(CohortOf, KeepsPairsBelowTheDegreeThatIsAskedFor) {
  Cohort cohort({"A", "B", "C", "D", "E"});
  const auto add = [&](std::uint64_t first, std::uint64_t second, double kinship) {
    cohort.add(
        {.first = first, .second = second, .compared = 1000, .kinship = kinship, .relation = "cousin"});
  };
  add(0, 1, .1);
  add(1, 2, .177);
  add(3, 4, .1769);
  cohort.options().unrelated = true;
  EXPECT_THAT(cohort.table().unrelated->ids, ElementsAre("A", "C", "D")) << "all that were found";
  cohort.options().unrelated_kinship = .177;
  const CohortTable table = cohort.table();
  EXPECT_THAT(table.unrelated->ids, ElementsAre("A", "B", "D", "E"));
  EXPECT_EQ(table.unrelated->kinship, .177);
}

TEST(CohortOf, KeepsOnlyThoseWhoTookPart) {
  Cohort cohort({"A", "B", "C", "D"});
  cohort.found("B", "C").options().unrelated = true;
  cohort.options().takes_part = [](std::uint64_t row) { return row > 0; };
  EXPECT_THAT(cohort.table().unrelated->ids, ElementsAre("B", "D"));
  EXPECT_EQ(cohort.table().unrelated->n_profiles, 3u);
}

TEST(CohortOf, SaysHowManyAreInGroupsTooLargeToSolve) {
  std::vector<std::string> ids;
  for (int i = 0; i < 70; ++i) ids.push_back(std::to_string(i));
  Cohort cohort(ids);
  for (std::size_t i = 1; i < ids.size(); ++i) cohort.found(ids[0], ids[i], "sibling");
  cohort.options().unrelated = true;
  const CohortTable table = cohort.table();
  EXPECT_EQ(table.unrelated->ids.size(), 69u);
  EXPECT_EQ(table.unrelated->greedy_groups, 1u);
  EXPECT_EQ(table.unrelated->greedy_members, 70u);
}

}  // namespace
}  // namespace fastid::pairs
