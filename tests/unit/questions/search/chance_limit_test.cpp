// Whom --max-chance-matches leaves out, in whole searches.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "unit/asking/asking_testing.hpp"

namespace fastid::search {
namespace {

using testing::Letters;

constexpr double kShows = 0.19;  // P(a minor allele shows) at q = 0.1, theta 0

class ChanceLimitTest : public testing::SearchTest {};

/// 60 sites at q = .5: a match at all of them has an expected number of 4 * .625^60 (about: bits count).
TEST_F(ChanceLimitTest, LeavesOutWhatChanceBrings) {
  const Letters query(60, '1');
  Letters relative = query, stranger = query;
  for (std::size_t s = 0; s < 60; s += 6) relative[s] = '0';
  for (std::size_t s = 0; s < 60; s += 4) stranger[s] = '0';
  options_.rule.top = match::KeepRule::kAll;
  options_.evidence.max_chance_matches = 0.01;
  const match::MatchTable table = run({stranger, query, relative}, query, 0.5);
  ASSERT_EQ(table.queries[0].rows.size(), 1u);
  EXPECT_EQ(table.queries[0].rows[0].row, 1u);
  const std::uint32_t limit = table.queries[0].evidence.limit.value().max_count.value();
  // The chance of a mismatch is .25 at each site: the limit is the largest k with 3 P(X <= k) <= .01.
  double probability = std::pow(0.75, 60), sum = probability;
  std::uint32_t k = 0;
  for (; 3 * sum <= 0.01; ++k) {
    probability *= (60.0 - k) / (k + 1.0) / 3;
    sum += probability;
  }
  EXPECT_EQ(limit, k - 1);
}

/// Profiles of three sites agree with everybody, rank first, and mean nothing: the one of 60 must be found.
TEST_F(ChanceLimitTest, LooksPastProfilesOfFewSites) {
  const Letters query(60, '1');
  Letters match = query;
  match[7] = '0';
  std::vector<Letters> people(300, "111" + Letters(57, '-'));
  people.push_back(match);
  options_.rule.top = 2;
  options_.evidence.max_chance_matches = 0.01;
  const match::MatchTable table = run(people, query, 0.5);
  ASSERT_EQ(table.queries[0].rows.size(), 1u);
  EXPECT_EQ(table.queries[0].rows[0].row, 300u);
  EXPECT_EQ(table.queries[0].rows[0].rank, 1u);
  EXPECT_EQ(table.queries[0].ties_cut, 0u);
  // The histogram is that of one search, though the database was searched several times.
  EXPECT_EQ(table.queries[0].histogram->n_profiles, 301u);
}

TEST_F(ChanceLimitTest, CountsTiesThatPassIt) {
  const Letters query(60, '1');
  options_.rule.top = 2;
  options_.evidence.max_chance_matches = 0.01;
  const match::MatchTable table = run({query, query, query, query, query}, query, 0.5);
  EXPECT_EQ(table.queries[0].rows.size(), 2u);
  EXPECT_EQ(table.queries[0].ties_cut, 3u);
}

TEST_F(ChanceLimitTest, MayLeaveNothing) {
  options_.evidence.max_chance_matches = 0.01;
  const match::MatchTable table = run({"0011", "0011"}, "0011");
  EXPECT_TRUE(table.queries[0].rows.empty());
  ASSERT_TRUE(table.queries[0].evidence.limit);
  EXPECT_FALSE(table.queries[0].evidence.limit->max_count) << "not even 0";
  options_.evidence.max_chance_matches = 2 * (std::pow(kShows, 2) * std::pow(1 - kShows, 2)) * 1.001;
  EXPECT_EQ(run({"0011", "0011"}, "0011").queries[0].evidence.limit.value().max_count, 0u) << "0 just so";
}

/// Each match's own figure decides, and there is no limit before the search.
TEST_F(ChanceLimitTest, OfAReverseSearchIsNone) {
  options_.comparison = engine::Comparison::kReverseMixture;
  options_.evidence.max_chance_matches = 0.5;  // of the two: about 0.2 and 0.8
  const match::MatchTable table = run({"1100", "1111"}, "1100");
  EXPECT_FALSE(table.queries[0].evidence.limit);
  ASSERT_EQ(table.queries[0].rows.size(), 1u);
  EXPECT_EQ(table.queries[0].rows[0].row, 0u);
}

/// A mixture's people are ranked without a limit, and each one's own figure decides.
TEST_F(ChanceLimitTest, OfAMixtureLeavesOutThoseAboveItAndNobodyElse) {
  options_.comparison = engine::Comparison::kMixture;
  options_.evidence.by_rate = false;
  const Letters mixture = "1111000000";
  std::vector<Letters> people;
  for (std::size_t p = 0; p < 60; ++p) {
    Letters& person = people.emplace_back(mixture.size(), '0');
    for (std::size_t site = 0; site < person.size(); ++site)
      person[site] = (p * 7 + site * p) % 3 == 0 ? '1' : '0';
  }
  options_.rule.top = match::KeepRule::kAll;
  const std::vector<match::MatchRow> all = run(people, mixture).queries[0].rows;
  ASSERT_EQ(all.size(), people.size());
  for (const double most : {1., 20., 60.}) {
    options_.evidence.max_chance_matches = most;
    std::vector<std::uint64_t> expected, listed;
    for (const match::MatchRow& row : all)
      if (std::pow(10, *row.log10_chance_matches) <= most) expected.push_back(row.row);
    const match::MatchTable table = run(people, mixture);
    EXPECT_FALSE(table.queries[0].evidence.limit);
    for (const match::MatchRow& row : table.queries[0].rows) listed.push_back(row.row);
    EXPECT_EQ(listed, expected) << most;
  }
}

}  // namespace
}  // namespace fastid::search
