// Mixtures by both alleles: every genotype, drop-out and drop-in enumerated, the published figures of bits,
// drawn stains.
#include "stats/internal/allele_mixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/log_number.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::Alleles;
using testing::AllelesSeen;
using testing::fraction;
using testing::kDigits4;
using testing::model_of;

constexpr std::array kKinds{kMajorOnly, kBothAlleles, kMinorOnly, kNeither};

/// [shown]: what the stain of these alleles (true: minor) shows, by every way in which copies can drop out.
std::array<double, 4> stain_by_ways(const std::vector<bool>& alleles, double drop_out, double drop_in) {
  std::array<double, 4> shown{};
  for (std::size_t lost = 0; lost < std::size_t{1} << alleles.size(); ++lost)
    for (std::size_t in = 0; in < 4; ++in) {
      double probability = (in & 1 ? drop_in : 1 - drop_in) * (in & 2 ? drop_in : 1 - drop_in);
      bool minor = in & 1, major = in & 2;
      for (std::size_t i = 0; i < alleles.size(); ++i) {
        const bool drops = lost >> i & 1;
        probability *= drops ? drop_out : 1 - drop_out;
        (alleles[i] ? minor : major) |= !drops;
      }
      shown[minor ? (major ? kBothAlleles : kMinorOnly) : (major ? kMajorOnly : kNeither)] += probability;
    }
  return shown;
}

/// [shown]: of a mixture of a person with g minor copies, a known one with `known` and `others` drawn
/// alleles, each of which is drawn after all before it.
std::array<double, 4> mixture_by_ways(double q, double theta, unsigned g, const std::vector<unsigned>& known,
                                      bool contributes, unsigned others, double drop_out, double drop_in) {
  std::array<double, 4> shown{};
  for (std::size_t drawn = 0; drawn < std::size_t{1} << others; ++drawn) {
    Seen seen{g, 2 - g};
    std::vector<bool> alleles;
    if (contributes) alleles = {g > 0, g > 1};
    for (const unsigned k : known) {
      seen = {seen.minor + k, seen.major + 2 - k};
      alleles.insert(alleles.end(), {k > 0, k > 1});
    }
    double probability = 1;
    for (unsigned i = 0; i < others; ++i) {
      const bool minor = drawn >> i & 1;
      probability *= minor ? next_minor(q, theta, seen) : next_major(q, theta, seen);
      ++(minor ? seen.minor : seen.major);
      alleles.push_back(minor);
    }
    const auto stain = stain_by_ways(alleles, drop_out, drop_in);
    for (const Shown kind : kKinds) shown[kind] += probability * stain[kind];
  }
  return shown;
}

TEST(AlleleContribution, IsAsEveryWayEnumeratedSays) {
  constexpr double q = .2, theta = .04, drop_out = .15, drop_in = .03;
  const PopulationModel model = model_of({q}, theta);
  const AllelesSeen known("1");
  const std::vector<RowView> known_rows{known.row()};
  for (const bool with_known : {false, true})
    for (const unsigned n : {2u, 3u})
      for (const bool contributes : {false, true}) {
        const AlleleContribution hypothesis(
            model, with_known ? std::span(known_rows) : std::span<const RowView>(), n,
            contributes ? Relation::kSame : Relation::kUnrelated, {n, drop_out, drop_in});
        const unsigned others = 2 * (n - (contributes ? 1 : 0) - (with_known ? 1 : 0));
        for (unsigned g = 0; g < 3; ++g) {
          const auto expected =
              mixture_by_ways(q, theta, g, with_known ? std::vector{1u} : std::vector<unsigned>(),
                              contributes, others, drop_out, drop_in);
          for (const Shown kind : kKinds)
            EXPECT_NEAR(hypothesis.probability(0, kind, static_cast<Shown>(g), drop_out), expected[kind],
                        1e-14)
                << n << ' ' << contributes << ' ' << g << ' ' << kind;
        }
      }
}

/// P(the mixture shows the minor allele or not | the person's bit): of both alleles the major one summed out,
/// of the genotypes the one that the bit does not tell.
double bit_probability(const AlleleContribution& hypothesis, double q, double theta, bool mixture,
                       bool person, double drop_out) {
  const auto own = genotype_probabilities(q, theta);
  double sum = 0, all = 0;
  for (unsigned g = person ? 1 : 0; g <= (person ? 2u : 0u); ++g) {
    const auto at = [&](Shown kind) {
      return hypothesis.probability(0, kind, static_cast<Shown>(g), drop_out);
    };
    sum += own[g] * (mixture ? at(kMinorOnly) + at(kBothAlleles) : at(kMajorOnly) + at(kNeither));
    all += own[g];
  }
  return sum / all;
}

TEST(AlleleContribution, GivesThePublishedRatiosOfBitsWithTheMajorAlleleSummedOut) {
  const struct {
    double theta, drop_out, ratios[4];
  } cases[] = {{0, .005, {.0910, -2.2334, -.2528, .4596}},
               {.01, .005, {.0869, -2.2294, -.2502, .4355}},
               {.01, .2, {.0695, -.6418, -.2578, .4407}}};
  for (const auto& [theta, drop_out, ratios] : cases) {
    const PopulationModel model = model_of({.1}, theta);
    const MixtureParameters parameters{2, drop_out, .005};
    const AlleleContribution same(model, {}, 2, Relation::kSame, parameters),
        strangers(model, {}, 2, Relation::kUnrelated, parameters);
    for (int i = 0; i < 4; ++i) {
      const auto of = [&, drop_out = drop_out, theta = theta](const AlleleContribution& hypothesis) {
        return bit_probability(hypothesis, .1, theta, i >= 2, i % 2 == 1, drop_out);
      };
      EXPECT_NEAR(std::log10(of(same) / of(strangers)), ratios[i], kDigits4) << theta << ' ' << i;
    }
  }
}

RC_GTEST_PROP(AlleleContribution, SummedOverTheMajorAlleleIsThatOfBits, ()) {
  const double q = testing::minor_frequency(), theta = fraction() / 5, drop_out = fraction() * .99,
               drop_in = fraction() / 2;
  const auto n = *rc::gen::inRange(1u, kMostContributors + 1);
  const auto relation = static_cast<Relation>(*rc::gen::inRange<std::size_t>(0, kRelations));
  const PopulationModel model("test", std::vector{q}, {theta, .005});
  const double used = model.minor_freq()[0];
  const MixtureParameters parameters{n, drop_out, drop_in};
  const AlleleContribution alleles(model, {}, n, relation, parameters);
  const BitContribution bits(model, {}, n, relation, parameters);
  for (const bool mixture : {false, true})
    for (const bool person : {false, true}) {
      const double expected = std::pow(10, bits.log10_at(0, mixture, person, drop_out));
      RC_ASSERT(std::abs(bit_probability(alleles, used, theta, mixture, person, drop_out) - expected) <
                1e-12);
    }
  for (const Shown g : {kMajorOnly, kBothAlleles, kMinorOnly}) {
    double all = 0;
    for (const Shown kind : kKinds) all += alleles.probability(0, kind, g, drop_out);
    RC_ASSERT(std::abs(all - 1) < 1e-12);
  }
}

TEST(AlleleContribution, LearnsNothingFromASiteThatShowsNeither) {
  const PopulationModel model = model_of({.2}, .02);
  const MixtureParameters parameters{3, .4, .01};
  const AlleleContribution same(model, {}, 3, Relation::kSame, parameters),
      strangers(model, {}, 3, Relation::kUnrelated, parameters);
  for (const Shown g : {kMajorOnly, kBothAlleles, kMinorOnly})
    EXPECT_NEAR(same.probability(0, kNeither, g, .4), strangers.probability(0, kNeither, g, .4), 1e-16);
}

TEST(AlleleContribution, SumsTheSitesThatBothHaveCalledGivenThatTheyShowSomething) {
  constexpr double drop_out = .3, drop_in = .01;
  const PopulationModel model = model_of({.1, .2, .3, .4}, .01);
  const AlleleContribution hypothesis(model, {}, 2, Relation::kSame, {2, drop_out, drop_in});
  const double none = std::pow(drop_out, 4) * (1 - drop_in) * (1 - drop_in);
  const double expected =
      std::log10(hypothesis.probability(0, kMajorOnly, kMinorOnly, drop_out) / (1 - none) *
                 hypothesis.probability(3, kBothAlleles, kMajorOnly, drop_out) / (1 - none));
  const Likelihood actual = hypothesis.of(AllelesSeen("0-11").row(), AllelesSeen("21-0").row());
  EXPECT_NEAR(actual.log10, expected, 1e-13);
  EXPECT_EQ(actual.drop_out, drop_out);
}

/// What is seen of these people's stain at one site.
Shown stain_of(std::span<const Alleles> people, double drop_out, double drop_in, std::mt19937_64& rng) {
  bool minor = testing::chance(drop_in, rng), major = testing::chance(drop_in, rng);
  for (const Alleles& alleles : people)
    for (const bool allele : {alleles.first, alleles.second})
      (allele ? minor : major) |= !testing::chance(drop_out, rng);
  return minor ? (major ? kBothAlleles : kMinorOnly) : (major ? kMajorOnly : kNeither);
}

TEST(AlleleContribution, FindsTheContributorAndTheDropOutOfADrawnStain) {
  constexpr double drop_out = .45, drop_in = .005;
  constexpr std::size_t n_sites = 15'000;
  std::mt19937_64 rng(31);
  const std::vector<double> freq = testing::random_frequencies(n_sites, rng);
  AllelesSeen mixture(n_sites), contributor(n_sites), stranger(n_sites);
  for (std::size_t s = 0; s < n_sites; ++s) {
    const std::array<Alleles, 3> people{testing::person(freq[s], rng), testing::person(freq[s], rng),
                                        testing::person(freq[s], rng)};
    const auto shown = [](const Alleles& alleles) { return static_cast<Shown>(alleles.minor()); };
    mixture.set(s, stain_of(std::span(people).first(2), drop_out, drop_in, rng));
    contributor.set(s, shown(people[0]));
    stranger.set(s, shown(people[2]));
  }
  const PopulationModel model = model_of(freq);
  const MixtureParameters parameters{.drop_in = drop_in};
  const AlleleContribution same(model, {}, 2, Relation::kSame, parameters),
      others(model, {}, 2, Relation::kUnrelated, parameters);
  const Likelihood with = same.of(mixture.row(), contributor.row()),
                   without = others.of(mixture.row(), contributor.row());
  EXPECT_NEAR(with.drop_out, drop_out, .02);
  EXPECT_NEAR(without.drop_out, drop_out, .02);
  const double ratio = log10_ratio(with.log10, without.log10);
  EXPECT_TRUE(ratio > 100 && std::isfinite(ratio)) << ratio;
  EXPECT_LT(log10_ratio(same.of(mixture.row(), stranger.row()).log10,
                        others.of(mixture.row(), stranger.row()).log10),
            -100);
  // No given drop-out does better.
  for (const double other :
       {.0001, .1, .3, .44, .46, .6, .9, .99, with.drop_out - .001, with.drop_out + .001}) {
    const AlleleContribution given(model, {}, 2, Relation::kSame, {2, other, drop_in});
    EXPECT_LE(given.of(mixture.row(), contributor.row()).log10, with.log10) << other;
  }
}

TEST(AlleleContribution, TriesTheEndsOfTheRangeToo) {
  const AllelesSeen person("0000"), mixture("2222"), none("----");
  const PopulationModel model = model_of({.5, .5, .5, .5});
  const AlleleContribution alone(model, {}, 1, Relation::kSame, {1, {}, .005});
  EXPECT_NEAR(alone.of(mixture.row(), person.row()).drop_out, kMostDropOut, 1e-9);
  EXPECT_NEAR(alone.of(person.row(), person.row()).drop_out, kLeastDropOut, 1e-9);
  EXPECT_EQ(alone.of(none.row(), person.row()).log10, 0);
}

}  // namespace
}  // namespace fastid::stats
