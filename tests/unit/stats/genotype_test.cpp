// One site: published figures, sums that must be 1, and populations that are drawn allele by allele.
#include "stats/genotype.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::Alleles;

constexpr double kDigits6 = 5e-7, kDigits4 = 5e-5;

TEST(Genotype, MatchProbabilitiesAsPublished) {
  const ByGenotype match = match_probabilities(.1, .01);
  EXPECT_NEAR(match.major_hom, .814435, kDigits6);
  EXPECT_NEAR(match.het, .190660, kDigits6);
  EXPECT_NEAR(match.minor_hom, .014901, kDigits6);
}

TEST(Genotype, IdentityRatiosAsPublished) {
  const IdentityRatios ratios = identity_ratios(.1, 0, .005);
  EXPECT_NEAR(ratios.none, .0905, kDigits4);
  EXPECT_NEAR(ratios.one, -1.2506, kDigits4);
  EXPECT_NEAR(ratios.both, .6851, kDigits4);
}

TEST(Genotype, MixtureRatiosAsPublished) {
  const MixtureRatios ratios = mixture_ratios(.1, 0, 2, .005);
  EXPECT_NEAR(ratios.m0r0, .0909, kDigits4);
  EXPECT_NEAR(ratios.m0r1, -2.1170, kDigits4);
  EXPECT_NEAR(ratios.m1r0, -.2526, kDigits4);
  EXPECT_NEAR(ratios.m1r1, .4594, kDigits4);
}

TEST(Genotype, OneDifferenceExcludesOnlyWithoutErrors) {
  EXPECT_EQ(identity_ratios(.1, 0, 0).one, -INFINITY);
  EXPECT_TRUE(std::isfinite(identity_ratios(.1, 0, 1e-12).one));
  EXPECT_EQ(mixture_ratios(.1, 0, 3, 0).m0r1, -INFINITY);
  EXPECT_EQ(mixture_ratios(.1, 0, 1, 0).m1r0, -INFINITY);
  EXPECT_TRUE(std::isfinite(mixture_ratios(.1, 0, 2, 0).m1r0));
}

TEST(Genotype, AreFiniteAtTheEdgesOfFrequencyAndContributors) {
  for (const double q : {1e-300, 1e-9, .5, 1 - 1e-9, 1 - 1e-16})
    for (const double theta : {0., .01, 1.})
      for (const double w : {0., .005, .5}) {
        const IdentityRatios same = identity_ratios(q, theta, w);
        for (const double ratio : {same.none, same.both}) EXPECT_TRUE(std::isfinite(ratio)) << q << ' ' << w;
        EXPECT_FALSE(std::isnan(same.one));
        for (const unsigned n : {1u, 2u, 20u, 1000u}) {
          const MixtureRatios mixed = mixture_ratios(q, theta, n, w);
          EXPECT_TRUE(std::isfinite(mixed.m0r0) && std::isfinite(mixed.m1r1)) << q << ' ' << n << ' ' << w;
          EXPECT_FALSE(std::isnan(mixed.m0r1) || std::isnan(mixed.m1r0));
        }
      }
}

TEST(Genotype, RareAllelesKeepTheirDigits) {
  EXPECT_DOUBLE_EQ(carrier_probability(1e-20, 0), 2e-20);
  EXPECT_DOUBLE_EQ(carriers_among(1e-20, 0, 5).some, 1e-19);
  EXPECT_NEAR(carriers_among(.5, 0, 30).none * std::pow(4, 30), 1, 1e-13);
}

double frequency() {
  return *rc::gen::inRange(1, 10000) / 10000.;
}

RC_GTEST_PROP(Genotype, ProbabilitiesAddUpToOne, ()) {
  const double q = frequency(), theta = frequency();
  const ByGenotype people = genotype_probabilities(q, theta);
  RC_ASSERT(std::abs(people.major_hom + people.het + people.minor_hom - 1) < 1e-12);
  RC_ASSERT(std::abs(carrier_probability(q, theta) + non_carrier_probability(q, theta) - 1) < 1e-12);
  RC_ASSERT(std::abs(people.het + people.minor_hom - carrier_probability(q, theta)) < 1e-12);
}

// The mean of a likelihood ratio over what the alternative brings is 1, whatever the parameters.
RC_GTEST_PROP(Genotype, RatiosAverageToOneUnderTheAlternative, ()) {
  const double q = frequency(), theta = frequency() / 10, w = frequency() / 4;
  const ByGenotype people = genotype_probabilities(q, theta), read_1 = read_as_carrier(w);
  const double one =
      people.major_hom * read_1.major_hom + people.het * read_1.het + people.minor_hom * read_1.minor_hom;
  const IdentityRatios same = identity_ratios(q, theta, w);
  const double mean = (1 - one) * (1 - one) * std::pow(10, same.none) +
                      2 * one * (1 - one) * std::pow(10, same.one) + one * one * std::pow(10, same.both);
  RC_ASSERT(std::abs(mean - 1) < 1e-9);

  const unsigned n = *rc::gen::inRange(1u, 20u);
  const double some = carriers_among(q, theta, n).some, mixed_1 = some * (1 - w) + (1 - some) * w;
  const MixtureRatios mixed = mixture_ratios(q, theta, n, w);
  RC_ASSERT(std::abs((1 - mixed_1) * std::pow(10, mixed.m0r0) + mixed_1 * std::pow(10, mixed.m1r0) - 1) <
            1e-9);
  RC_ASSERT(std::abs((1 - mixed_1) * std::pow(10, mixed.m0r1) + mixed_1 * std::pow(10, mixed.m1r1) - 1) <
            1e-9);
}

/// A local population's frequency, F_ST = theta around q.
double local_frequency(double q, double theta, std::mt19937_64& rng) {
  const double scale = (1 - theta) / theta;
  const double minor = std::gamma_distribution<double>(q * scale)(rng);
  const double major = std::gamma_distribution<double>((1 - q) * scale)(rng);
  return minor / (minor + major);
}

TEST(Genotype, PeopleOfLocalPopulationsMatchAsOftenAsThetaSays) {
  constexpr double q = .2, theta = .05;
  std::mt19937_64 rng(20191);
  std::size_t people = 0, carriers = 0, of[3] = {}, again[3] = {};
  for (; people < 400'000; ++people) {
    const double local = local_frequency(q, theta, rng);
    const Alleles one = testing::person(local, rng), other = testing::person(local, rng);
    const int copies = one.first + one.second;
    carriers += one.carrier();
    ++of[copies];
    again[copies] += copies == other.first + other.second;
  }
  testing::expect_share(carriers, people, carrier_probability(q, theta));
  const ByGenotype expected = genotype_probabilities(q, theta), match = match_probabilities(q, theta);
  testing::expect_share(of[0], people, expected.major_hom);
  testing::expect_share(of[1], people, expected.het);
  testing::expect_share(again[0], of[0], match.major_hom);
  testing::expect_share(again[1], of[1], match.het);
  testing::expect_share(again[2], of[2], match.minor_hom);
}

TEST(Genotype, ReadingAPersonTwiceDiffersAsOftenAsTheRatiosSay) {
  constexpr double q = .15, w = .05;
  std::mt19937_64 rng(20192);
  constexpr std::size_t draws = 400'000;
  std::size_t differ = 0, both = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const Alleles one = testing::person(q, rng);
    const bool x = testing::read(one, w, rng), y = testing::read(one, w, rng);
    differ += x != y;
    both += x && y;
  }
  const ByGenotype people = genotype_probabilities(q, 0), read_1 = read_as_carrier(w);
  const double c =
      people.major_hom * read_1.major_hom + people.het * read_1.het + people.minor_hom * read_1.minor_hom;
  const IdentityRatios ratios = identity_ratios(q, 0, w);
  testing::expect_share(differ, draws, 2 * c * (1 - c) * std::pow(10, ratios.one));
  testing::expect_share(both, draws, c * c * std::pow(10, ratios.both));
}

TEST(FrequencyFloor, IsOneAlleleMoreThanWasCounted) {
  EXPECT_DOUBLE_EQ(frequency_floor({}, 99), .005);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{.001}, 99), .005);
}

TEST(FrequencyFloor, ChangesNoStatedFrequencyWhereNoCountIsKnown) {
  EXPECT_DOUBLE_EQ(frequency_floor({}, {}), 1 / 202.);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{0., 1., .3}, {}), 1 / 202.);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{0., .0001, .3}, {}), .0001);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{.9999, .3}, {}), 1 - .9999);
}

}  // namespace
}  // namespace fastid::stats
