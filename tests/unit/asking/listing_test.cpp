// From a shortlist to a list: order, what is left out, ties.
#include "asking/matches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace fastid::asking {
namespace {

using ::testing::ElementsAre;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

struct Shortlisted {
  std::uint64_t row;
  std::uint32_t mismatches;
  double log10_lr, log10_chance = -9;
};

match::QueryMatches shortlist(const std::vector<Shortlisted>& rows, std::uint64_t ties_cut = 0) {
  match::QueryMatches query;
  query.ties_cut = ties_cut;
  for (const auto& [row, mismatches, log10_lr, log10_chance] : rows) {
    match::MatchRow match{.row = row};
    match.counts = {.count = mismatches, .compared = 100};
    match.log10_lr = log10_lr;
    match.log10_chance_matches = log10_chance;
    query.rows.push_back(match);
  }
  return query;
}

std::vector<std::uint64_t> rows_of(const match::QueryMatches& query) {
  std::vector<std::uint64_t> rows;
  for (std::size_t i = 0; i < query.rows.size(); ++i) {
    EXPECT_EQ(query.rows[i].rank, i + 1);
    rows.push_back(query.rows[i].row);
  }
  return rows;
}

match::QueryMatches listed(const ListingRule& rule, match::QueryMatches query) {
  list_rows(rule, query);
  return query;
}

TEST(Listing, IsByEvidenceThenAsShortlisted) {
  const match::QueryMatches query =
      shortlist({{5, 1, 2}, {7, 2, 3}, {3, 3, 2}, {4, 3, kImpossible}, {9, 4, 2.5}});
  EXPECT_THAT(rows_of(listed({.by_evidence = true}, query)), ElementsAre(7, 9, 5, 3, 4));
  EXPECT_THAT(rows_of(listed({.by_evidence = false}, query)), ElementsAre(5, 7, 3, 4, 9));
  EXPECT_THAT(rows_of(listed({.top = 2, .by_evidence = true}, query)), ElementsAre(7, 9));
  EXPECT_THAT(rows_of(listed({.top = match::KeepRule::kAll, .by_evidence = true}, query)),
              ElementsAre(7, 9, 5, 3, 4));
}

TEST(Listing, OfMixturesBeginsWithWhatHasAMark) {
  match::QueryMatches query = shortlist({{5, 1, -2}, {7, 2, -9}, {3, 3, 4}, {8, 4, 2}});
  for (match::MatchRow& row : query.rows) row.contributor.emplace();
  query.rows[1].relative = true;  // of a contributor
  query.rows[3].contributor->apart = true;
  EXPECT_THAT(rows_of(listed({.by_evidence = true}, query)), ElementsAre(8, 7, 3, 5));
  query.rows[1].contributor.reset();  // of a person
  EXPECT_THAT(rows_of(listed({.by_evidence = true}, query)), ElementsAre(8, 3, 5, 7));
}

TEST(Listing, TellsRatiosApartAsTheyArePrinted) {
  EXPECT_THAT(rows_of(listed({.by_evidence = true}, shortlist({{1, 1, 2.00001}, {2, 2, 2.00004}}))),
              ElementsAre(1, 2));
  EXPECT_THAT(rows_of(listed({.by_evidence = true}, shortlist({{1, 1, 2.00001}, {2, 2, 2.00006}}))),
              ElementsAre(2, 1));
}

TEST(Listing, LeavesOutWhatChanceExplains) {
  const match::QueryMatches query = shortlist({{1, 1, 3, -1}, {2, 1, 2, -3}, {3, 2, 5, 0}});
  EXPECT_THAT(rows_of(listed({.by_evidence = true, .max_chance_matches = 0.1}, query)), ElementsAre(1, 2));
  EXPECT_THAT(rows_of(listed({.by_evidence = true, .max_chance_matches = 0.01}, query)), ElementsAre(2));
  EXPECT_THAT(rows_of(listed({.max_chance_matches = 1e-9}, query)), ElementsAre());
}

TEST(Listing, CountsTiesThatItCutsOff) {
  const ListingRule two{.top = 2, .by_evidence = true};
  // The same counts and ratio as the last one; the same counts alone; the same ratio alone.
  EXPECT_EQ(listed(two, shortlist({{1, 1, 3}, {2, 2, 2}, {3, 2, 2}, {4, 2, 1}, {5, 3, 2}})).ties_cut, 1u);
  EXPECT_EQ(listed({.top = 2}, shortlist({{1, 1, 3}, {2, 2, 2}, {3, 2, 2}, {4, 2, 1}, {5, 3, 2}})).ties_cut,
            2u);
}

TEST(Listing, KeepsTheRankingsTiesWhereTheyAreThoseOfTheLastRow) {
  const ListingRule two{.top = 2, .by_evidence = true};
  EXPECT_EQ(listed(two, shortlist({{1, 1, 3}, {2, 2, 2}, {3, 3, 1}}, 40)).ties_cut, 0u);
  EXPECT_EQ(listed(two, shortlist({{1, 1, 3}, {2, 3, 2}, {3, 3, 2}}, 40)).ties_cut, 41u);
  EXPECT_EQ(listed({.top = 2, .max_chance_matches = 1e-30}, shortlist({{1, 1, 3}}, 40)).ties_cut, 0u);
}

TEST(Listing, SaysWhereAFullShortlistSpeaksForAMatch) {
  std::vector<Shortlisted> rows;
  for (std::uint32_t i = 0; i < 20; ++i) rows.push_back({i, i, 30.0 - i});
  EXPECT_TRUE(listed({.by_evidence = true}, shortlist(rows)).more_may_match);
  EXPECT_FALSE(listed({.by_evidence = false}, shortlist(rows)).more_may_match);
  EXPECT_FALSE(listed({.by_evidence = true, .max_chance_matches = 1}, shortlist(rows)).more_may_match);
  EXPECT_TRUE(listed({.speaks_above = 10.9, .by_evidence = true}, shortlist(rows)).more_may_match);
  EXPECT_FALSE(listed({.speaks_above = 11, .by_evidence = true}, shortlist(rows)).more_may_match);
  EXPECT_FALSE(listed({.shortlist = 21, .by_evidence = true}, shortlist(rows)).more_may_match);
  rows.back().log10_lr = -1;
  EXPECT_FALSE(listed({.by_evidence = true}, shortlist(rows)).more_may_match);
  rows.back().log10_lr = 11;
  rows.erase(rows.begin());
  EXPECT_FALSE(listed({.by_evidence = true}, shortlist(rows)).more_may_match) << "19 are all that there are";
}

TEST(Listing, ShortlistsTwiceWhatItLists) {
  EXPECT_EQ(shortlisted(1), 20u);
  EXPECT_EQ(shortlisted(10), 20u);
  EXPECT_EQ(shortlisted(11), 22u);
  EXPECT_EQ(shortlisted(match::KeepRule::kAll), match::KeepRule::kAll);
  EXPECT_EQ(shortlisted(match::KeepRule::kAll - 1), match::KeepRule::kAll);
}

}  // namespace
}  // namespace fastid::asking
