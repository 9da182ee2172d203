// A query against one person: published figures, simulated families, and sums over sites made by hand.
#include "stats/internal/identity.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "stats/panel_power.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::by_bits;
using testing::model_of;
using testing::rows_of;
using testing::uniform_model;

/// P(an unrelated person's bit is the same | bit).
double again(double q, double theta, bool bit) {
  const BitPair at = joint_bits(q, theta, 0)[static_cast<std::size_t>(Relation::kUnrelated)];
  return bit ? at.both / (at.both + at.one) : at.none / (at.none + at.one);
}

TEST(Identity, MatchProbabilityIsTheProductOverCalledSites) {
  const PopulationModel model = model_of({.1, .2, .3, .4}, .02);
  const ProfileRows rows = rows_of({"10-1", "----"});
  EXPECT_NEAR(log10_match_probability(by_bits(model), rows.row(0)),
              std::log10(again(.1, .02, true) * again(.2, .02, false) * again(.4, .02, true)), 1e-12);
  EXPECT_EQ(log10_match_probability(by_bits(model), rows.row(1)), 0);
}

TEST(Identity, TablesOfManySitesAreTheSameOnAnyNumberOfThreads) {
  std::mt19937_64 rng(5);
  const PopulationModel model = model_of(testing::random_frequencies(2'500, rng), .02);
  for (const Encoding by : {Encoding::kMinor, Encoding::kAlleles}) {
    const IdentityModel one(model, by), many(model, by, 3);
    for (std::size_t site = 0; site < model.n_sites(); ++site)
      for (std::size_t x = 0; x < one.kinds(); ++x) {
        EXPECT_EQ(one.differs(site, x).yes, many.differs(site, x).yes);
        EXPECT_GT(many.differs(site, x).yes, 0);
        for (std::size_t y = 0; y < one.kinds(); ++y) {
          EXPECT_EQ(one.ratios(site, x, y).log10, many.ratios(site, x, y).log10);
          EXPECT_NE(many.ratios(site, x, y)[Relation::kSame], 0);
        }
      }
  }
}

/// By relation and bits, at one site, against unrelated people.
double ratio_at(double q, double theta, double w, Relation relation, double BitPair::*bits) {
  const auto joint = joint_bits(q, theta, w);
  return std::log10(joint[static_cast<std::size_t>(relation)].*bits /
                    joint[static_cast<std::size_t>(Relation::kUnrelated)].*bits);
}

TEST(Identity, RatiosAddUpSitesCalledInBoth) {
  const PopulationModel model = uniform_model(70, .1, .03);
  std::string query(70, '0'), stored(70, '0');
  query[0] = stored[0] = '1';  // both
  query[33] = '1';             // one
  query[40] = '-';             // not compared
  stored[69] = '-';
  const ProfileRows rows = rows_of({query, stored});
  const RelationRatios
      ratios = IdentityRatios(by_bits(model), rows.row(0), Relation::kUnrelated).with(rows.row(1)),
      mirrored = IdentityRatios(by_bits(model), rows.row(1), Relation::kUnrelated).with(rows.row(0));
  for (std::size_t r = 0; r < kRelations; ++r) {
    const auto relation = static_cast<Relation>(r);
    const auto at = [&](double BitPair::*bits) { return ratio_at(.1, .03, .005, relation, bits); };
    EXPECT_NEAR(ratios[relation], at(&BitPair::both) + at(&BitPair::one) + 66 * at(&BitPair::none), 1e-12);
    EXPECT_NEAR(ratios[relation], mirrored[relation], 1e-12);
  }
  EXPECT_EQ(ratios[Relation::kUnrelated], 0);
  EXPECT_EQ(ratios.between(Relation::kSame, Relation::kSibling),
            ratios[Relation::kSame] - ratios[Relation::kSibling]);
}

TEST(Identity, WithoutErrorsADifferenceIsOfTwoPeople) {
  const PopulationModel model = model_of({.1, .2}, 0, 0);
  const ProfileRows rows = rows_of({"01", "11", "01"});
  const IdentityModel bits(model, Encoding::kMinor);
  const IdentityRatios ratios(bits, rows.row(0), Relation::kUnrelated);
  const RelationRatios other = ratios.with(rows.row(1));
  EXPECT_EQ(other[Relation::kSame], -INFINITY);
  EXPECT_EQ(other.between(Relation::kSame, Relation::kSibling), -INFINITY);
  EXPECT_TRUE(std::isfinite(other[Relation::kSibling]));
  EXPECT_GT(ratios.with(rows.row(2))[Relation::kSame], 0);
}

TEST(Identity, MismatchEventsFollowTheQuerysBits) {
  const PopulationModel model = model_of({.1, .2, .3}, .01);
  const ProfileRows rows = rows_of({"1-0", "111"});
  const std::vector<Event> events = mismatch_events(by_bits(model), rows.row(0), rows.row(1).called);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NEAR(events[0].no, again(.1, .01, true), 1e-15);
  EXPECT_NEAR(events[0].yes, 1 - again(.1, .01, true), 1e-15);
  EXPECT_NEAR(events[1].no, again(.3, .01, false), 1e-15);
}

/// Twenty sites of any bits and minor-allele frequencies.
struct AnyQuery {
  std::vector<double> freq;
  ProfileRows rows;
};

AnyQuery any_query() {
  AnyQuery query{std::vector<double>(20), ProfileRows(1, 20)};
  for (std::uint32_t s = 0; s < 20; ++s) {
    query.freq[s] = testing::minor_frequency();
    query.rows.set(0, s, *rc::gen::arbitrary<bool>());
  }
  return query;
}

RC_GTEST_PROP(CoAncestry, NeverMakesAMatchRarer, ()) {
  const AnyQuery query = any_query();
  const auto [less, more] = testing::ordered(testing::fraction(), testing::fraction());
  const RowView row = query.rows.row(0);
  const PopulationModel free = model_of(query.freq, less), kin = model_of(query.freq, more);
  RC_ASSERT(log10_match_probability(by_bits(kin), row) >=
            log10_match_probability(by_bits(free), row) - 1e-12);
  const PoissonBinomial of_free(mismatch_events(by_bits(free), row, row.called)),
      of_kin(mismatch_events(by_bits(kin), row, row.called));
  const std::uint32_t k = *rc::gen::inRange(0u, 20u);
  RC_ASSERT(of_kin.log10_cdf(k) >= of_free.log10_cdf(k) - 1e-10);
}

RC_GTEST_PROP(CoAncestry, NeverMakesTheSamePersonLikelierOfEqualBits, ()) {
  const AnyQuery query = any_query();
  const auto [less, more] = testing::ordered(testing::fraction(), testing::fraction());
  const RowView row = query.rows.row(0);
  const PopulationModel free = model_of(query.freq, less), kin = model_of(query.freq, more);
  RC_ASSERT(IdentityRatios(by_bits(kin), row, Relation::kUnrelated).with(row)[Relation::kSame] <=
            IdentityRatios(by_bits(free), row, Relation::kUnrelated).with(row)[Relation::kSame] + 1e-11);
}

TEST(Suggest, IsWhatExplainsTheBitsTenTimesAsWellAsAllElse) {
  const auto suggested = [](double same, double parent, double sibling, double half, double cousin) {
    return suggest(RelationRatios{{same, parent, sibling, half, cousin, 0}});
  };
  EXPECT_EQ(suggested(9, 2, 3, 1, .5), Suggestion::kSame);
  EXPECT_EQ(suggested(4, 2, 3, 1, .5), Suggestion::kSame);
  EXPECT_EQ(suggested(3.9, 2, 3, 1, .5), Suggestion::kInconclusive);
  EXPECT_EQ(suggested(-200, 30, 20, 12, 4), Suggestion::kFirstDegree);
  EXPECT_EQ(suggested(-200, 20, 30, 12, 4), Suggestion::kFirstDegree);
  EXPECT_EQ(suggested(-200, 7.9, 9, 8.1, 4), Suggestion::kInconclusive);
  EXPECT_EQ(suggested(-200, -5, 3, 8, 4), Suggestion::kSecondDegree);
  EXPECT_EQ(suggested(-200, -50, -30, -1, 2), Suggestion::kUnrelated);  // cousins are as good as strangers
  EXPECT_EQ(suggested(-INFINITY, -50, -30, -.5, -.2), Suggestion::kInconclusive);
  EXPECT_EQ(suggested(0, 0, 0, 0, 0), Suggestion::kInconclusive);
}

TEST(Suggest, IsMostlyRightOfFamiliesThatAreDrawn) {
  std::mt19937_64 rng(14);
  const std::vector<double> freq = testing::random_frequencies(1500, rng);
  const PopulationModel model = model_of(freq, .01);
  const std::pair<Relation, Suggestion> truths[] = {{Relation::kSame, Suggestion::kSame},
                                                    {Relation::kParentChild, Suggestion::kFirstDegree},
                                                    {Relation::kSibling, Suggestion::kFirstDegree},
                                                    {Relation::kUnrelated, Suggestion::kUnrelated}};
  for (const auto& [relation, truth] : truths) {
    int right = 0;
    for (int i = 0; i < 100; ++i) {
      ProfileRows rows(2, 1500);
      for (std::uint32_t s = 0; s < 1500; ++s) {
        const auto [one, other] = testing::relatives(relation, freq[s], rng);
        rows.set(0, s, testing::read(one, .005, rng));
        rows.set(1, s, testing::read(other, .005, rng));
      }
      right += suggest(IdentityRatios(by_bits(model), rows.row(0), Relation::kUnrelated).with(rows.row(1))) ==
               truth;
    }
    EXPECT_GE(right, 95) << static_cast<int>(relation);
  }
}

TEST(Identity, ChanceMatchesAreAsManyAsDrawn) {
  std::mt19937_64 rng(11);
  const std::vector<double> freq = testing::random_frequencies(50, rng);
  const PopulationModel model = model_of(freq);
  ProfileRows query(1, 50);
  for (std::uint32_t s = 0; s < 50; ++s) query.set(0, s, testing::person(freq[s], rng).carrier());
  const RowView row = query.row(0);
  const PoissonBinomial mismatches(mismatch_events(by_bits(model), row, row.called));
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
  EXPECT_NEAR(expected_mismatches(model, Relation::kSibling).mean, .15795, 5e-6);
  EXPECT_NEAR(expected_mismatches(model, Relation::kUnrelated).mean, .30780, 5e-6);
  EXPECT_EQ(expected_mismatches(model_of({.1}, 0, 0), Relation::kSame).mean, 0);
}

TEST(Relatives, GivenTheQueryAverageToThoseOfThePanel) {
  const PopulationModel model = model_of({.1}, .05);
  const ProfileRows rows = rows_of({"0", "1"});
  const std::array<double, 3> genotypes = genotype_probabilities(.1, .05);
  for (const Relation relation :
       {Relation::kParentChild, Relation::kSibling, Relation::kCousin, Relation::kUnrelated})
    EXPECT_NEAR(
        genotypes[0] * expected_mismatches(by_bits(model), relation, rows.row(0)).mean +
            (genotypes[1] + genotypes[2]) * expected_mismatches(by_bits(model), relation, rows.row(1)).mean,
        expected_mismatches(model, relation).mean, 1e-12);
}

TEST(Relatives, FamiliesThatAreDrawnDifferAsExpected) {
  std::mt19937_64 rng(12);
  constexpr double w = .03;
  const std::vector<double> freq = testing::random_frequencies(40, rng);
  const PopulationModel model = model_of(freq, 0, w);
  constexpr int pairs = 20'000;
  for (const Relation relation : {Relation::kSame, Relation::kParentChild, Relation::kSibling,
                                  Relation::kHalfSibling, Relation::kCousin, Relation::kUnrelated}) {
    double sum = 0, squares = 0;
    for (int i = 0; i < pairs; ++i) {
      int differ = 0;
      for (const double q : freq) {
        const auto [one, other] = testing::relatives(relation, q, rng);
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
    const double c = 1 - .8 * .8;
    return 1'000'000 * std::pow(1 - std::pow(1 - c, n) * c, 1000);
  };
  EXPECT_GT(most, 1u);
  EXPECT_LE(free_of_exclusions(most), 1);
  EXPECT_GT(free_of_exclusions(most + 1), 1);
}

}  // namespace
}  // namespace fastid::stats
