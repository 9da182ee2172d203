// Assignments of people to missing members: all of them, each once, and what they say.
#include "questions/dvi/event/assignments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace fastid::dvi {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// The number of people in an assignment.
double n_people(std::span<const std::optional<std::size_t>> persons) {
  double n = 0;
  for (const auto& person : persons) n += person ? 1 : 0;
  return n;
}

TEST(Assignments, GiveNobodyTwice) {
  const Candidates candidates = {{7, 8}, {8, 7}, {7}};
  const std::vector<Assignment> all = all_assignments(candidates, n_people);
  // 1 without anybody, 5 with one person, 6 with two: of (0, 1), (0, 2) and (1, 2) there are 2, 1 and 1.
  EXPECT_EQ(all.size(), 1U + 5U + 4U);
  std::set<std::vector<std::optional<std::size_t>>> different;
  for (const Assignment& of : all) {
    different.insert(of.person);
    std::set<std::size_t> people;
    for (const auto& person : of.person)
      if (person) {
        EXPECT_TRUE(people.insert(*person).second);
      }
  }
  EXPECT_EQ(different.size(), all.size());
  EXPECT_EQ(n_choices(candidates), 3. * 3 * 2);
  EXPECT_FALSE(are_more(candidates, all.size()));
  EXPECT_TRUE(are_more(candidates, all.size() - 1));
}

TEST(Assignments, ComeInTheOrderOfTheirWeight) {
  const auto weight = [](std::span<const std::optional<std::size_t>> persons) {
    return persons[0] == std::optional<std::size_t>(1) ? kImpossible : n_people(persons);
  };
  const std::vector<Assignment> all = all_assignments({{1, 2}, {1}}, weight);
  ASSERT_EQ(all.size(), 4U);  // those of the impossible pair are left out
  EXPECT_EQ(all[0].log10_weight, 2);
  EXPECT_EQ(all[3].log10_weight, 0);
}

TEST(Assignments, PosteriorsAreSharesOfTheWeight) {
  const std::vector<Assignment> all = {{2, {5, 6}}, {1, {6, 5}}, {0, {5, std::nullopt}}};
  const std::vector<std::size_t> first = {0}, both = {0, 1};
  const std::vector<PairFinding> one = findings_of(all, first);
  ASSERT_EQ(one.size(), 2U);
  EXPECT_EQ(one[0].person, 5U);
  EXPECT_NEAR(one[0].posterior, 101. / 111, 1e-12);
  EXPECT_EQ(one[0].glr, 1);
  EXPECT_EQ(one[1].glr, -1);
  const std::vector<PairFinding> set = findings_of(all, both);
  EXPECT_EQ(set[0].person, 5U);
  EXPECT_EQ(set[0].posterior, 1);
  EXPECT_EQ(set[0].glr, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(set[1].posterior, 110. / 111, 1e-12);
}

}  // namespace
}  // namespace fastid::dvi
