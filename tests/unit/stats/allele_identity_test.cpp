// Identity by the alleles that were seen: published figures of a site, sums over sites, and people that are
// drawn.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "stats/internal/identity.hpp"
#include "stats/kinship.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {

using testing::AllelesSeen;
using testing::by_alleles;
using testing::model_of;

/// P(the second has h minor copies | the first has g), unrelated, by the sampling formula.
double given(double q, double theta, unsigned g, unsigned h) {
  const Seen seen{g, 2 - g};
  return (h == 1 ? 2 : 1) * sequence_probability(q, theta, seen, {h, 2 - h});
}

TEST(IdentityByAlleles, GivesThePublishedRatiosOfASite) {
  const PopulationModel model = model_of({.3}, .03);
  const IdentityModel alleles = by_alleles(model);
  const struct {
    const char *query, *stored;
    double unrelated, sibling;
  } published[] = {{"0", "0", .2803, .1300}, {"0", "1", -1.4525, -1.2462}, {"0", "2", -3.2379, -2.6562},
                   {"1", "1", .3679, .2131}, {"1", "2", -1.1588, -1.1646}, {"2", "2", .8964, .3416}};
  for (const auto& [x, y, unrelated, sibling] : published)
    for (const auto& [query, stored] : {std::pair{x, y}, {y, x}}) {
      const AllelesSeen asked(query), in(stored);
      EXPECT_NEAR(IdentityRatios(alleles, asked, Relation::kUnrelated).log10_lr(in), unrelated, 5e-5);
      EXPECT_NEAR(IdentityRatios(alleles, asked, Relation::kSibling).log10_lr(in), sibling, 5e-5);
    }
}

TEST(IdentityByAlleles, TheProbabilityOfAGenotypeIsThatOfDrawingItAgain) {
  const PopulationModel model = model_of({.1, .2, .4, .3}, .03);
  const AllelesSeen query("012-");
  EXPECT_NEAR(log10_match_probability(by_alleles(model), query),
              std::log10(given(.1, .03, 0, 0) * given(.2, .03, 1, 1) * given(.4, .03, 2, 2)), 1e-12);
  EXPECT_EQ(log10_match_probability(by_alleles(model), AllelesSeen("----")), 0);
  EXPECT_NEAR(MatchProbability(model).log10(query), log10_match_probability(by_alleles(model), query), 1e-12);
}

TEST(IdentityByAlleles, AnUnrelatedPersonDiffersByNoneOneOrTwoAlleles) {
  const PopulationModel model = model_of({.1, .2, .4, .3}, .01);
  const AllelesSeen query("012-"), compared("0-11");
  const std::vector<Event> events = mismatch_events(by_alleles(model), query, compared.row().called);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NEAR(events[0].no, given(.1, .01, 0, 0), 1e-15);
  EXPECT_NEAR(events[0].yes, given(.1, .01, 0, 1), 1e-15);
  EXPECT_NEAR(events[0].twice, given(.1, .01, 0, 2), 1e-15);
  EXPECT_NEAR(events[1].twice, given(.4, .01, 2, 0), 1e-15);
  const std::vector<Event> all = mismatch_events(by_alleles(model), query, query.row().called);
  EXPECT_NEAR(all[1].yes, given(.2, .01, 1, 0) + given(.2, .01, 1, 2), 1e-15);
  EXPECT_EQ(all[1].twice, 0) << "of a heterozygote nobody differs by two";
}

RC_GTEST_PROP(IdentityByAlleles, RatiosAreThoseOfKinship, ()) {
  const std::size_t sites = 70;
  std::mt19937_64 rng(*rc::gen::arbitrary<std::uint32_t>());
  const PopulationModel model = model_of(testing::random_frequencies(sites, rng), testing::fraction() / 5);
  AllelesSeen query(sites), stored(sites);
  for (AllelesSeen* const row : {&query, &stored})
    for (std::size_t site = 0; site < sites; ++site) row->set(site, static_cast<Shown>(rng() % 4));
  const IdentityModel alleles = by_alleles(model);
  const RelationRatios expected = KinshipModel(model).ratios(query, stored);
  const IdentityRatios ratios(alleles, query, Relation::kCousin);
  for (std::size_t r = 0; r < kRelations; ++r)
    RC_ASSERT(std::abs(ratios.with(stored).log10[r] - expected.log10[r]) < 1e-9);
  RC_ASSERT(std::abs(ratios.log10_lr(stored) - expected.between(Relation::kSame, Relation::kCousin)) < 1e-9);
}

/// Neither falls as theta rises: the probability of a genotype, the chance of so few differences.
RC_GTEST_PROP(IdentityByAlleles, AHigherThetaIsNeverAgainstTheSuspect, ()) {
  std::mt19937_64 rng(*rc::gen::arbitrary<std::uint32_t>());
  const std::vector<double> freq = testing::random_frequencies(40, rng);
  const auto [low, high] = testing::ordered(testing::fraction() / 2, testing::fraction() / 2);
  const PopulationModel less = model_of(freq, low), more = model_of(freq, high);
  AllelesSeen query(40);
  for (std::size_t site = 0; site < 40; ++site) query.set(site, static_cast<Shown>(rng() % 3));
  RC_ASSERT(log10_match_probability(by_alleles(more), query) >=
            log10_match_probability(by_alleles(less), query) - 1e-12);
}

TEST(IdentityByAlleles, ExpectedDifferencesAreThoseOfRelativesThatAreDrawn) {
  std::mt19937_64 rng(3);
  constexpr std::size_t kSites = 40, kDraws = 3'000;
  const std::vector<double> freq = testing::random_frequencies(kSites, rng);
  const PopulationModel model = model_of(freq, 0, .02);
  for (const Relation relation : {Relation::kSame, Relation::kParentChild, Relation::kSibling,
                                  Relation::kHalfSibling, Relation::kUnrelated}) {
    double differences = 0, expected = 0, variance = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      AllelesSeen query(kSites);
      for (std::size_t site = 0; site < kSites; ++site) {
        const auto [one, other] = testing::relatives(relation, freq[site], rng);
        const double w = relation == Relation::kSame ? .02 : 0;
        const Shown x = testing::read_genotype(one, w, rng), y = testing::read_genotype(other, w, rng);
        query.set(site, x);
        differences += std::abs(static_cast<int>(x) - static_cast<int>(y));
      }
      const Expected mark = expected_mismatches(by_alleles(model), relation, query);
      expected += mark.mean;
      variance += mark.sd * mark.sd;
    }
    EXPECT_NEAR(differences, expected, 4 * std::sqrt(variance)) << name_of(relation);
  }
}

TEST(IdentityByAlleles, WithoutErrorsADifferenceIsOfTwoPeople) {
  const PopulationModel model = model_of({.1, .2}, 0, 0);
  const IdentityModel alleles = by_alleles(model);
  const AllelesSeen query("01"), het("11"), same("01");
  const IdentityRatios ratios(alleles, query, Relation::kUnrelated);
  EXPECT_EQ(ratios.log10_lr(het), -INFINITY);
  EXPECT_EQ(ratios.with(het).between(Relation::kSame, Relation::kSibling), -INFINITY);
  EXPECT_GT(ratios.log10_lr(same), 0);
}

}  // namespace
}  // namespace fastid::stats
