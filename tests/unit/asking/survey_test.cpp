// What a database holds as a whole, against counts made one letter at a time.
#include "asking/survey.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/stray_bits.hpp"
#include "unit/asking/asking_testing.hpp"

namespace fastid::asking {
namespace {

std::vector<testing::Letters> random_people(std::size_t n, std::size_t sites, double no_calls) {
  std::mt19937 rng(static_cast<std::uint32_t>(n * 31 + sites));
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<testing::Letters> people(n, testing::Letters(sites, '0'));
  for (auto& person : people)
    for (char& site : person) site = unit(rng) < no_calls ? '-' : unit(rng) < 0.3 ? '1' : '0';
  return people;
}

CallSurvey counted(const std::vector<testing::Letters>& people) {
  const std::size_t sites = people.front().size();
  CallSurvey counts{std::vector<std::uint64_t>(sites), std::vector<std::uint64_t>(sites),
                    std::vector<std::uint64_t>(sites + 1)};
  for (const auto& person : people) {
    std::size_t called = 0;
    for (std::size_t s = 0; s < sites; ++s) {
      called += person[s] != '-';
      counts.called[s] += person[s] != '-';
      counts.carriers[s] += person[s] == '1';
    }
    ++counts.profiles_by_called[called];
  }
  return counts;
}

TEST(Survey, CountsCallsAndCarriers) {
  for (const double no_calls : {0.0, 0.2})
    for (const std::size_t n : {1, 31, 32, 33, 2100})
      for (const std::size_t sites : {1, 33, 64}) {
        const auto people = random_people(n, sites, no_calls);
        const testing::TempFolder folder;
        const db::Reader reader(testing::write_database(folder, testing::panel_of(sites, {}), people));
        const CallSurvey survey = survey_calls(reader, 2, ProgressMode::kNever);
        const CallSurvey expected = counted(people);
        EXPECT_EQ(survey.called, expected.called) << n << " people, " << sites << " sites";
        EXPECT_EQ(survey.carriers, expected.carriers) << n << " people, " << sites << " sites";
        EXPECT_EQ(survey.profiles_by_called, expected.profiles_by_called) << n << " people, " << sites;
      }
}

TEST(Survey, LeavesOutUnusedLanes) {
  constexpr std::size_t kSites = 70;
  for (const double no_calls : {0.0, 0.2}) {
    const auto people = random_people(40, kSites, no_calls);
    const testing::TempFolder folder;
    const std::string path = testing::write_database(folder, testing::panel_of(kSites, {}), people);
    for (const std::uint64_t lane : {40, 63}) {
      testing::set_stray_bit(path, {people.size(), kSites}, false, lane, 65);
      if (no_calls > 0) testing::set_stray_bit(path, {people.size(), kSites}, true, lane, 65);
    }
    const CallSurvey survey = survey_calls(db::Reader(path), 1, ProgressMode::kNever);
    const CallSurvey expected = counted(people);
    EXPECT_EQ(survey.called, expected.called);
    EXPECT_EQ(survey.carriers, expected.carriers);
    EXPECT_EQ(survey.profiles_by_called, expected.profiles_by_called);
  }
}

TEST(Survey, SaysWhatThePanelCanProve) {
  const testing::TempFolder folder;
  const Panel panel = testing::panel_of(3, {{"one", {0.1, 0.2, 0.3}}, {"two", {0.5, 0.5, 0.5}}});
  const db::Reader reader(testing::write_database(folder, panel, {"000", "111"}));
  const std::vector<PopulationPower> powers = panel_powers(reader);
  ASSERT_EQ(powers.size(), 2u);
  EXPECT_EQ(powers[0].population, "one");
  EXPECT_EQ(powers[1].population, "two");
  EXPECT_FALSE(powers[0].power.mismatch_limit);  // three sites prove nothing
  EXPECT_TRUE(
      panel_powers(db::Reader(testing::write_database(folder, testing::panel_of(3, {}), {"000"}))).empty());
}

/// A panel whose first sites are autosomal, the others of X, Y and M by turns.
Panel panel_with_classes(std::size_t autosomal, std::size_t others, std::vector<double> minor_freq,
                         std::size_t distance = 100'000) {
  std::vector<Site> sites;
  for (std::size_t s = 0; s < autosomal + others; ++s)
    sites.push_back({"rs" + std::to_string(s),
                     s < autosomal ? "1"
                     : s % 3 == 0  ? "X"
                     : s % 3 == 1  ? "Y"
                                   : "M",
                     static_cast<std::uint32_t>(9'000'000 + distance * s), 'A', 'C'});
  return {std::move(sites), {{"one", std::move(minor_freq)}}, GenomeBuild::kGRCh37, "test"};
}

TEST(Survey, ThePanelProvesByItsAutosomalSites) {
  const std::vector<double> freq = {.1, .2, .3, .4, .5, .25, .35, .45};
  const auto of = [&](std::size_t autosomal, std::size_t others) {
    return panel_powers(
        panel_with_classes(autosomal, others,
                           {freq.begin(), freq.begin() + static_cast<long>(autosomal + others)}),
        "", 1000, "test");
  };
  const std::vector<PopulationPower> with = of(5, 3), without = of(5, 0);
  ASSERT_EQ(with.size(), 1u);
  EXPECT_EQ(with[0].power.log10_match_probability, without[0].power.log10_match_probability);
  EXPECT_EQ(with[0].power.log10_all_shown, without[0].power.log10_all_shown);
  for (const stats::Relation relation : {stats::Relation::kSame, stats::Relation::kCousin}) {
    EXPECT_EQ((*with[0].kin)[relation].log10_lr.mean, (*without[0].kin)[relation].log10_lr.mean);
    EXPECT_EQ((*with[0].kin)[relation].right, (*without[0].kin)[relation].right);
  }
  EXPECT_TRUE(of(0, 4).empty());
}

TEST(Survey, SaysNothingOfRelativesWhereSitesAreLinked) {
  const std::vector<double> freq(6, .3);
  const auto kin = [&](std::size_t distance) {
    return panel_powers(panel_with_classes(6, 0, freq, distance), "", 1000, "test").at(0).kin;
  };
  EXPECT_TRUE(kin(50'000));
  EXPECT_FALSE(kin(49'999));
}

TEST(Survey, SaysNothingOfMixtures) {
  const testing::TempFolder folder;
  const Panel panel = testing::panel_of(3, {{"one", {0.1, 0.2, 0.3}}});
  EXPECT_TRUE(
      panel_powers(db::Reader(testing::write_database(folder, panel, {"000"}, db::Kind::kMixtures))).empty());
}

}  // namespace
}  // namespace fastid::asking
