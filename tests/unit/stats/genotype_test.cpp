// One site: published figures, sums that must be 1, and populations that are drawn allele by allele.
#include "stats/internal/genotype.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::Alleles;
using testing::fraction;
using testing::kDigits4;
using testing::minor_frequency;

constexpr double kDigits6 = 5.0001e-7;
constexpr auto kSame = static_cast<std::size_t>(Relation::kSame),
               kParentChild = static_cast<std::size_t>(Relation::kParentChild),
               kSibling = static_cast<std::size_t>(Relation::kSibling),
               kUnrelated = static_cast<std::size_t>(Relation::kUnrelated);

TEST(JointGenotypes, OfUnrelatedPeopleAsPublished) {
  const JointGenotypes joint = joint_genotypes(.1, .01, ibd_of(Relation::kUnrelated));
  constexpr double published[3][3] = {
      {.660425, .141981, .008494}, {.141981, .033976, .002244}, {.008494, .002244, .000162}};
  for (int g = 0; g < 3; ++g)
    for (int h = 0; h < 3; ++h) EXPECT_NEAR(joint[g][h], published[g][h], kDigits6) << g << ' ' << h;
}

/// P(an unrelated person has the bit too).
struct Again {
  double none, both;
};
Again again(double q, double theta) {
  const BitPair at = joint_bits(q, theta, 0)[kUnrelated];
  return {at.none / (at.none + at.one), at.both / (at.both + at.one)};
}

TEST(JointBits, OfUnrelatedPeopleAsPublished) {
  const struct {
    double q, theta, none, both;
  } published[] = {{.1, .01, .814435, .204259},
                   {.1, .03, .822934, .231704},
                   {.05, .03, .909312, .146762},
                   {.3, .03, .520508, .527553}};
  for (const auto& [q, theta, none, both] : published) {
    EXPECT_NEAR(again(q, theta).none, none, kDigits6) << q << ' ' << theta;
    EXPECT_NEAR(again(q, theta).both, both, kDigits6) << q << ' ' << theta;
  }
}

using Ratios = std::array<double, 3>;  ///< none, one, both

Ratios log10_ratios(const BitPair& first, const BitPair& second) {
  return {std::log10(first.none / second.none), std::log10(first.one / second.one),
          std::log10(first.both / second.both)};
}

void expect_ratios(const Ratios& actual, const Ratios& published, const char* what) {
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], published[i], kDigits4) << what << i;
}

TEST(JointBits, RatiosOfRelationsAsPublished) {
  const auto free = joint_bits(.1, 0, .005), kin = joint_bits(.1, .03, .005);
  expect_ratios(log10_ratios(free[kSame], free[kUnrelated]), {.0905, -1.2506, .6851}, "same, theta 0: ");
  expect_ratios(log10_ratios(kin[kSame], kin[kUnrelated]), {.0838, -1.2231, .6066}, "same: ");
  expect_ratios(log10_ratios(kin[kSame], kin[kSibling]), {.0412, -.9593, .2134}, "same v sibling: ");
  expect_ratios(log10_ratios(kin[kSibling], kin[kUnrelated]), {.0426, -.2638, .3933}, "sibling: ");
  expect_ratios(log10_ratios(kin[kParentChild], kin[kUnrelated]), {.0413, -.2522, .3848}, "parent-child: ");
}

TEST(JointBits, OneDifferenceIsImpossibleInOnePersonWithoutErrors) {
  EXPECT_EQ(joint_bits(.1, 0, 0)[kSame].one, 0);
  EXPECT_GT(joint_bits(.1, 0, 1e-12)[kSame].one, 0);
}

TEST(JointBits, ArePositiveAtTheEdges) {
  for (const double q : {1e-100, 1e-9, .5, 1 - 1e-9, 1 - 1e-16})
    for (const double theta : {0., .01, 1.})
      for (const double w : {.005, .5})
        for (const BitPair& bits : joint_bits(q, theta, w))
          EXPECT_TRUE(bits.none > 0 && bits.one > 0 && bits.both > 0) << q << ' ' << theta << ' ' << w;
}

TEST(Alleles, RareOnesKeepTheirDigits) {
  EXPECT_DOUBLE_EQ(genotype_probabilities(1e-20, 0)[1], 2e-20);
  EXPECT_DOUBLE_EQ(genotype_probabilities(1 - 1e-16, 0)[0], std::pow(1 - (1 - 1e-16), 2));
  EXPECT_DOUBLE_EQ(sequence_probability(1e-30, 0, {}, {2, 0}), 1e-60);
}

RC_GTEST_PROP(Alleles, ComeInAnyOrder, ()) {
  const double q = fraction(), theta = fraction();
  const unsigned minor = *rc::gen::inRange(0u, 6u), major = *rc::gen::inRange(0u, 6u);
  const double together = sequence_probability(q, theta, {}, {minor, major});
  const double in_turn =
      sequence_probability(q, theta, {}, {0, major}) * sequence_probability(q, theta, {0, major}, {minor, 0});
  RC_ASSERT(std::abs(in_turn - together) <= 1e-12 * together);
  RC_ASSERT(std::abs(next_minor(q, theta, {minor, major}) + next_major(q, theta, {minor, major}) - 1) <
            1e-12);
}

RC_GTEST_PROP(JointGenotypes, AddUpToOneAndToEachPersonsOwn, ()) {
  const double q = fraction(), theta = fraction();
  const std::array<double, 3> own = genotype_probabilities(q, theta);
  for (std::size_t r = 0; r < kRelations; ++r) {
    const JointGenotypes joint = joint_genotypes(q, theta, ibd_of(static_cast<Relation>(r)));
    for (std::size_t g = 0; g < 3; ++g) {
      RC_ASSERT(std::abs(joint[g][0] + joint[g][1] + joint[g][2] - own[g]) < 1e-12);
      for (std::size_t h = 0; h < 3; ++h) RC_ASSERT(std::abs(joint[g][h] - joint[h][g]) < 1e-15);
    }
    const BitPair bits = joint_bits(q, theta, fraction() / 2)[r];
    RC_ASSERT(std::abs(bits.none + 2 * bits.one + bits.both - 1) < 1e-12);
  }
}

// More co-ancestry never makes evidence stronger. Panels are of minor alleles: q up to a half.
RC_GTEST_PROP(CoAncestry, NeverMakesABitRarerOnceItWasSeen, ()) {
  const double q = minor_frequency();
  const auto [less, more] = testing::ordered(fraction(), fraction());
  RC_ASSERT(again(q, more).none >= again(q, less).none * (1 - 1e-14));
  RC_ASSERT(again(q, more).both >= again(q, less).both * (1 - 1e-14));
}

RC_GTEST_PROP(CoAncestry, NeverRaisesTheRatioOfAgreementNorLowersThatOfContradiction, ()) {
  const double q = minor_frequency(), w = fraction() / 2;
  const auto [less, more] = testing::ordered(fraction(), fraction());
  const auto ratios = [&](double theta) {
    const auto bits = joint_bits(q, theta, w);
    return log10_ratios(bits[kSame], bits[kUnrelated]);
  };
  const Ratios at_less = ratios(less), at_more = ratios(more);
  RC_ASSERT(at_more[0] <= at_less[0] + 1e-13);
  RC_ASSERT(at_more[1] >= at_less[1] - 1e-13);
  RC_ASSERT(at_more[2] <= at_less[2] + 1e-13);
}

// Where the panel's minor allele is the commoner one in a population, agreeing carriers may say a little
// more.
RC_GTEST_PROP(CoAncestry, HardlyRaisesARatioWhereTheAlleleIsCommon, ()) {
  const double q = .5 + fraction() / 2 * .999, theta = fraction() / 10;
  const auto free = joint_bits(q, 0, .005), kin = joint_bits(q, theta, .005);
  RC_ASSERT(log10_ratios(kin[kSame], kin[kUnrelated])[2] <=
            log10_ratios(free[kSame], free[kUnrelated])[2] + .006);
}

/// A local population's frequency, F_ST = theta around q.
double local_frequency(double q, double theta, std::mt19937_64& rng) {
  const double scale = (1 - theta) / theta;
  const double minor = std::gamma_distribution<double>(q * scale)(rng);
  const double major = std::gamma_distribution<double>((1 - q) * scale)(rng);
  return minor / (minor + major);
}

TEST(Genotype, PeopleOfLocalPopulationsAreAsAlikeAsThetaSays) {
  constexpr double q = .2, theta = .05;
  constexpr std::size_t people = 400'000;
  std::mt19937_64 rng(20191);
  std::size_t drawn[3][3] = {};
  for (std::size_t i = 0; i < people; ++i) {
    const double local = local_frequency(q, theta, rng);
    const Alleles one = testing::person(local, rng), other = testing::person(local, rng);
    ++drawn[one.minor()][other.minor()];
  }
  const JointGenotypes joint = joint_genotypes(q, theta, ibd_of(Relation::kUnrelated));
  for (int g = 0; g < 3; ++g)
    for (int h = 0; h < 3; ++h) testing::expect_share(drawn[g][h], people, joint[g][h]);
}

TEST(Genotype, FamiliesOfLocalPopulationsAreAsAlikeAsTheRelationSays) {
  constexpr double q = .3, theta = .1, w = .05;
  constexpr std::size_t pairs = 200'000;
  std::mt19937_64 rng(20192);
  const auto expected = joint_bits(q, theta, w);
  for (std::size_t r = 0; r < kRelations; ++r) {
    std::size_t none = 0, both = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto [one, other] =
          testing::relatives(static_cast<Relation>(r), local_frequency(q, theta, rng), rng);
      const bool x = testing::read(one, w, rng), y = testing::read(other, w, rng);
      none += !x && !y;
      both += x && y;
    }
    SCOPED_TRACE(r);
    testing::expect_share(none, pairs, expected[r].none);
    testing::expect_share(both, pairs, expected[r].both);
  }
}

TEST(CountedFrequency, IsOfOneAlleleMoreOfEachKind) {
  EXPECT_DOUBLE_EQ(counted_frequency(0, 198), .005);
  EXPECT_DOUBLE_EQ(counted_frequency(1, 198), .995);
  EXPECT_DOUBLE_EQ(counted_frequency(.25, 4), 2 / 6.);
  EXPECT_DOUBLE_EQ(counted_frequency(.5, 24), .5);
}

TEST(FrequencyFloor, ChangesNoStatedFrequencyButZeroAndOne) {
  EXPECT_DOUBLE_EQ(frequency_floor({}), 1 / 202.);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{0., 1., .3}), 1 / 202.);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{0., .0001, .3}), .0001);
  EXPECT_DOUBLE_EQ(frequency_floor(std::vector{.9999, .3}), 1 - .9999);
}

}  // namespace
}  // namespace fastid::stats
