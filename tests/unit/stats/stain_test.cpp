// The model of a stain: exact quadrature, one site against sums over all ordered alleles, fits, weights.
#include "stats/stain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stats/internal/allele_moments.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/internal/stain_lanes.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using testing::chance;
using testing::fraction;
using testing::minor_frequency;
using testing::model_of;
using testing::profile_of;
using testing::random_frequencies;
using testing::relatives;
using testing::stain_of;
using testing::uniform_model;

RC_GTEST_PROP(AlleleMoments, AreTheSamplingFormula, ()) {
  const double q = minor_frequency(), theta = fraction();
  const auto n = *rc::gen::inRange<unsigned>(0, 2 * kMostContributors + 3);
  std::vector<double> moments(n + 1);
  AlleleMoments(n, theta).at(q, moments);
  for (unsigned minor = 0; minor <= n; ++minor) {
    const double formula = sequence_probability(q, theta, {}, {minor, n - minor});
    RC_ASSERT(std::abs(moments[minor] - formula) <= 1e-13 * formula);
  }
}

TEST(AlleleMoments, AreThoseOfOneAlleleWhereAllOfAPopulationAreAlike) {
  std::array<double, 4> moments{};
  AlleleMoments(3, 1).at(.3, moments);
  EXPECT_DOUBLE_EQ(moments[0], .7);
  EXPECT_EQ(moments[1], 0);
  EXPECT_EQ(moments[2], 0);
  EXPECT_DOUBLE_EQ(moments[3], .3);
}

RC_GTEST_PROP(StainLanes, LogarithmsHaveAllDigits, ()) {
  const double x =
      std::ldexp(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 52), *rc::gen::inRange(-1074, 970));
  std::array<double, 1> logs{x};
  natural_logs(logs);
  RC_ASSERT(std::abs(logs[0] - std::log(x)) <= 3e-16 * std::abs(std::log(x)));
}

TEST(StainLanes, LogarithmsAtTheEnds) {
  std::array<double, 4> logs{0, 1, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::min()};
  natural_logs(logs);
  EXPECT_EQ(logs[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(logs[1], 0);
  EXPECT_EQ(logs[2], std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(logs[3], std::log(std::numeric_limits<double>::min()));
}

/// What ratios_of_sites() makes of joint probabilities, by descent.
RatiosOfSite ratios_of_joint(double none, double one, double two) {
  JointTerms terms{};
  terms[0] = none, terms[kJointRow] = one, terms[2 * kJointRow] = two;
  const double moment = 1;
  const SiteOfStain site{{&moment, 1}, {&terms, 1}};
  RatiosOfSite ratios;
  ratios_of_sites({&site, 1}, {&ratios, 1});
  return ratios;
}

TEST(StainLanes, RatiosAreThoseOfGenotypes) {
  for (const auto& [none, one, two] :
       {std::array{.1, .2, .3}, {1e-300, 1e-310, 0.}, {.2, 0., 0.}, {0., 0., 0.}, {0., .5, 0.}}) {
    const RelationRatios plain = relation_ratios(none, one, two), lanes = ratios_of_joint(none, one, two)[0];
    for (std::size_t r = 0; r < kRelations; ++r)
      if (std::isfinite(plain.log10[r]))
        EXPECT_NEAR(lanes.log10[r], plain.log10[r], 1e-13);
      else
        EXPECT_EQ(lanes.log10[r], plain.log10[r]) << r;
  }
}

StainParameters numbers_of(unsigned least, unsigned most, std::vector<double> drop_outs = {}) {
  return {
      .least = least, .most = most, .estimated = false, .drop_outs = std::move(drop_outs), .drop_in = .005};
}

/// One support, whose first drop-out is that of the contributor in question.
StainSupport support_of(std::vector<double> unknown, std::vector<double> known = {}) {
  const double own = unknown.front();
  unknown.erase(unknown.begin());
  return {static_cast<unsigned>(1 + unknown.size() + known.size()),
          own,
          std::move(unknown),
          std::move(known),
          0,
          {}};
}

/// log10 ratios of a site where the stain and the person show these: contributor, parent-child, sibling,
/// half-sibling.
std::array<double, 4> ratios_at(double q, double theta, double w, const RowView& stain,
                                std::span<const RowView> known, Encoding by, const StainSupport& support,
                                const RowView& person) {
  const PopulationModel population("test", std::vector{q}, {theta, w});
  const StainModel model(population, known, by, numbers_of(1, support.contributors));
  const RelationRatios at = model.weigh(stain, {&support, 1}, {&person, 1}).front().relations;
  return {at[Relation::kSame], at[Relation::kParentChild], at[Relation::kSibling],
          at[Relation::kHalfSibling]};
}

void expect_ratios(const std::array<double, 4>& ratios, const std::array<double, 4>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ratios[i], expected[i], 1e-8) << i;
}

// Figures by sums over all ordered alleles, one after the other by the sampling formula.
TEST(Stain, SiteByAlleles) {
  expect_ratios(
      ratios_at(0.1, 0, 0.005, AllelesSeen("0"), {}, Encoding::kAlleles, support_of({0.3}), AllelesSeen("0")),
      {0.069385557, 0.034826328, 0.035452109, 0.017762163});
  expect_ratios(
      ratios_at(0.1, 0, 0.005, AllelesSeen("0"), {}, Encoding::kAlleles, support_of({0.3}), AllelesSeen("1")),
      {-0.508185124, -0.166163234, -0.174819304, -0.075182761});
  expect_ratios(
      ratios_at(0.1, 0, 0.005, AllelesSeen("0"), {}, Encoding::kAlleles, support_of({0.3}), AllelesSeen("2")),
      {-1.598562834, -0.551802439, -0.401607829, -0.193592416});
  expect_ratios(ratios_at(0.1, 0.01, 0.005, AllelesSeen("2"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001}), AllelesSeen("0")),
                {-0.041800118, -0.020935155, -0.020666171, -0.010341443});
  expect_ratios(ratios_at(0.1, 0.01, 0.005, AllelesSeen("2"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001}), AllelesSeen("1")),
                {0.104873650, 0.058850940, 0.057225912, 0.030421564});
  expect_ratios(ratios_at(0.1, 0.01, 0.005, AllelesSeen("2"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001}), AllelesSeen("2")),
                {0.252311889, 0.126130750, 0.135273174, 0.067628340});
  expect_ratios(ratios_at(0.1, 0.01, 0.005, AllelesSeen("0"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001}), AllelesSeen("0")),
                {0.025241459, 0.012603627, 0.012703867, 0.006347533});
  expect_ratios(ratios_at(0.1, 0.01, 0.005, AllelesSeen("0"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001}), AllelesSeen("1")),
                {-0.118876412, -0.053291534, -0.054336227, -0.025828865});
  expect_ratios(ratios_at(0.1, 0.01, 0.005, AllelesSeen("0"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001}), AllelesSeen("2")),
                {-0.264464231, -0.132237730, -0.122208134, -0.061105078});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("1"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001, 0.3}), AllelesSeen("0")),
                {-0.030562991, -0.014222047, -0.014617192, -0.007052809});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("1"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001, 0.3}), AllelesSeen("1")),
                {0.022734676, 0.009802617, 0.010660197, 0.004928965});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("1"), {}, Encoding::kAlleles,
                          support_of({0.7, 0.0001, 0.3}), AllelesSeen("2")),
                {0.040681880, 0.024185576, 0.022504613, 0.012261126});
}
TEST(Stain, SiteWithAKnownContributor) {
  const AllelesSeen heterozygous("1");
  const std::array<RowView, 1> known{heterozygous};
  expect_ratios(ratios_at(0.2, 0.01, 0.005, AllelesSeen("0"), known, Encoding::kAlleles,
                          support_of({0.4}, {0.05}), AllelesSeen("0")),
                {0.112236064, 0.055994897, 0.057868310, 0.028899273});
  expect_ratios(ratios_at(0.2, 0.01, 0.005, AllelesSeen("0"), known, Encoding::kAlleles,
                          support_of({0.4}, {0.05}), AllelesSeen("1")),
                {-0.272344430, -0.094056889, -0.104482639, -0.044487121});
  expect_ratios(ratios_at(0.2, 0.01, 0.005, AllelesSeen("0"), known, Encoding::kAlleles,
                          support_of({0.4}, {0.05}), AllelesSeen("2")),
                {-0.665640323, -0.329938987, -0.269307553, -0.134362859});
}
TEST(Stain, SiteByBits) {
  expect_ratios(ratios_at(0.1, 0, 0.0, AllelesSeen("0"), {}, Encoding::kMinor, support_of({0.005, 0.005}),
                          AllelesSeen("0")),
                {0.091032566, 0.045516283, 0.046708322, 0.023354161});
  expect_ratios(ratios_at(0.1, 0, 0.0, AllelesSeen("0"), {}, Encoding::kMinor, support_of({0.005, 0.005}),
                          AllelesSeen("1")),
                {-2.233357905, -0.276588739, -0.287406083, -0.116637875});
  expect_ratios(ratios_at(0.1, 0, 0.0, AllelesSeen("1"), {}, Encoding::kMinor, support_of({0.005, 0.005}),
                          AllelesSeen("0")),
                {-0.252831012, -0.101880539, -0.105063981, -0.047959593});
  expect_ratios(ratios_at(0.1, 0, 0.0, AllelesSeen("1"), {}, Encoding::kMinor, support_of({0.005, 0.005}),
                          AllelesSeen("1")),
                {0.459601244, 0.276793196, 0.282410813, 0.160084599});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("0"), {}, Encoding::kMinor,
                          support_of({0.005, 0.005}), AllelesSeen("0")),
                {0.262613588, 0.129253278, 0.140191777, 0.069417488});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("0"), {}, Encoding::kMinor,
                          support_of({0.005, 0.005}), AllelesSeen("1")),
                {-1.527374113, -0.225417876, -0.255732522, -0.098245000});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("1"), {}, Encoding::kMinor,
                          support_of({0.005, 0.005}), AllelesSeen("0")),
                {-0.172351329, -0.063835344, -0.070703198, -0.030745861});
  expect_ratios(ratios_at(0.3, 0.03, 0.005, AllelesSeen("1"), {}, Encoding::kMinor,
                          support_of({0.005, 0.005}), AllelesSeen("1")),
                {0.113734759, 0.051125403, 0.055878405, 0.026314581});
}

struct Pair {
  std::vector<testing::Alleles> one, other;
};
Pair pair_of(Relation relation, const std::vector<double>& freq, std::mt19937_64& rng) {
  Pair pair;
  for (const double q : freq) {
    const auto [one, other] = relatives(relation, q, rng);
    pair.one.push_back(one);
    pair.other.push_back(other);
  }
  return pair;
}

TEST(Stain, OfOnePersonSetsABrotherBehindABrotherOfAContributor) {
  std::mt19937_64 rng(1);
  const std::vector<double> freq = random_frequencies(1000, rng);
  const PopulationModel population = model_of(freq, .01);
  const StainModel model(population, {}, Encoding::kAlleles, {});
  const Pair brothers = pair_of(Relation::kSibling, freq, rng);
  const std::array<double, 1> none{0};
  const AllelesSeen stain = stain_of({brothers.one}, none, rng);
  const std::vector<StainSupport> supports = model.supports(stain);
  EXPECT_GT(probabilities_of_numbers(supports)[0], .5);
  const AllelesSeen donor = profile_of(brothers.one), brother = profile_of(brothers.other);
  const std::array<RowView, 2> people{donor, brother};
  const std::vector<StainEvidence> evidence = model.weigh(stain, supports, people);
  EXPECT_GT(evidence[0].relations[Relation::kSame], 200);
  EXPECT_GT(evidence[0].relations.between(Relation::kSame, Relation::kSibling), 100);
  EXPECT_LT(evidence[1].relations.between(Relation::kSame, Relation::kSibling), 3);
  EXPECT_GT(evidence[1].relations[Relation::kSibling], 10);
}

TEST(Stain, FindsAMinorContributorWhoLostMore) {
  std::mt19937_64 rng(2);
  const std::vector<double> freq = random_frequencies(1000, rng);
  const PopulationModel population = model_of(freq, .01);
  const StainModel model(population, {}, Encoding::kAlleles, {});
  const Pair two = pair_of(Relation::kUnrelated, freq, rng),
             others = pair_of(Relation::kUnrelated, freq, rng);
  const std::array<double, 2> drop_outs{0, .5};
  const AllelesSeen stain = stain_of({two.one, two.other}, drop_outs, rng);
  const std::vector<StainSupport> supports = model.supports(stain);
  EXPECT_GT(probabilities_of_numbers(supports)[1], .8);
  const AllelesSeen major = profile_of(two.one), minor = profile_of(two.other),
                    stranger = profile_of(others.one);
  const std::array<RowView, 3> people{major, minor, stranger};
  const std::vector<StainEvidence> evidence = model.weigh(stain, supports, people);
  EXPECT_GT(evidence[0].relations[Relation::kSame], 100);
  EXPECT_GT(evidence[1].relations[Relation::kSame], 3);
  EXPECT_LT(evidence[2].relations[Relation::kSame], 1);
  EXPECT_LT(supports[evidence[0].support].own, .1);
  EXPECT_NEAR(supports[evidence[1].support].own, .5, .2);
}

/// Whatever was fitted, and whoever is known to have contributed.
RC_GTEST_PROP(Stain, RatiosOfUnrelatedPeopleHaveMean1, ()) {
  const double q = minor_frequency(), w = fraction() / 10;
  const bool alleles = *rc::gen::arbitrary<bool>();
  const Encoding by = alleles ? Encoding::kAlleles : Encoding::kMinor;
  const AllelesSeen stain(std::string(1, static_cast<char>('0' + *rc::gen::inRange(0, alleles ? 3 : 2))));
  const AllelesSeen known(std::string(1, *rc::gen::element('0', '1', '2', '-')));
  const std::array<RowView, 1> known_rows{known};
  const StainSupport support = support_of({fraction() * .99, fraction() * .99}, {.01 + fraction() * .98});
  const PopulationModel population = model_of({q}, 0, w);
  const StainModel model(population, known_rows, by, numbers_of(1, 3));
  const Readings read = readings(w);
  const auto genotypes = genotype_probabilities(population.minor_freq()[0], 0);
  std::array<double, kRelations> mean{};
  for (std::size_t x = 0; x < kGenotypes; ++x) {
    const AllelesSeen person(std::string(1, static_cast<char>('0' + x)));
    const RowView row = person;
    const RelationRatios at = model.weigh(stain, {&support, 1}, {&row, 1}).front().relations;
    double seen = 0;
    for (std::size_t g = 0; g < kGenotypes; ++g) seen += genotypes[g] * read[g][x];
    for (std::size_t r = 0; r < kRelations; ++r) mean[r] += seen * std::pow(10, at.log10[r]);
  }
  for (const double of_relation : mean) RC_ASSERT(std::abs(of_relation - 1) < 1e-9);
}

/// What a person shows at sites without a call says nothing, and known people who are not called are unknown.
TEST(Stain, TakesSitesWithoutCallsForUnknown) {
  const PopulationModel population = model_of({.1, .2, .3, .4}, .01);
  const AllelesSeen stain("01-1"), person("0-12"), less("0--2"), known("1--0"), nobody("----");
  const std::array<RowView, 1> known_rows{known}, nobody_known{nobody};
  const std::array<RowView, 2> people{person, less};
  const StainSupport two = support_of({.1, .3}), with_known = support_of({.1}, {.3});
  const auto weigh = [&](std::span<const RowView> rows, const StainSupport& support) {
    return StainModel(population, rows, Encoding::kAlleles, numbers_of(1, 2))
        .weigh(stain, {&support, 1}, people);
  };
  const auto alone = weigh({}, two), beside_nobody = weigh(nobody_known, with_known),
             beside = weigh(known_rows, with_known);
  for (std::size_t r = 0; r < kRelations; ++r) {
    EXPECT_EQ(alone[0].relations.log10[r], alone[1].relations.log10[r]);
    EXPECT_NEAR(alone[0].relations.log10[r], beside_nobody[0].relations.log10[r], 1e-12);
  }
  EXPECT_GT(std::abs(alone[0].relations[Relation::kSame] - beside[0].relations[Relation::kSame]), .01);
}

TEST(Stain, GivenDropOutsAreSupportsOfEachContributor) {
  const PopulationModel population = uniform_model(40, .3);
  const AllelesSeen stain("0112011201120112011201120112011201120112"),
      known("0101010101010101010101010101010101010101");
  const std::array<RowView, 1> known_rows{known};
  const auto supports = [&](std::span<const RowView> rows, StainParameters parameters) {
    return StainModel(population, rows, Encoding::kAlleles, parameters).supports(stain);
  };
  const auto three = supports(known_rows, numbers_of(3, 3, {.3, .1, .6}));
  ASSERT_EQ(three.size(), 2);
  EXPECT_EQ(three[0].own, .1);
  EXPECT_EQ(three[0].unknown, std::vector{.6});
  EXPECT_EQ(three[1].own, .6);
  EXPECT_EQ(three[1].known, std::vector{.3});
  EXPECT_NEAR(three[0].log_weight, std::log(.5), 1e-12);
  const auto same = supports({}, numbers_of(1, 2, {.2}));
  ASSERT_EQ(same.size(), 2);
  EXPECT_EQ(same[1].unknown, std::vector{.2});
  EXPECT_NEAR(std::exp(same[0].log_weight) + std::exp(same[1].log_weight), 1, 1e-12);
}

/// The derivatives lead to a peak: no neighbour is higher.
TEST(Stain, FitsDropOuts) {
  std::mt19937_64 rng(3);
  const std::vector<double> freq = random_frequencies(600, rng);
  const PopulationModel population = model_of(freq);
  const Pair two = pair_of(Relation::kUnrelated, freq, rng), third = pair_of(Relation::kUnrelated, freq, rng);
  const std::array<double, 3> drop_outs{.02, .3, .6};
  const AllelesSeen stain = stain_of({two.one, two.other, third.one}, drop_outs, rng);
  const AllelesSeen known = profile_of(third.one);
  const std::array<RowView, 1> known_rows{known};
  for (const Encoding by : {Encoding::kAlleles, Encoding::kMinor}) {
    const StainFit fit(population, stain, known_rows, by, .005);
    std::array<DropOutGroup, 3> groups{{{0, 1, .02}, {0, 1, .1}, {1, 1, .1}}};
    const double best = fit.fit(groups, 1);
    EXPECT_DOUBLE_EQ(best, fit.log_likelihood(groups));
    EXPECT_NEAR(groups[2].drop_out, .6, .15);
    for (std::size_t i = 1; i < groups.size(); ++i)
      for (const double step : {-1e-3, 1e-3}) {
        std::array<DropOutGroup, 3> near = groups;
        near[i].drop_out += step;
        EXPECT_LT(fit.log_likelihood(near), best);
      }
    std::array<DropOutGroup, 2> shared{{{0, 1, .02}, {0, 3, .5}}};
    std::array<DropOutGroup, 4> apart{{{0, 1, .02}, {0, 1, .5}, {0, 1, .5}, {0, 1, .5}}};
    EXPECT_NEAR(fit.log_likelihood(shared), fit.log_likelihood(apart), 1e-9);
  }
}

TEST(Stain, ThatNothingExplainsHasSupports) {
  const PopulationModel population = model_of({.1, .2});
  const AllelesSeen stain("00"), known("22"), person("00");
  const std::array<RowView, 1> known_rows{known};
  StainParameters parameters = numbers_of(2, 3, {0.});
  parameters.drop_in = 0;
  const StainModel model(population, known_rows, Encoding::kAlleles, parameters);
  const auto supports = model.supports(stain);
  EXPECT_EQ(supports.size(), 2);
  const RowView row = person;
  EXPECT_NEAR(model.weigh(stain, supports, {&row, 1}).front().relations[Relation::kSame], 0, 1e-12);
}

TEST(Stain, WithoutASiteSaysNothing) {
  const PopulationModel population = model_of({.1, .2});
  const AllelesSeen stain("--"), person("00");
  const StainModel model(population, {}, Encoding::kAlleles, {});
  const auto supports = model.supports(stain);
  ASSERT_FALSE(supports.empty());
  const RowView row = person;
  EXPECT_NEAR(model.weigh(stain, supports, {&row, 1}).front().relations[Relation::kSame], 0, 1e-4);
}

}  // namespace
}  // namespace fastid::stats
