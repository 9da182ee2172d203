// Labels that were exchanged, in cohorts whose truth is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "questions/pairs/cohort/exchanges.hpp"
#include "unit/questions/pairs/cohort/cohort_testing.hpp"

namespace fastid::pairs {
namespace {

using testing::Cohort;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A study of people with some samples each, T0001, N0001 and so on, of which some labels were exchanged.
class Study {
 public:
  Study(std::size_t n_people, std::string kinds) : kinds_(std::move(kinds)) {
    for (std::size_t person = 0; person < n_people; ++person)
      for (const char kind : kinds_) {
        ids_.push_back(fmt::format("{}{:04}", kind, person));
        expected_ += fmt::format("{} P{:04}\n", ids_.back(), person);
        person_.push_back(person);
      }
  }

  /// From now on the data of each lie under the label of the next one.
  void rotate(const std::vector<std::string>& labels) {
    const auto at = [&](const std::string& id) {
      return static_cast<std::size_t>(std::ranges::find(ids_, id) - ids_.begin());
    };
    const std::size_t last = person_[at(labels.back())];
    for (std::size_t i = labels.size(); --i > 0;) person_[at(labels[i])] = person_[at(labels[i - 1])];
    person_[at(labels[0])] = last;
  }

  CohortTable table() const {
    Cohort cohort(ids_);
    std::map<std::size_t, std::vector<std::size_t>> rows;  // by person
    for (std::size_t row = 0; row < ids_.size(); ++row) rows[person_[row]].push_back(row);
    for (const auto& [person, of] : rows)
      for (std::size_t b = 1; b < of.size(); ++b)
        for (std::size_t a = 0; a < b; ++a) cohort.found(ids_[of[a]], ids_[of[b]]);
    return cohort.expecting(expected_).table();
  }

 private:
  std::string kinds_, expected_;
  std::vector<std::string> ids_;
  std::vector<std::size_t> person_;  ///< whose data lie under each label
};

TEST(Exchanges, NameAllFiveOfAStudyAndNoOther) {
  Study study(1000, "TN");
  study.rotate({"T0003", "T0700"});
  study.rotate({"N0011", "N0012"});
  study.rotate({"T0500", "N0501"});
  study.rotate({"N0999", "N0000"});
  study.rotate({"T0123", "T0321"});
  const CohortTable table = study.table();
  EXPECT_THAT(Cohort::exchanges(table),
              ::testing::UnorderedElementsAre("T0003>T0700 or N0003>N0700", "T0011>T0012 or N0011>N0012",
                                              "T0500>N0501 or N0500>T0501", "T0000>T0999 or N0000>N0999",
                                              "T0123>T0321 or N0123>N0321"));
  for (const LabelExchange& exchange : table.expectation->exchanges) {
    EXPECT_EQ(exchange.missing_found, 2u);
    EXPECT_EQ(exchange.unexpected_gone, 2u);
    EXPECT_EQ(exchange.made_wrong, 0u);
  }
  EXPECT_FALSE(table.expectation->exchanges_cut);
}

TEST(Exchanges, AreCertainWhereThreeSamplesVote) {
  Study study(50, "ABC");
  study.rotate({"B0007", "C0031"});
  const CohortTable table = study.table();
  EXPECT_THAT(Cohort::exchanges(table), ElementsAre("B0007>C0031"));
  EXPECT_EQ(table.expectation->exchanges[0].repairs(), 8u);
}

TEST(Exchanges, FollowLabelsThatWentRound) {
  Study three(20, "ABC");
  three.rotate({"A0001", "A0002", "A0003"});
  EXPECT_THAT(Cohort::exchanges(three.table()), ElementsAre("A0001>A0003>A0002"))
      << "under A0001 lie the data of A0003";
  Study two(20, "TN");
  two.rotate({"T0001", "T0002", "T0003"});
  EXPECT_THAT(Cohort::exchanges(two.table()), ElementsAre("T0001>T0003>T0002 or N0001>N0002>N0003"));
  Study four(20, "ABC");
  four.rotate({"A0001", "B0002", "C0003", "A0004"});
  EXPECT_THAT(Cohort::exchanges(four.table()), ElementsAre("A0001>A0004>C0003>B0002"));
}

TEST(Exchanges, SayNothingWhereNothingCanBeTold) {
  Study study(5, "TN");
  study.rotate({"T0001", "N0001"});
  const CohortTable table = study.table();
  EXPECT_THAT(table.expectation->exchanges, IsEmpty());
  EXPECT_TRUE(table.expectation->met());
}

TEST(Exchanges, SayNothingOfASingleWrongPair) {
  const std::vector<std::string> ids{"A", "B", "C", "D"};
  EXPECT_THAT(Cohort(ids).expecting("A B\nC D\n").found("A", "B").table().expectation->exchanges, IsEmpty());
  EXPECT_THAT(Cohort(ids).expecting("A B\n").found("A", "B").found("C", "D").table().expectation->exchanges,
              IsEmpty());
}

TEST(Exchanges, FindALabelThatNobodyExpectedAnythingOf) {
  const CohortTable table = Cohort({"A", "B", "C"}).expecting("A B\n").found("A", "C").table();
  EXPECT_THAT(Cohort::exchanges(table), ElementsAre("B>C"));
  EXPECT_EQ(table.expectation->exchanges[0].missing_found, 1u);
  EXPECT_EQ(table.expectation->exchanges[0].unexpected_gone, 1u);
}

TEST(Exchanges, GoByRelations) {
  // Two trios whose children are exchanged, and two who are each the other's sibling, which nothing tells.
  const CohortTable table = Cohort({"C1", "F1", "M1", "S1", "C2", "F2", "M2"})
                                .expecting("x C1 F1 M1 0 0\nx S1 F1 M1 0 0\ny C2 F2 M2 0 0\n")
                                .found("C2", "F1", "parent-child")
                                .found("C2", "M1", "parent-child")
                                .found("C2", "S1", "sibling")
                                .found("S1", "F1", "parent-child")
                                .found("S1", "M1", "parent-child")
                                .found("C1", "F2", "parent-child")
                                .found("C1", "M2", "parent-child")
                                .table();
  EXPECT_THAT(Cohort::exchanges(table), ElementsAre("C1>C2"));
  EXPECT_EQ(table.expectation->exchanges[0].repairs(), 10u);
  const CohortTable of_relation = Cohort({"C", "F", "M"})
                                      .expecting("x C F M 0 0\n")
                                      .found("C", "F", "parent-child")
                                      .found("C", "M", "sibling")
                                      .table();
  EXPECT_THAT(of_relation.expectation->exchanges, IsEmpty());
}

TEST(Exchanges, AreFoundInLargeGroups) {
  std::string kinds;
  for (char kind = '0'; kind < '0' + 60; ++kind) kinds += kind;
  Study study(4, kinds);
  study.rotate({"50000", "70001"});
  study.rotate({"a0002", "b0003"});
  const CohortTable table = study.table();
  EXPECT_THAT(Cohort::exchanges(table), ::testing::UnorderedElementsAre("50000>70001", "a0002>b0003"));
  EXPECT_FALSE(table.expectation->exchanges_cut);
}

TEST(Exchanges, AreFoundWhereNearlyAllLabelsAreWrong) {
  Study study(500, "ABC");
  for (int person = 0; person < 500; person += 2)
    study.rotate({fmt::format("A{:04}", person), fmt::format("B{:04}", person + 1)});
  const CohortTable table = study.table();
  EXPECT_EQ(table.expectation->exchanges.size(), 250u);
  for (const LabelExchange& exchange : table.expectation->exchanges) EXPECT_EQ(exchange.repairs(), 8u);
}

TEST(Exchanges, SayWhereTheyWereCut) {
  std::vector<fastid::pairs::ExpectedPair> expected{{0, 1, "same"}, {2, 3, "same"}};
  std::vector<fastid::pairs::FoundPair> found{{0, 3, "same", 0}, {1, 2, "same", 1}};
  const std::vector<std::string> ids(4);
  const CohortOptions options{.ids = ids};
  const fastid::pairs::Absence absence = [](const fastid::pairs::ExpectedPair&) { return Outcome::kMissing; };
  const fastid::pairs::Roster roster(options);
  EXPECT_TRUE(fastid::pairs::find_exchanges(expected, found, absence, roster, 1).cut);
  EXPECT_FALSE(fastid::pairs::find_exchanges(expected, found, absence, roster).cut);
}

/// The number of wrong pairs where each label lies at places[label].
std::size_t n_wrong(const std::map<std::pair<int, int>, int>& expected,
                    const std::map<std::pair<int, int>, int>& found, const std::vector<int>& places) {
  std::size_t n = 0;
  const int labels = static_cast<int>(places.size());
  const auto at = [](const auto& pairs, int a, int b) {
    const auto pair = pairs.find(std::minmax(a, b));
    return pair == pairs.end() ? 0 : pair->second;
  };
  for (int a = 0; a < labels; ++a)
    for (int b = a + 1; b < labels; ++b)
      n += at(expected, a, b) !=
                   at(found, places[static_cast<std::size_t>(a)], places[static_cast<std::size_t>(b)])
               ? 1
               : 0;
  return n;
}

/// The first exchange repairs as much as any does, and the last state has none left that repairs two.
RC_GTEST_PROP(Exchanges, AreTheBestOfAll, ()) {
  constexpr int kLabels = 7;
  constexpr std::array<const char*, 3> kWords{"", "sibling", "parent-child"};
  const auto draw = [] {
    std::map<std::pair<int, int>, int> pairs;
    for (int a = 0; a < kLabels; ++a)
      for (int b = a + 1; b < kLabels; ++b)
        if (const int relation = *rc::gen::weightedElement<int>({{3, 0}, {2, 1}, {1, 2}}); relation > 0)
          pairs[{a, b}] = relation;
    return pairs;
  };
  const auto expected = draw(), found = draw();
  std::vector<std::string> ids;
  for (int i = 0; i < kLabels; ++i) ids.push_back(std::to_string(i));
  const CohortOptions options{.ids = ids};
  std::vector<fastid::pairs::ExpectedPair> expected_pairs;
  std::vector<fastid::pairs::FoundPair> found_pairs;
  const auto node = [](int i) { return static_cast<fastid::pairs::Node>(i); };
  for (const auto& [pair, relation] : expected)
    expected_pairs.push_back(
        {node(pair.first), node(pair.second), kWords[static_cast<std::size_t>(relation)]});
  for (const auto& [pair, relation] : found)
    found_pairs.push_back(
        {node(pair.first), node(pair.second), kWords[static_cast<std::size_t>(relation)], 0});
  const fastid::pairs::FoundExchanges result = fastid::pairs::find_exchanges(
      expected_pairs, found_pairs, [](const fastid::pairs::ExpectedPair&) { return Outcome::kMissing; },
      fastid::pairs::Roster(options));
  std::vector<int> places(kLabels);
  std::iota(places.begin(), places.end(), 0);
  const std::size_t at_first = n_wrong(expected, found, places);
  const auto best_of = [&](std::vector<int> from) {
    std::size_t best = n_wrong(expected, found, from);
    for (std::size_t a = 0; a < from.size(); ++a)
      for (std::size_t b = a + 1; b < from.size(); ++b) {
        std::swap(from[a], from[b]);
        best = std::min(best, n_wrong(expected, found, from));
        std::swap(from[a], from[b]);
      }
    return best;
  };
  const std::size_t best = best_of(places);
  std::size_t repaired = 0;
  for (const fastid::pairs::NodeExchange& exchange : result.exchanges) {
    // The data under nodes[i] are of the label nodes[i + 1].
    for (std::size_t i = 0; i < exchange.nodes.size(); ++i)
      places[exchange.nodes[(i + 1) % exchange.nodes.size()]] = static_cast<int>(exchange.nodes[i]);
    repaired += exchange.missing_found + exchange.unexpected_gone - exchange.made_wrong;
  }
  const std::size_t at_last = n_wrong(expected, found, places);
  RC_ASSERT(result.exchanges.empty() == (best + 2 > at_first));
  RC_ASSERT(at_last <= best || best + 2 > at_first);
  RC_ASSERT(best_of(places) + 2 > at_last);
  if (result.exchanges.size() == 1) RC_ASSERT(at_first - at_last == repaired);
}

}  // namespace
}  // namespace fastid::pairs
