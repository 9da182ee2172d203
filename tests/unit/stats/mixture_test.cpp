// Mixtures: published figures, hypotheses held against drawn stains, the number of contributors, and the
// edges.
#include "stats/mixture.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "stats/internal/allele_mixture.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::Alleles;
using testing::fraction;
using testing::kDigits4;
using testing::model_of;
using testing::rows_of;
using testing::uniform_model;

double p_rmne(const PopulationModel& model, const RowView& mixture, std::uint32_t not_seen, unsigned n) {
  return std::pow(10,
                  PoissonBinomial(not_seen_events(model, mixture, mixture.called, n)).log10_cdf(not_seen));
}

bool bit_of(const RowView& row, std::uint32_t site) {
  return (row.bits[site / kWordBits] >> site % kWordBits & 1) != 0;
}

/// What is read of these people's stain at one site.
bool stain_of(std::span<const Alleles> people, double drop_out, double drop_in, std::mt19937_64& rng) {
  bool shown = testing::chance(drop_in, rng);
  for (const Alleles& alleles : people)
    for (int copy = 0; copy < alleles.minor(); ++copy) shown |= !testing::chance(drop_out, rng);
  return shown;
}

/// n people; every site called.
ProfileRows draw_mixture(const std::vector<double>& freq, unsigned n, double w, std::mt19937_64& rng) {
  ProfileRows mixture(1, static_cast<std::uint32_t>(freq.size()));
  for (std::uint32_t s = 0; s < freq.size(); ++s) {
    std::vector<Alleles> people(n);
    for (Alleles& alleles : people) alleles = testing::person(freq[s], rng);
    mixture.set(0, s, stain_of(people, w, w, rng));
  }
  return mixture;
}

/// log10 of how much better "the person contributed" explains the mixture's bit than "a stranger did".
double site_ratio(double q, double theta, unsigned n, double drop_out, double drop_in, bool mixture,
                  bool person) {
  const PopulationModel model = model_of({q}, theta);
  const MixtureParameters parameters{n, drop_out, drop_in};
  const auto at = [&](Relation contributor) {
    return BitContribution(model, {}, n, contributor, parameters).log10_at(0, mixture, person, drop_out);
  };
  return at(Relation::kSame) - at(Relation::kUnrelated);
}

TEST(Mixture, RmneAsPublished) {
  const PopulationModel model = model_of({.1, .2, .3, .4});
  const ProfileRows rows = rows_of({"0001"});
  EXPECT_NEAR(p_rmne(model, rows.row(0), 0, 3), .254016, 5e-7);
  EXPECT_NEAR(p_rmne(model, rows.row(0), 1, 3), .720868, 5e-7);
  const struct {
    double theta;
    unsigned n;
    double published;
  } cases[] = {{.01, 1, .185565}, {.01, 2, .182159}, {.01, 4, .175709},
               {.03, 1, .177066}, {.03, 2, .167891}, {.03, 4, .152120}};
  const ProfileRows shows_none = rows_of({"0"});
  for (const auto& [theta, n, published] : cases) {
    const auto events =
        not_seen_events(model_of({.1}, theta), shows_none.row(0), shows_none.row(0).called, n);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_NEAR(events[0].yes, published, 5.0001e-7) << theta << ' ' << n;
    EXPECT_NEAR(events[0].yes + events[0].no, 1, 1e-15);
  }
}

TEST(Mixture, RatiosAsPublished) {
  const struct {
    double theta, drop_out, ratios[4];
  } cases[] = {{0, .005, {.0910, -2.2334, -.2528, .4596}},
               {.01, .005, {.0869, -2.2294, -.2502, .4355}},
               {.01, .2, {.0695, -.6418, -.2578, .4407}}};
  for (const auto& [theta, drop_out, ratios] : cases)
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(site_ratio(.1, theta, 2, drop_out, .005, i >= 2, i % 2 == 1), ratios[i], kDigits4)
          << theta << ' ' << drop_out << ' ' << i;
}

TEST(Mixture, RmneIsTheShareOfDrawnPeople) {
  std::mt19937_64 rng(21);
  const std::vector<double> freq = testing::random_frequencies(40, rng);
  const PopulationModel model = model_of(freq);
  const ProfileRows mixture = draw_mixture(freq, 3, 0, rng);
  constexpr std::size_t draws = 200'000;
  std::size_t included[3] = {};
  for (std::size_t i = 0; i < draws; ++i) {
    int not_seen = 0;
    for (std::uint32_t s = 0; s < 40; ++s)
      not_seen += testing::person(freq[s], rng).carrier() && !bit_of(mixture.row(0), s);
    for (int most = 0; most < 3; ++most) included[most] += not_seen <= most;
  }
  for (std::uint32_t most = 0; most < 3; ++most)
    testing::expect_share(included[most], draws, p_rmne(model, mixture.row(0), most, 3));
}

/// Share of stains that show the minor allele, among those whose person shows `bit`.
struct Drawn {
  std::size_t with_bit[2] = {}, shown[2] = {};
};

TEST(Contribution, IsAsProbableAsStainsThatAreDrawn) {
  constexpr double q = .25, drop_out = .15, drop_in = .02;
  constexpr unsigned n = 2;
  constexpr int draws = 200'000;
  const PopulationModel model = model_of({q});
  std::mt19937_64 rng(24);
  for (const Relation relation : {Relation::kSame, Relation::kParentChild, Relation::kSibling,
                                  Relation::kHalfSibling, Relation::kUnrelated}) {
    Drawn drawn;
    for (int i = 0; i < draws; ++i) {
      const auto [person, contributor] = testing::relatives(relation, q, rng);
      const std::array people{contributor, testing::person(q, rng)};
      ++drawn.with_bit[person.carrier()];
      drawn.shown[person.carrier()] += stain_of(people, drop_out, drop_in, rng);
    }
    const BitContribution hypothesis(model, {}, n, relation, {n, drop_out, drop_in});
    for (const bool bit : {false, true})
      testing::expect_share(drawn.shown[bit], drawn.with_bit[bit],
                            std::pow(10, hypothesis.log10_at(0, true, bit, drop_out)));
  }
}

TEST(Contribution, OfKnownPeopleIsAsProbableAsStainsThatAreDrawn) {
  constexpr double q = .25, drop_out = .1, drop_in = .01;
  constexpr int draws = 200'000;
  const PopulationModel model = model_of({q});
  std::mt19937_64 rng(25);
  Drawn same[2], stranger[2];  // [known person's bit]
  for (int i = 0; i < draws; ++i) {
    const Alleles person = testing::person(q, rng), known = testing::person(q, rng),
                  other = testing::person(q, rng);
    const bool bit = person.carrier();
    ++same[known.carrier()].with_bit[bit];
    same[known.carrier()].shown[bit] += stain_of(std::array{person, known}, drop_out, drop_in, rng);
    ++stranger[known.carrier()].with_bit[bit];
    stranger[known.carrier()].shown[bit] += stain_of(std::array{other, known}, drop_out, drop_in, rng);
  }
  const ProfileRows rows = rows_of({"0", "1"});
  for (const bool known : {false, true}) {
    const std::array known_rows{rows.row(known)};
    const MixtureParameters parameters{2, drop_out, drop_in};
    const BitContribution with(model, known_rows, 2, Relation::kSame, parameters),
        without(model, known_rows, 2, Relation::kUnrelated, parameters);
    for (const bool bit : {false, true}) {
      testing::expect_share(same[known].shown[bit], same[known].with_bit[bit],
                            std::pow(10, with.log10_at(0, true, bit, drop_out)));
      testing::expect_share(stranger[known].shown[bit], stranger[known].with_bit[bit],
                            std::pow(10, without.log10_at(0, true, bit, drop_out)));
    }
  }
}

TEST(Contribution, AKnownPersonWhoWasNotReadThereIsAnybody) {
  const PopulationModel model = model_of({.2, .3}, .02);
  const ProfileRows known = rows_of({"--"});
  const std::array rows{known.row(0)};
  const MixtureParameters parameters{3, .1, .01};
  const BitContribution with(model, rows, 3, Relation::kSame, parameters),
      without(model, {}, 3, Relation::kSame, parameters);
  for (const bool mixture : {false, true})
    for (const bool person : {false, true})
      EXPECT_NEAR(with.log10_at(1, mixture, person, .1), without.log10_at(1, mixture, person, .1), 1e-14);
}

TEST(Contribution, ARelativeOfNoKinIsAStranger) {
  const PopulationModel model = model_of({.2}, .02);
  const MixtureParameters parameters{2, .1, .01};
  const auto at = [&](Relation who) {
    return std::pow(10, BitContribution(model, {}, 2, who, parameters).log10_at(0, true, true, .1));
  };
  EXPECT_NEAR(at(Relation::kSibling),
              .25 * at(Relation::kSame) + .5 * at(Relation::kParentChild) + .25 * at(Relation::kUnrelated),
              1e-14);
  EXPECT_NEAR(at(Relation::kHalfSibling), .5 * at(Relation::kParentChild) + .5 * at(Relation::kUnrelated),
              1e-14);
}

TEST(Mixture, LikelihoodAddsUpSitesCalledInBoth) {
  const PopulationModel model = uniform_model(6, .1, .01);
  const ProfileRows rows = rows_of({"00110-", "01010-"});
  const MixtureParameters parameters{2, .005, .005};
  const BitContribution same(model, {}, 2, Relation::kSame, parameters);
  const auto at = [&](bool m, bool r) { return same.log10_at(0, m, r, .005); };
  EXPECT_NEAR(same.of(rows.row(0), rows.row(1)).log10,
              2 * at(false, false) + at(false, true) + at(true, false) + at(true, true), 1e-12);
  EXPECT_EQ(same.of(rows.row(0), rows.row(1)).drop_out, .005);
}

TEST(Mixture, NothingComparedSaysNothing) {
  const PopulationModel model = uniform_model(3, .1);
  const ProfileRows rows = rows_of({"0--", "-11"});
  EXPECT_EQ(BitContribution(model, {}, 2, Relation::kSame, {2, .1, .005}).of(rows.row(0), rows.row(1)).log10,
            0);
}

TEST(Mixture, ExcludesOnlyWithoutDropOut) {
  EXPECT_EQ(site_ratio(.1, 0, 3, 0, .005, false, true), -INFINITY);
  EXPECT_TRUE(std::isfinite(site_ratio(.1, 0, 3, 1e-9, .005, false, true)));
  EXPECT_EQ(site_ratio(.1, 0, 1, .1, 0, true, false), -INFINITY);
  EXPECT_TRUE(std::isfinite(site_ratio(.1, 0, 2, .1, 0, true, false)));
}

RC_GTEST_PROP(CoAncestry, NeverMakesRmneRarer, ()) {
  const double q = fraction() * .9998 + .0001;
  const auto [less, more] = testing::ordered(fraction(), fraction());
  const unsigned n = *rc::gen::inRange(1u, kMostContributors + 1);
  const ProfileRows rows = rows_of({"0"});
  const auto not_seen = [&](double theta) {
    return not_seen_events(model_of({q}, theta), rows.row(0), rows.row(0).called, n)[0];
  };
  RC_ASSERT(not_seen(more).no >= not_seen(less).no * (1 - 1e-14));
}

// What a stain of n people shows says less and less the more of them there are; where nearly every stain
// shows the allele (q n above 0.5), co-ancestry may then raise what agreeing carriers say, by a hair.
RC_GTEST_PROP(CoAncestry, NeverRaisesWhatAMixtureSaysUpToATenth, ()) {
  const unsigned n = *rc::gen::inRange(1u, 11u);
  const double q = testing::minor_frequency(), drop_out = fraction() * .5, drop_in = fraction() * .05;
  const auto [less, more] = testing::ordered(fraction() / 10, fraction() / 10);
  const auto ratio = [&](double theta, bool bit) {
    return site_ratio(q, theta, n, drop_out, drop_in, bit, bit);
  };
  RC_ASSERT(ratio(more, false) <= ratio(less, false) + 1e-12);
  RC_ASSERT(ratio(more, true) <= ratio(less, true) + (q * n <= .5 ? 1e-12 : .012));
}

// The mean of a likelihood ratio over what the alternative brings is 1.
RC_GTEST_PROP(Mixture, RatiosAverageToOneUnderTheAlternative, ()) {
  const double q = testing::minor_frequency(), theta = fraction() / 10, d = fraction() * .9,
               e = fraction() * .5;
  const unsigned n = *rc::gen::inRange(1u, kMostContributors + 1);
  const PopulationModel model = model_of({q}, theta);
  const MixtureParameters parameters{n, d, e};
  const BitContribution same(model, {}, n, Relation::kSame, parameters),
      other(model, {}, n, Relation::kUnrelated, parameters);
  for (const bool person : {false, true})
    for (const Contribution* hypothesis : {&same, &other}) {
      const double shown = std::pow(10, hypothesis->log10_at(0, true, person, d)),
                   none = std::pow(10, hypothesis->log10_at(0, false, person, d));
      RC_ASSERT(std::abs(shown + none - 1) < 1e-12);
    }
}

TEST(DropOut, ThatIsNotGivenIsTheBestOfEachHypothesis) {
  std::mt19937_64 rng(26);
  const std::vector<double> freq = testing::random_frequencies(400, rng);
  const PopulationModel model = model_of(freq, .01);
  for (const double drop_out : {0., .03, .3}) {
    ProfileRows rows(2, 400);
    for (std::uint32_t s = 0; s < 400; ++s) {
      const std::array people{testing::person(freq[s], rng), testing::person(freq[s], rng)};
      rows.set(0, s, stain_of(people, drop_out, .005, rng));
      rows.set(1, s, people[0].carrier());
    }
    for (const Relation who : {Relation::kSame, Relation::kUnrelated}) {
      const Likelihood best = BitContribution(model, {}, 2, who, {2, {}, .005}).of(rows.row(0), rows.row(1));
      EXPECT_GE(best.drop_out, kLeastDropOut);
      EXPECT_LE(best.drop_out, kMostDropOut);
      for (double tried = kLeastDropOut; tried < kMostDropOut; tried *= 1.1)
        EXPECT_LE(BitContribution(model, {}, 2, who, {2, tried, .005}).of(rows.row(0), rows.row(1)).log10,
                  best.log10 + 1e-9)
            << tried;
      EXPECT_NEAR(
          BitContribution(model, {}, 2, who, {2, best.drop_out, .005}).of(rows.row(0), rows.row(1)).log10,
          best.log10, 1e-12);
      if (who == Relation::kSame) {
        EXPECT_NEAR(best.drop_out, drop_out, .06);
      }
    }
  }
}

TEST(Mixture, ContributorsAreFoundInDrawnMixtures) {
  std::mt19937_64 rng(22);
  const std::vector<double> freq = testing::random_frequencies(2000, rng);
  const PopulationModel model = model_of(freq);
  const ContributorTable table(model, {});
  for (unsigned n = 1; n <= 8; ++n) {
    const ProfileRows mixture = draw_mixture(freq, n, .005, rng);
    const ContributorEstimate estimate = table.estimate(mixture.row(0));
    EXPECT_LE(estimate.low, n);
    EXPECT_GE(estimate.high, n);
    EXPECT_LE(estimate.high - estimate.low, 2u) << "of " << n;
    EXPECT_TRUE(estimate.informative);
    EXPECT_NEAR(saturation(mixture.row(0)), table.expected_saturation(mixture.row(0), n),
                3 * std::sqrt(.25 / 2000));
  }
}

TEST(Mixture, SaturationToExpectIsThatOfAllAllelesDrawn) {
  const std::vector<double> freq{.1, .3};
  const ContributorTable table(model_of(freq), {.drop_out = 0., .drop_in = 0});
  const ProfileRows rows = rows_of({"01"});
  for (const unsigned n : {1u, 4u, kMostContributors})
    EXPECT_NEAR(table.expected_saturation(rows.row(0), n),
                1 - (std::pow(.9, 2 * n) + std::pow(.7, 2 * n)) / 2, 1e-12);
}

TEST(Mixture, IntervalsHoldTheTruthNineteenTimesInTwenty) {
  std::mt19937_64 rng(23);
  const std::vector<double> freq = testing::random_frequencies(150, rng);
  const PopulationModel model = model_of(freq);
  const ContributorTable table(model, {});
  constexpr std::size_t draws = 300;
  std::size_t held = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const ProfileRows mixture = draw_mixture(freq, 4, .005, rng);
    const ContributorEstimate estimate = table.estimate(mixture.row(0));
    held += estimate.low <= 4 && 4 <= estimate.high;
  }
  EXPECT_GE(static_cast<double>(held) / draws, .95 - 3 * std::sqrt(.95 * .05 / draws));
}

TEST(Mixture, ThatShowsEveryAlleleMayBeOfAnyNumber) {
  const PopulationModel model = uniform_model(40, .3);
  const ContributorTable table(model, {});
  const ProfileRows rows = rows_of({std::string(40, '1'), std::string(40, '0'), std::string(40, '-')});
  EXPECT_EQ(saturation(rows.row(0)), 1);
  EXPECT_EQ(table.estimate(rows.row(0)).high, kMostContributors);
  EXPECT_EQ(table.estimate(rows.row(1)).best, 1u);
  EXPECT_EQ(saturation(rows.row(2)), 0);
  EXPECT_FALSE(table.estimate(rows.row(2)).informative);
}

TEST(Mixture, RefusesWhatItsModelDoesNotHold) {
  const auto refused = [](const MixtureParameters& parameters, std::size_t known = 0) {
    EXPECT_THROW(check_parameters(parameters, known), UsageError);
  };
  refused({.contributors = 0});
  refused({.contributors = kMostContributors + 1});
  refused({.contributors = 2}, 2);
  refused({}, kMostContributors);
  for (const double bad : {-.1, 1., std::nan("")}) refused({.drop_out = bad});
  for (const double bad : {-.1, .51, std::nan("")}) refused({.drop_in = bad});
  EXPECT_NO_THROW(check_parameters({kMostContributors, .99, .5}, kMostContributors - 1));
}

/// By products over planes as site by site, of contributors and of people who are none.
template <class Hypothesis>
void expect_as_site_by_site(unsigned n, const MixtureParameters& parameters) {
  constexpr std::size_t kSites = 700, kPeople = 30;
  std::mt19937_64 rng(31 + n);
  const PopulationModel model = model_of(testing::random_frequencies(kSites, rng), 0.01);
  std::vector<testing::AllelesSeen> people(kPeople, testing::AllelesSeen(kSites));
  testing::AllelesSeen mixture(kSites);
  for (std::size_t site = 0; site < kSites; ++site) {
    bool major = false, minor = false;
    for (std::size_t i = 0; i < kPeople; ++i) {
      const testing::Alleles of = testing::person(model.minor_freq()[site], rng);
      if (!testing::chance(0.03, rng)) people[i].set(site, static_cast<Shown>(of.minor()));
      if (i >= n) continue;
      for (const bool allele : {of.first, of.second})
        if (!testing::chance(0.2, rng)) (allele ? minor : major) = true;
    }
    if (major || minor) mixture.set(site, major && minor ? kBothAlleles : major ? kMajorOnly : kMinorOnly);
  }
  std::vector<RowView> rows(people.begin(), people.end());
  for (const Relation who : {Relation::kSame, Relation::kSibling, Relation::kUnrelated}) {
    const Hypothesis hypothesis(model, {}, n, who, parameters);
    const std::vector<Likelihood> together = hypothesis.of(mixture, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Likelihood slow = hypothesis.site_by_site(mixture, rows[i]);
      if (std::isfinite(slow.log10))
        EXPECT_NEAR(together[i].log10, slow.log10, 1e-8) << "person " << i << ", n " << n;
      else
        EXPECT_EQ(together[i].log10, slow.log10) << "person " << i << ", n " << n;
      EXPECT_NEAR(together[i].drop_out, slow.drop_out, 1e-6 * slow.drop_out + 1e-9) << "person " << i;
      EXPECT_EQ(hypothesis.of(mixture, rows[i]).log10, together[i].log10) << "alone or in company";
    }
  }
}

TEST(Likelihoods, ByProductsAreThoseSiteBySite) {
  for (const unsigned n : {1u, 2u, 3u, 7u})
    for (const std::optional<double> drop_out :
         {std::optional<double>(), std::optional(0.1), std::optional(0.0), std::optional(1e-12)}) {
      const MixtureParameters parameters{n, drop_out, drop_out == 0.0 ? 0.0 : 0.005};
      expect_as_site_by_site<BitContribution>(n, parameters);
      expect_as_site_by_site<AlleleContribution>(n, parameters);
    }
}

}  // namespace
}  // namespace fastid::stats
