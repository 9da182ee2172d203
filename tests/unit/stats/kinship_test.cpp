// Two people's relation: what plink2 counts, drawn families, and how often strangers look like relatives.
#include "stats/kinship.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <string>

#include "stats/log_number.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using testing::model_of;

/// The same, site by site.
engine::GenotypeCounts counted_by_site(std::string_view first, std::string_view second) {
  engine::GenotypeCounts counts;
  for (std::size_t s = 0; s < first.size(); ++s) {
    if (first[s] == '-' || second[s] == '-') continue;
    ++counts.compared;
    counts.ibs0 += std::abs(first[s] - second[s]) == 2;
    counts.both_het += first[s] == '1' && second[s] == '1';
    counts.first_het += first[s] == '1';
    counts.second_het += second[s] == '1';
  }
  return counts;
}

RC_GTEST_PROP(GenotypeCounts, AreTheSameCountedSiteBySite, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  const auto genotypes = rc::gen::container<std::string>(n, rc::gen::elementOf(std::string("012-")));
  const std::string first = *genotypes, second = *genotypes;
  const engine::GenotypeCounts counts =
      engine::count_genotypes(AllelesSeen(first).row(), AllelesSeen(second).row());
  RC_ASSERT(counts == counted_by_site(first, second));
  std::uint32_t apart = 0;
  for (std::size_t s = 0; s < n; ++s)
    if (first[s] != '-' && second[s] != '-')
      apart += static_cast<std::uint32_t>(std::abs(first[s] - second[s]));
  RC_ASSERT(counts.alleles_apart() == apart);
}

// A parent, a child and a stranger, counted by plink2 --make-king-table (v2.00a3.5) from a VCF.
TEST(GenotypeCounts, AndKinshipAsPlink2PrintsThem) {
  const AllelesSeen parent("11112101111001210011011110000000-0121020"),
      child("1110120100101-1000100011200000002-011110"), stranger("-2201-00001-12100022111020110101100--220");
  const struct {
    const AllelesSeen &first, &second;
    engine::GenotypeCounts
        counts;  // HETHET + HET2_HOM1 and HETHET + HET1_HOM2, which this version names the other way round
    double kinship;
  } published[] = {{child, parent, {37, 0, 9, 9 + 6, 9 + 9}, .25},
                   {stranger, parent, {34, 1, 3, 3 + 8, 3 + 13}, -.0681818},
                   {stranger, child, {33, 1, 5, 5 + 7, 5 + 7}, .125}};
  for (const auto& [first, second, counts, kinship] : published) {
    const engine::GenotypeCounts actual = engine::count_genotypes(first.row(), second.row());
    EXPECT_EQ(actual, counts);
    EXPECT_NEAR(king_kinship(actual).value(), kinship, 5e-8);
  }
}

TEST(Kinship, OfAPersonWithThemselvesIsAHalfAndNeedsAHeterozygousSite) {
  const AllelesSeen person("0112"), homozygous("0022");
  EXPECT_EQ(king_kinship(engine::count_genotypes(person.row(), person.row())), .5);
  EXPECT_EQ(king_kinship(engine::count_genotypes(person.row(), homozygous.row())), std::nullopt);
}

TEST(Degree, ChangesAtThePublishedThresholds) {
  const struct {
    double above;
    Degree degree, below;
  } thresholds[] = {{.354, Degree::kSame, Degree::kFirst},
                    {.177, Degree::kFirst, Degree::kSecond},
                    {.0884, Degree::kSecond, Degree::kThird},
                    {.0442, Degree::kThird, Degree::kUnrelated}};
  for (const auto& [above, degree, below] : thresholds) {
    EXPECT_EQ(degree_of(above + 1e-9), degree);
    EXPECT_EQ(degree_of(above), below);
  }
  EXPECT_EQ(name_of(degree_of(.2)), "first-degree");
  EXPECT_EQ(name_of(degree_of(-3)), "unrelated");
}

/// Two people as they are read.
std::pair<AllelesSeen, AllelesSeen> drawn_pair(Relation relation, const std::vector<double>& freq, double w,
                                               std::mt19937_64& rng) {
  std::pair people{AllelesSeen(freq.size()), AllelesSeen(freq.size())};
  for (std::size_t s = 0; s < freq.size(); ++s) {
    const auto [one, other] = testing::relatives(relation, freq[s], rng);
    people.first.set(s, testing::read_genotype(one, w, rng));
    people.second.set(s, testing::read_genotype(other, w, rng));
  }
  return people;
}

TEST(Kinship, OfDrawnFamiliesIsWhatItShouldBe) {
  std::mt19937_64 rng(11);
  const std::vector<double> freq = testing::random_frequencies(15'000, rng);
  const KinshipModel model(model_of(freq, .01));
  const struct {
    Relation relation;
    double kinship;
    Degree degree;
  } families[] = {{Relation::kSame, .5, Degree::kSame},       {Relation::kParentChild, .25, Degree::kFirst},
                  {Relation::kSibling, .25, Degree::kFirst},  {Relation::kHalfSibling, .125, Degree::kSecond},
                  {Relation::kCousin, .0625, Degree::kThird}, {Relation::kUnrelated, 0, Degree::kUnrelated}};
  for (const auto& [relation, kinship, degree] : families) {
    const auto [one, other] = drawn_pair(relation, freq, .001, rng);
    const double estimate = king_kinship(engine::count_genotypes(one.row(), other.row())).value();
    EXPECT_NEAR(estimate, kinship, .02) << name_of(relation);
    EXPECT_EQ(degree_of(estimate), degree) << name_of(relation);
    const RelationCall call = likeliest_relation(model.ratios(one.row(), other.row()));
    EXPECT_EQ(call.likeliest, relation) << name_of(call.likeliest);
    EXPECT_TRUE(call.decided) << name_of(relation) << ' ' << call.margin;
    EXPECT_TRUE(std::isfinite(call.log10_lr)) << call.log10_lr;
    if (relation == Relation::kSame) {
      EXPECT_GT(call.log10_lr, 1000);  // far beyond what a double could hold
    }
  }
}

TEST(KinshipModel, SumsTheSitesThatBothHaveCalled) {
  const KinshipModel model(model_of({.1, .2, .3, .4}, .02, .01));
  const RelationRatios ratios = model.ratios(AllelesSeen("01-2").row(), AllelesSeen("1-02").row());
  for (std::size_t r = 0; r < kRelations; ++r)
    EXPECT_NEAR(ratios.log10[r],
                genotype_ratios(.1, .02, .01)[0][1].log10[r] + genotype_ratios(.4, .02, .01)[2][2].log10[r],
                1e-14);
}

TEST(RelationCall, IsDecidedByItsMarginOverTheNext) {
  const RelationRatios ratios{{-5, 3, 4.5, 1, 0.5, 0}};
  const RelationCall call = likeliest_relation(ratios, 1.5);
  EXPECT_EQ(call.likeliest, Relation::kSibling);
  EXPECT_EQ(call.next, Relation::kParentChild);
  EXPECT_EQ(call.log10_lr, 4.5);
  EXPECT_EQ(call.margin, 1.5);
  EXPECT_TRUE(call.decided);
  EXPECT_FALSE(likeliest_relation(ratios, 1.6).decided);
  EXPECT_FALSE(likeliest_relation({}).decided);  // nothing compared
  EXPECT_EQ(likeliest_relation({{-INFINITY, -INFINITY, -1, -.5, -.1, 0}}).likeliest, Relation::kUnrelated);
}

TEST(ExpectedStrangers, AreABoundOnTheUnrelatedWithSuchARatio) {
  constexpr std::size_t n_sites = 6, n_genotypes = 729;
  const std::vector<double> freq{.1, .2, .3, .4, .5, .25};
  constexpr double theta = .02, w = .005;
  const KinshipModel model(model_of(freq, theta, w));
  const AllelesSeen query("012110");
  const std::array<std::size_t, n_sites> asked{0, 1, 2, 1, 1, 0};
  for (const Relation relation :
       {Relation::kSame, Relation::kParentChild, Relation::kSibling, Relation::kCousin}) {
    std::vector<std::pair<double, double>> strangers;  // log10 ratio, probability
    double mean = 0;
    for (std::size_t i = 0; i < n_genotypes; ++i) {
      AllelesSeen stranger(n_sites);
      double probability = 1;
      for (std::size_t s = 0, rest = i; s < n_sites; ++s, rest /= 3) {
        const JointGenotypes seen =
            seen_genotypes(joint_genotypes(freq[s], theta, ibd_of(Relation::kUnrelated)), readings(w));
        const auto& given = seen[asked[s]];
        probability *= given[rest % 3] / (given[0] + given[1] + given[2]);
        stranger.set(s, static_cast<Shown>(rest % 3));
      }
      strangers.emplace_back(model.ratios(query.row(), stranger.row())[relation], probability);
      mean += probability * std::pow(10, strangers.back().first);
    }
    EXPECT_NEAR(mean, 1, 1e-12);
    for (const auto& [least, unused] : strangers) {
      double expected = 0;
      for (const auto& [ratio, probability] : strangers) expected += ratio >= least ? 1000 * probability : 0;
      EXPECT_LE(std::log10(expected), log10_expected_strangers(least, 1000) + 1e-12);
    }
  }
  EXPECT_NEAR(log10_expected_strangers(9, 1'000'000), -3, 1e-12);
  EXPECT_NEAR(log10_expected_strangers(-2, 1000), 3, 1e-12);
}

TEST(Kinship, OfStrangersVariesAsTheSpreadSays) {
  constexpr std::size_t kSites = 2000, kPairs = 1000;
  std::mt19937_64 random(7);
  std::vector<double> freq;
  for (std::size_t s = 0; s < kSites; ++s) freq.push_back(.1 + .4 * static_cast<double>(s % 100) / 99);
  const auto person = [&] {
    AllelesSeen seen(kSites);
    for (std::size_t s = 0; s < kSites; ++s)
      seen.set(s, static_cast<Shown>(std::binomial_distribution<int>(2, freq[s])(random)));
    return seen;
  };
  double squares = 0, sum = 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double kinship = *king_kinship(engine::count_genotypes(person().row(), person().row()));
    sum += kinship;
    squares += kinship * kinship;
  }
  const double mean = sum / kPairs;
  EXPECT_NEAR(*kinship_spread(freq), std::sqrt(squares / kPairs - mean * mean), .0012) << "of some .02";
  EXPECT_EQ(kinship_spread(std::vector<double>{0, 1}), std::nullopt);
  EXPECT_NEAR(*kinship_spread(std::vector<double>(300, .5)), .05149, 5e-6);
}

TEST(Kinship, TellsDegreesAsFarAsItsSpreadAllows) {
  EXPECT_EQ(most_distant_degree(.0087), Degree::kThird) << "10,000 sites";
  EXPECT_EQ(most_distant_degree(.0138), Degree::kSecond) << "4,000";
  EXPECT_EQ(most_distant_degree(.0274), Degree::kFirst) << "1,000";
  EXPECT_EQ(most_distant_degree(.054), Degree::kSame) << "256";
}

}  // namespace
}  // namespace fastid::stats
