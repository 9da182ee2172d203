// A query against one person: published figures, simulated families, and sums over sites made by hand.
#include "stats/identity.hpp"

#include "stats/panel_power.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::Alleles;
using testing::model_of;
using testing::rows_of;
using testing::uniform_model;

TEST(Identity, MatchProbabilityIsTheProductOverCalledSites) {
  const PopulationModel model = model_of({.1, .2, .3, .4}, .02);
  const ProfileRows rows = rows_of({"10-1", "----"});
  EXPECT_NEAR(log10_match_probability(model, rows.row(0)),
              std::log10(carrier_probability(.1, .02) * non_carrier_probability(.2, .02) *
                         carrier_probability(.4, .02)),
              1e-12);
  EXPECT_EQ(log10_match_probability(model, rows.row(1)), 0);
}

TEST(Identity, RatioAddsUpSitesCalledInBoth) {
  const PopulationModel model = uniform_model(70, .1);
  std::string query(70, '0'), stored(70, '0');
  query[0] = stored[0] = '1';  // both
  query[33] = '1';             // one
  query[40] = '-';             // not compared
  stored[69] = '-';
  const ProfileRows rows = rows_of({query, stored});
  const IdentityRatios at = identity_ratios(.1, 0, .005);
  EXPECT_NEAR(log10_identity_ratio(model, rows.row(0), rows.row(1)), at.both + at.one + 66 * at.none, 1e-12);
  EXPECT_EQ(log10_identity_ratio(model, rows.row(0), rows.row(1)),
            log10_identity_ratio(model, rows.row(1), rows.row(0)));
}

TEST(Identity, WithoutErrorsADifferenceExcludes) {
  const PopulationModel model = model_of({.1, .2}, 0, 0);
  const ProfileRows rows = rows_of({"01", "11", "01"});
  EXPECT_EQ(log10_identity_ratio(model, rows.row(0), rows.row(1)), -INFINITY);
  EXPECT_GT(log10_identity_ratio(model, rows.row(0), rows.row(2)), 0);
}

TEST(Identity, MismatchEventsFollowTheQuerysBits) {
  const PopulationModel model = model_of({.1, .2, .3}, .01);
  const ProfileRows rows = rows_of({"1-0", "111"});
  const std::vector<Event> events = mismatch_events(model, rows.row(0), rows.row(1).called);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].yes, model.non_carrier()[0]);
  EXPECT_EQ(events[0].no, model.carrier()[0]);
  EXPECT_EQ(events[1].yes, model.carrier()[2]);
}

TEST(Identity, ChanceMatchesAreAsManyAsDrawn) {
  std::mt19937_64 rng(11);
  const std::vector<double> freq = testing::random_frequencies(50, rng);
  const PopulationModel model = model_of(freq);
  ProfileRows query(1, 50);
  for (std::uint32_t s = 0; s < 50; ++s) query.set(0, s, testing::person(freq[s], rng).carrier());
  const RowView row = query.row(0);
  const PoissonBinomial mismatches(mismatch_events(model, row, row.called));
  constexpr std::size_t draws = 200'000;
  std::size_t at_most[3] = {};
  for (std::size_t i = 0; i < draws; ++i) {
    int differ = 0;
    for (std::uint32_t s = 0; s < 50; ++s)
      differ += testing::person(freq[s], rng).carrier() != ((row.bits[s / 32] >> s % 32 & 1) != 0);
    for (int limit = 0; limit < 3; ++limit) at_most[limit] += differ <= 9 + 3 * limit;
  }
  for (std::uint32_t limit = 0; limit < 3; ++limit)
    testing::expect_share(at_most[limit], draws, std::pow(10, mismatches.log10_cdf(9 + 3 * limit)));
}

TEST(Relatives, ExpectedMismatchesAsPublished) {
  const PopulationModel model = uniform_model(1, .1);
  EXPECT_NEAR(expected_mismatches(model, Relation::kParentChild).mean, .16200, 5e-6);
  EXPECT_NEAR(expected_mismatches(model, Relation::kSiblings).mean, .15795, 5e-6);
  EXPECT_NEAR(expected_mismatches(model, Relation::kUnrelated).mean, .30780, 5e-6);
  EXPECT_EQ(expected_mismatches(model_of({.1}, 0, 0), Relation::kSame).mean, 0);
}

TEST(Relatives, GivenTheQueryAverageToThoseOfThePanel) {
  const PopulationModel model = model_of({.1}, .05);
  const ProfileRows rows = rows_of({"0", "1"});
  for (const Relation relation : {Relation::kParentChild, Relation::kSiblings, Relation::kUnrelated}) {
    const double c = carrier_probability(.1, 0);
    EXPECT_NEAR((1 - c) * expected_mismatches(model, relation, rows.row(0)).mean +
                    c * expected_mismatches(model, relation, rows.row(1)).mean,
                expected_mismatches(model, relation).mean, 1e-12);
  }
}

/// Two people so related.
std::pair<Alleles, Alleles> relatives(Relation relation, double q, std::mt19937_64& rng) {
  const Alleles mother = testing::person(q, rng), father = testing::person(q, rng);
  const Alleles child{mother.one(rng), father.one(rng)};
  if (relation == Relation::kParentChild) return {mother, child};
  if (relation == Relation::kSiblings) return {child, {mother.one(rng), father.one(rng)}};
  if (relation == Relation::kSame) return {child, child};
  return {mother, father};
}

TEST(Relatives, FamiliesThatAreDrawnDifferAsExpected) {
  std::mt19937_64 rng(12);
  constexpr double w = .03;
  const std::vector<double> freq = testing::random_frequencies(40, rng);
  const PopulationModel model = model_of(freq, 0, w);
  constexpr int pairs = 20'000;
  for (const Relation relation :
       {Relation::kSame, Relation::kParentChild, Relation::kSiblings, Relation::kUnrelated}) {
    double sum = 0, squares = 0;
    for (int i = 0; i < pairs; ++i) {
      int differ = 0;
      for (const double q : freq) {
        const auto [one, other] = relatives(relation, q, rng);
        const double errors = relation == Relation::kSame ? w : 0;
        differ += testing::read(one, errors, rng) != testing::read(other, errors, rng);
      }
      sum += differ;
      squares += differ * differ;
    }
    const Expected expected = expected_mismatches(model, relation);
    const double mean = sum / pairs;
    EXPECT_NEAR(mean, expected.mean, 3 * expected.sd / std::sqrt(pairs));
    EXPECT_NEAR(std::sqrt(squares / pairs - mean * mean), expected.sd,
                3 * expected.sd / std::sqrt(2. * pairs));
  }
}

TEST(PanelPower, LimitsAsPublished) {
  constexpr std::uint64_t profiles = 20'000'000;
  EXPECT_EQ(panel_power(uniform_model(94, .45), profiles).mismatch_limit, 11u);
  EXPECT_EQ(panel_power(uniform_model(52, .5), profiles).mismatch_limit, 0u);
  EXPECT_EQ(panel_power(uniform_model(1024, .2), profiles).mismatch_limit, 374u);
}

TEST(PanelPower, SaysWhenAPanelProvesNothing) {
  const PanelPower weak = panel_power(uniform_model(10, .5), 1'000'000);
  EXPECT_EQ(weak.mismatch_limit, std::nullopt);
  EXPECT_NEAR(weak.log10_expected_at_0, 6 + 10 * std::log10(.625), 1e-9);
  EXPECT_EQ(weak.max_contributors, 0u);
  const PanelPower none = panel_power(uniform_model(0, .5), 10);
  EXPECT_EQ(none.mismatch_limit, std::nullopt);
  EXPECT_EQ(none.log10_expected_at_0, 1);
}

TEST(PanelPower, MostContributorsIsTheLastAtWhichChanceBringsAtMostOne) {
  const PopulationModel model = uniform_model(1000, .2);
  const unsigned most = panel_power(model, 1'000'000).max_contributors;
  const auto free_of_exclusions = [](unsigned n) {
    const double c = carrier_probability(.2, 0);
    return 1'000'000 * std::pow(1 - std::pow(1 - c, n) * c, 1000);
  };
  EXPECT_GT(most, 1u);
  EXPECT_LE(free_of_exclusions(most), 1);
  EXPECT_GT(free_of_exclusions(most + 1), 1);
}

}  // namespace
}  // namespace fastid::stats
