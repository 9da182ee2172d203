// What a search asks, put together from the parts that the other tests hold: populations, no-calls, limits.
#include "stats/evidence.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "stats/log_number.hpp"
#include "stats_testing.hpp"
#include "support/refusal.hpp"

namespace fastid::stats {
namespace {
using testing::by_bits;
using testing::model_of;
using testing::rows_of;
using testing::uniform_model;

constexpr std::uint64_t kProfiles = 1'000'000;

/// Counts as the engine's definition gives them.
engine::PairCounts counts_of(engine::Comparison comparison, const ProfileRows& rows, std::size_t query,
                             std::size_t stored) {
  BitBlocks blocks({1, rows.n_sites()});
  for (std::uint32_t s = 0; s < rows.n_sites(); ++s)
    if (rows.row(stored).called[s / 32] >> s % 32 & 1)
      blocks.set(0, s, (rows.row(stored).bits[s / 32] >> s % 32 & 1) != 0);
  return engine::count_pair(comparison, Encoding::kMinor, rows.row(query), blocks.view(), 0);
}

/// A search of queries in these populations; answers while it lives.
class Asked {
 public:
  Asked(engine::Comparison comparison, std::span<const PopulationModel> models,
        const StainParameters& parameters = {}, Relation alternative = Relation::kUnrelated,
        std::uint64_t profiles = kProfiles)
      : question_(
            make_question(comparison, Encoding::kMinor, profiles, alternative, models, {}, parameters)) {}
  QueryEvaluator of(const RowView& query) const { return {question_, query}; }
  HitReport hit(const ProfileRows& rows) const {
    return of(rows.row(0)).hit(rows.row(1), counts_of(question_.comparison, rows, 0, 1));
  }

 private:
  Question question_;
};

/// The ends of the parameters' ranges give figures too.
TEST(Evidence, IsNeverNotANumber) {
  const std::vector still{uniform_model(4, .1, 0)}, alike{model_of({.1, .1, .1, .1}, 1, 0)};
  const ProfileRows rows = rows_of({"0011", "0101"});
  for (const double drop_out : {0.0, 0.5, 0.9999999999999999}) {
    const HitReport mixture =
        Asked(engine::Comparison::kMixture, still, testing::given(2, drop_out, 0)).hit(rows);
    EXPECT_FALSE(std::isnan(mixture.worst.log10_lr)) << drop_out;
  }
  const HitReport identity =
      Asked(engine::Comparison::kIdentity, alike).hit(rows);  // impossible, whatever is assumed
  EXPECT_EQ(identity.worst.log10_lr, 0);
  EXPECT_EQ(identity.suggests, Suggestion::kInconclusive);
}

/// By alleles too, where a heterozygote is impossible, or can be nobody's copy.
TEST(Evidence, OfAllelesIsNeverNotANumber) {
  testing::AllelesSeen query("0122"), stored("1120");
  for (const double theta : {0., .5, 1.})
    for (const double w : {0., .005, .5}) {
      const std::vector models{model_of({.1, .1, .1, .1}, theta, w)};
      const Question identity = make_question(engine::Comparison::kIdentity, Encoding::kAlleles, kProfiles,
                                              Relation::kSibling, models);
      const QueryEvaluator figures(identity, query);
      const HitReport hit = figures.hit(stored, {3, 4, 4});
      for (const double figure : {hit.worst.log10_lr, hit.worst.log10_lr_sibling, hit.worst.log10_chance,
                                  figures.query()[0].log10_match_probability,
                                  figures.expected_mismatches(0, Relation::kParentChild).mean})
        EXPECT_FALSE(std::isnan(figure)) << theta << ' ' << w;
      EXPECT_LE(hit.worst.log10_chance, 0);
      for (const double drop_out : {0.0, 0.9999999999999999}) {
        const Question mixtures =
            make_question(engine::Comparison::kMixture, Encoding::kAlleles, kProfiles, Relation::kUnrelated,
                          models, {}, testing::given(2, drop_out, 0));
        const HitReport mixture = QueryEvaluator(mixtures, query).hit(stored, {1, 5, 4});
        EXPECT_FALSE(std::isnan(mixture.worst.log10_lr)) << theta << ' ' << drop_out;
        EXPECT_FALSE(std::isnan(mixture.worst.log10_chance)) << theta << ' ' << drop_out;
      }
    }
}

/// 400 of 2,000 sites differ: as of half-siblings, but among enough strangers some do.
TEST(Evidence, SuggestsNobodyWhomChanceExplains) {
  const std::vector models{uniform_model(2000, .5, 0)};
  const std::string query(2000, '1');
  std::string stored = query;
  for (std::size_t s = 0; s < stored.size(); s += 5) stored[s] = '0';
  const ProfileRows rows = rows_of({query, stored});
  const auto of_so_many = [&](std::uint64_t profiles) {
    return Asked(engine::Comparison::kIdentity, models, {}, Relation::kUnrelated, profiles).hit(rows);
  };
  EXPECT_EQ(of_so_many(10).suggests, Suggestion::kSecondDegree);
  EXPECT_TRUE(of_so_many(10).relative);
  EXPECT_EQ(of_so_many(1'000'000'000).suggests, Suggestion::kInconclusive);
  EXPECT_FALSE(of_so_many(1'000'000'000).relative);
}

TEST(Evidence, OfAHitIsOverItsOwnSites) {
  const std::vector models{uniform_model(40, .3, .02)};
  const std::string bits = "0110100110010110011010011001011001101001";
  std::string fewer = bits;
  fewer[3] = fewer[39] = '-';
  const ProfileRows rows = rows_of({bits, fewer});
  const HitReport report = Asked(engine::Comparison::kIdentity, models).hit(rows);
  const RelationRatios ratios =
      IdentityRatios(by_bits(models[0]), rows.row(0), Relation::kUnrelated).with(rows.row(1));
  EXPECT_EQ(report.worst.log10_lr, ratios[Relation::kSame]);
  EXPECT_EQ(report.worst.log10_lr_sibling, ratios.between(Relation::kSame, Relation::kSibling));
  EXPECT_NEAR(report.worst.log10_chance, log10_match_probability(by_bits(models[0]), rows.row(1)), 1e-9);
  double four = 0;
  for (const Relation relation :
       {Relation::kSame, Relation::kParentChild, Relation::kSibling, Relation::kHalfSibling})
    four += std::pow(10, ratios[relation]);
  const double mean = std::log10(four / 4);
  EXPECT_LT(report.worst.log10_chance, -mean);
  EXPECT_NEAR(report.worst.log10_chance_matches, 6 - mean, 1e-9) << "no less than ratios allow";
  EXPECT_EQ(report.suggests, suggest(ratios));
}

TEST(Evidence, WeighsAgainstTheAlternativeThatIsAsked) {
  const std::vector models{uniform_model(40, .3, .02)};
  const std::string bits = "0110100110010110011010011001011001101001";
  const ProfileRows rows = rows_of({bits, bits});
  const RelationRatios ratios =
      IdentityRatios(by_bits(models[0]), rows.row(0), Relation::kUnrelated).with(rows.row(1));
  for (const Relation alternative : {Relation::kParentChild, Relation::kSibling, Relation::kHalfSibling,
                                     Relation::kCousin, Relation::kUnrelated}) {
    const Asked asked(engine::Comparison::kIdentity, models, {}, alternative);
    EXPECT_NEAR(asked.hit(rows).worst.log10_lr, ratios.between(Relation::kSame, alternative), 1e-12);
    EXPECT_EQ(asked.of(rows.row(0)).log10_lr(rows.row(1)), asked.hit(rows).worst.log10_lr);
  }
}

TEST(Evidence, ReportsTheWorstPopulationOfEachClaim) {
  // Where the allele is common, matching zeros prove more and matching ones less.
  const std::vector models{uniform_model(30, .05), uniform_model(30, .45)};
  const ProfileRows rows = rows_of({std::string(30, '1'), std::string(30, '1')});
  const Asked asked(engine::Comparison::kIdentity, models);
  const HitReport report = asked.hit(rows);
  ASSERT_EQ(report.each.size(), 2u);
  EXPECT_EQ(report.lr_population, 1u);
  EXPECT_EQ(report.chance_population, 1u);
  EXPECT_EQ(report.worst.log10_lr, report.each[1].log10_lr);
  EXPECT_LT(report.worst.log10_lr, report.each[0].log10_lr);
  EXPECT_LT(report.worst.log10_lr_sibling, report.each[0].log10_lr_sibling);
  EXPECT_GT(report.worst.log10_chance_matches, report.each[0].log10_chance_matches);
  EXPECT_EQ(asked.of(rows.row(0)).worst_population(), 1u);
}

TEST(Evidence, SaysRelativeWhereNeitherChanceNorTheSamePersonExplainsAHit) {
  std::mt19937_64 rng(33);
  const std::vector<double> freq = testing::random_frequencies(1200, rng);
  const std::vector models{model_of(freq, .01)};
  const Asked asked(engine::Comparison::kIdentity, models);
  const auto drawn = [&](Relation relation) {
    ProfileRows rows(2, 1200);
    for (std::uint32_t s = 0; s < 1200; ++s) {
      const auto [one, other] = testing::relatives(relation, freq[s], rng);
      rows.set(0, s, one.carrier());
      rows.set(1, s, other.carrier());
    }
    return asked.hit(rows);
  };
  EXPECT_FALSE(drawn(Relation::kSame).relative);
  EXPECT_FALSE(drawn(Relation::kUnrelated).relative);
  for (const Relation kin : {Relation::kParentChild, Relation::kSibling}) {
    const HitReport report = drawn(kin);
    EXPECT_TRUE(report.relative);
    EXPECT_EQ(report.suggests, Suggestion::kFirstDegree);
    EXPECT_LT(report.worst.log10_lr_sibling, 0);
  }
}

TEST(Evidence, LimitIsTheLargestThatEveryPopulationAllows) {
  std::mt19937_64 rng(31);
  const std::vector models{uniform_model(200, .2), uniform_model(200, .4)};
  ProfileRows query(1, 200);
  for (std::uint32_t s = 0; s < 200; ++s) query.set(0, s, testing::chance(.5, rng));
  const Asked asked(engine::Comparison::kIdentity, models);
  const QueryEvaluator both = asked.of(query.row(0));
  std::uint32_t least = 200;
  for (const PopulationModel& model : models) {
    const PoissonBinomial chance(mismatch_events(by_bits(model), query.row(0), query.row(0).called));
    std::uint32_t k = 0;
    while (6 + chance.log10_cdf(k + 1) <= -2) ++k;
    least = std::min(least, k);
  }
  EXPECT_EQ(both.limit(.01), least);
  EXPECT_EQ(both.limit(2. * kProfiles), 200u);
  EXPECT_EQ(both.limit(1e-300), std::nullopt);
}

TEST(Evidence, LimitNeverCutsAHitThatPassesByItsOwnSites) {
  std::mt19937_64 rng(32);
  const std::vector models{model_of(testing::random_frequencies(60, rng))};
  ProfileRows rows(2, 60);
  for (std::uint32_t s = 0; s < 60; ++s) rows.set(0, s, testing::chance(.4, rng));
  const Asked asked(engine::Comparison::kIdentity, models, {}, Relation::kUnrelated, 1000);
  const QueryEvaluator evaluator = asked.of(rows.row(0));
  const std::uint32_t limit = evaluator.limit(.5).value();
  int passed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ProfileRows pair(2, 60);
    for (std::uint32_t s = 0; s < 60; ++s) {
      const bool bit = (rows.row(0).bits[s / 32] >> s % 32 & 1) != 0;
      pair.set(0, s, bit);
      if (!testing::chance(.2, rng)) pair.set(1, s, bit != testing::chance(.3, rng));
    }
    const engine::PairCounts counts = counts_of(engine::Comparison::kIdentity, pair, 0, 1);
    const bool passes = within(evaluator.hit(pair.row(1), counts), .5);
    passed += passes;
    EXPECT_TRUE(!passes || counts.count <= limit) << counts.count;
  }
  EXPECT_GT(passed, 10);
  EXPECT_LT(passed, 190);
}

TEST(Evidence, OfAMixtureIsTheMeanOverItsSupports) {
  const std::vector models{uniform_model(8, .2, .01)};
  const ProfileRows rows = rows_of({"11001000", "10001010"});
  for (const StainParameters& parameters : {StainParameters{}, testing::given(2, .1)}) {
    const StainModel model(models[0], {}, Encoding::kMinor, parameters);
    const std::vector<StainSupport> supports = model.supports(rows.row(0));
    const RowView person = rows.row(1);
    const RelationRatios ratios = model.weigh(rows.row(0), supports, {&person, 1}).front().relations;
    const Asked asked(engine::Comparison::kMixture, models, parameters);
    const HitReport report = asked.hit(rows);
    EXPECT_EQ(report.worst.log10_lr, ratios[Relation::kSame]);
    EXPECT_EQ(report.worst.relations.log10, ratios.log10);
    EXPECT_EQ(asked.of(rows.row(0)).log10_lr(rows.row(1)), ratios[Relation::kSame]);
    EXPECT_EQ(
        Asked(engine::Comparison::kMixture, models, parameters, Relation::kSibling).hit(rows).worst.log10_lr,
        ratios.between(Relation::kSame, Relation::kSibling));
    // A random person is the likelier not excluded, the more contributors there are.
    const auto chance =
        not_seen_events(models[0], rows.row(0), rows.row(0).called, supports.back().contributors);
    EXPECT_NEAR(report.worst.log10_chance, PoissonBinomial(chance).log10_cdf(1), 1e-9);
    EXPECT_EQ(report.worst.log10_chance_matches,
              std::min(6 + report.worst.log10_chance, 6 - ratios[Relation::kSame]));
  }
}

TEST(Evidence, ContributorsAreAtLeastOneMoreThanAreKnown) {
  const PopulationModel model = uniform_model(40, .3);
  const ProfileRows known = rows_of({std::string(40, '0'), std::string(40, '1')}),
                    query = rows_of({std::string(40, '0')});
  const std::array known_rows{known.row(0), known.row(1)};
  const Question question = make_question(engine::Comparison::kMixture, Encoding::kMinor, kProfiles,
                                          Relation::kUnrelated, std::span(&model, 1), known_rows);
  const QueryEvaluator evaluator(question, query.row(0));
  EXPECT_EQ(evaluator.query()[0].supports.front().contributors, 3u);
}

TEST(Evidence, StandsApartOnlyWhereNeitherChanceNorARelativeExplainsIt) {
  const auto standing = [](double same, double parent, double sibling, double half) {
    RelationRatios ratios;
    ratios.log10 = {same, parent, sibling, half, 0, 0};
    return standing_of(ratios, 1000);
  };
  EXPECT_EQ(standing(5, 2, 1, 1), Standing::kApart);
  EXPECT_EQ(standing(4.99, 1, 1, 1), Standing::kStranger);
  EXPECT_EQ(standing(9, 6.01, 1, 1), Standing::kRelative);
  EXPECT_EQ(standing(9, 1, 6.01, 1), Standing::kRelative);
  EXPECT_EQ(standing(9, 1, 1, 6.01), Standing::kRelative);
  EXPECT_EQ(standing(-9, 5, 1, 1), Standing::kRelative);
  EXPECT_EQ(standing(-9, 4.99, 1, 1), Standing::kStranger);
}

/// A stain of two people, and somebody to hold against it.
struct Case {
  ProfileRows rows;  ///< stain, contributor, the contributor's child, the other contributor's child
  explicit Case(const std::vector<double>& freq, double drop_out, std::mt19937_64& rng)
      : rows(4, static_cast<std::uint32_t>(freq.size())) {
    for (std::uint32_t s = 0; s < freq.size(); ++s) {
      const auto [one, child] = testing::relatives(Relation::kParentChild, freq[s], rng);
      const auto [other, others_child] = testing::relatives(Relation::kParentChild, freq[s], rng);
      bool shown = testing::chance(.005, rng);
      for (int copy = 0; copy < one.minor() + other.minor(); ++copy) shown |= !testing::chance(drop_out, rng);
      for (const auto& [row, bit] :
           {std::pair(0, shown), {1, one.carrier()}, {2, child.carrier()}, {3, others_child.carrier()}})
        rows.set(static_cast<std::size_t>(row), s, bit);
    }
  }
};

TEST(Evidence, OfAMixtureSaysRelativeOfAChildOfAContributor) {
  std::mt19937_64 rng(34);
  const std::vector<double> freq = testing::random_frequencies(3000, rng);
  std::vector<double> elsewhere = freq;
  for (double& q : elsewhere) q = std::clamp(q + (testing::chance(.5, rng) ? .15 : -.15), .01, .9);
  const std::vector models{model_of(freq, .01), model_of(elsewhere, .01)};
  for (const double drop_out : {.01, .1}) {
    const Case stain(freq, drop_out, rng);
    for (const bool both : {false, true}) {
      const Asked asked(engine::Comparison::kMixture, std::span(models).first(both ? 2 : 1));
      const QueryEvaluator evaluator = asked.of(stain.rows.row(0));
      const auto hit = [&](std::size_t row) {
        return evaluator.hit(stain.rows.row(row),
                             counts_of(engine::Comparison::kMixture, stain.rows, 0, row));
      };
      EXPECT_GT(hit(1).worst.log10_lr, 0) << drop_out;
      EXPECT_FALSE(hit(1).relative) << drop_out << ' ' << both;
      for (const std::size_t child : {2, 3}) {
        EXPECT_LT(hit(child).worst.log10_lr, hit(1).worst.log10_lr) << drop_out;
        EXPECT_TRUE(hit(child).relative) << drop_out << ' ' << both << ' ' << child;
      }
    }
  }
}

TEST(Evidence, OfAMixtureHoldsWhereManyAllelesDroppedOut) {
  std::mt19937_64 rng(35);
  std::vector<double> freq = testing::random_frequencies(1000, rng);
  for (double& q : freq) q = .2 + q / 2;
  const std::vector models{model_of(freq, .01)};
  const Asked asked(engine::Comparison::kMixture, models);
  for (const double drop_out : {.4, .5}) {
    const Case stain(freq, drop_out, rng);
    const QueryEvaluator evaluator = asked.of(stain.rows.row(0));
    const HitReport hit =
        evaluator.hit(stain.rows.row(1), counts_of(engine::Comparison::kMixture, stain.rows, 0, 1));
    EXPECT_GT(hit.worst.log10_lr, 5) << drop_out;
    EXPECT_GT(hit.worst.relations[Relation::kSame], hit.worst.relations[Relation::kHalfSibling]) << drop_out;
  }
}

TEST(Evidence, SaysWhenAMixtureIsSaturated) {
  const std::vector models{uniform_model(100, .3)};
  const std::string full(100, '1'), empty(100, '0');
  const ProfileRows rows = rows_of({full, empty});
  const auto asked = [&](std::uint64_t profiles) {
    return std::make_unique<Asked>(engine::Comparison::kMixture, models, StainParameters{},
                                   Relation::kUnrelated, profiles);
  };
  const auto two = asked(2), many = asked(kProfiles), one = asked(1);
  EXPECT_TRUE(two->of(rows.row(0)).saturated());
  EXPECT_TRUE(two->hit(rows).worst.saturated);
  EXPECT_FALSE(many->of(rows.row(1)).saturated());
  EXPECT_FALSE(one->of(rows.row(0)).saturated());  // 1 is not over 1
  EXPECT_EQ(two->of(rows.row(0)).limit(.01), std::nullopt);
}

TEST(Evidence, ExpectedHistogramHoldsEveryProfile) {
  const std::vector models{uniform_model(64, .3, .01)};
  std::string text(64, '0');
  text[5] = text[40] = '1';
  text[63] = '-';
  const ProfileRows rows = rows_of({text});
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture}) {
    const Asked asked(comparison, models);
    const std::vector<double> curve = asked.of(rows.row(0)).expected_histogram(0);
    EXPECT_EQ(curve.size(), 64u);
    EXPECT_NEAR(std::accumulate(curve.begin(), curve.end(), 0.), kProfiles, 1e-6);
    const auto at_most = [&](std::uint32_t count) {
      return asked.of(rows.row(0)).log10_expected_at_most(0, count);
    };
    const auto sum = [&](std::ptrdiff_t count) {
      return std::log10(std::accumulate(curve.begin(), curve.begin() + count + 1, 0.));
    };
    EXPECT_NEAR(at_most(20), sum(20), 1e-8);
    EXPECT_NEAR(at_most(1000), std::log10(kProfiles), 1e-12);
  }
}

TEST(Evidence, OfNothingComparedSaysNothing) {
  const std::vector models{uniform_model(5, .3)};
  const ProfileRows rows = rows_of({"0101-", "----1"});
  const HitReport report = Asked(engine::Comparison::kIdentity, models).hit(rows);
  EXPECT_NEAR(report.worst.log10_lr, 0, 1e-12);
  EXPECT_EQ(report.worst.log10_chance_matches, 6);
  EXPECT_EQ(report.suggests, Suggestion::kInconclusive);
  EXPECT_FALSE(report.relative);
}

Panel panel_of(std::vector<Population> populations) {
  return Panel({{"rs1", "1", 1, 'A', 'G'}, {"rs2", "1", 2, 'C', 'T'}}, std::move(populations),
               GenomeBuild::kGRCh37, "test");
}

TEST(ChoosePopulations, TakesTheCohortsFrequenciesOfXAsTheyWereCountedByCopies) {
  const Panel panel(
      {{"rs1", "1", 1, 'A', 'G'}, {"x1", "X", 50'000'000, 'C', 'T'}, {"y1", "Y", 7'000'000, 'C', 'T'}},
      {{"cohort", {.3, 4 / 77., 0}}}, GenomeBuild::kGRCh37, "test");
  const PopulationModel model = choose_populations(panel, "", {}, 49, "x.h5").front();
  EXPECT_DOUBLE_EQ(model.minor_freq()[0], (.3 * 98 + 1) / 100);
  EXPECT_DOUBLE_EQ(model.minor_freq()[1], 4 / 77.);
  EXPECT_DOUBLE_EQ(model.minor_freq()[2], .01);
}

TEST(ChoosePopulations, CountsThePeopleCalledAtEachSite) {
  const Panel panel = panel_of({{"cohort", {0, .25}, {8, 4}}, {"EUR", {.2, .3}}});
  for (const std::optional<std::uint64_t> sampled :
       {std::optional<std::uint64_t>(5), std::optional<std::uint64_t>()}) {
    const PopulationModel model = choose_populations(panel, "cohort", {}, sampled, "x.h5").front();
    EXPECT_DOUBLE_EQ(model.minor_freq()[0], 1 / 10.);
    EXPECT_DOUBLE_EQ(model.minor_freq()[1], 2 / 6.);
    EXPECT_EQ(model.floored_sites(), 1u);
  }
}

TEST(ChoosePopulations, TakesAllOrSomeAndCountsTheCohortsPeople) {
  const Panel panel = panel_of({{"cohort", {0, .3}}, {"EUR", {0, 1}}, {"AFR", {.2, .3}}});
  const auto all = choose_populations(panel, "all", {}, 49, "x.h5");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_DOUBLE_EQ(all[0].minor_freq()[0], .01);
  EXPECT_DOUBLE_EQ(all[0].minor_freq()[1], (.3 * 98 + 1) / 100);
  EXPECT_EQ(all[0].floored_sites(), 1u);
  EXPECT_EQ(all[0].sampled_people(), 49u);
  EXPECT_EQ(all[1].minor_freq()[1], 1 - 1 / 202.);
  EXPECT_EQ(all[1].sampled_people(), std::nullopt);
  EXPECT_EQ(choose_populations(panel, "", {}, {}, "x.h5").size(), 3u);
  const auto one = choose_populations(panel, "EUR", {}, {}, "x.h5");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name(), "EUR");
  const auto two = choose_populations(panel, "AFR,cohort", {}, {}, "x.h5");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].name(), "cohort");
  EXPECT_EQ(two[1].name(), "AFR");
}

TEST(ChoosePopulations, NamesThoseThereAreWhereOneIsMissing) {
  const Panel panel = panel_of({{"cohort", {.1, .3}}, {"EUR", {.1, .2}}}), bare = panel_of({});
  const auto choose = [](const Panel& from, std::string_view name) {
    return fastid::testing::refusal([&] { choose_populations(from, name, {}, {}, "x.h5"); });
  };
  EXPECT_THAT(choose(panel, "AFR"),
              ::testing::AllOf(::testing::HasSubstr("x.h5"), ::testing::HasSubstr("'AFR'"),
                               ::testing::HasSubstr("cohort, EUR")));
  EXPECT_THAT(choose(panel, "EUR,AFR"), ::testing::HasSubstr("'AFR'"));
  EXPECT_THAT(choose(bare, "all"), ::testing::HasSubstr("no allele frequencies"));
  EXPECT_TRUE(choose_populations(bare, "", {}, {}, "x.h5").empty());
}

TEST(PopulationModel, RefusesWhatIsNoProbability) {
  for (const double bad : {-.1, 1.1, std::nan(""), double{INFINITY}}) {
    EXPECT_THROW(model_of({.1}, bad), UsageError);
    EXPECT_THROW(model_of({.1}, 0, bad), UsageError);
    EXPECT_THROW(model_of({.1, bad}), InputError);
  }
  EXPECT_THROW(model_of({.1}, 0, .51), UsageError);
  EXPECT_THROW(
      Asked(engine::Comparison::kIdentity, std::vector{model_of({.1})}).of(rows_of({"1"}).row(0)).limit(0),
      UsageError);
}

TEST(LogNumber, IsWrittenAsIfDoublesHadNoEnd) {
  EXPECT_EQ(scientific(std::log10(.0123)), "1.23e-02");
  EXPECT_EQ(scientific(-2500.5), "3.16e-2501");
  EXPECT_EQ(scientific(0), "1.00e+00");
  EXPECT_EQ(scientific(std::log10(9.999)), "1.00e+01");
  EXPECT_EQ(scientific(std::log10(9.999), 1), "1e+01");
  EXPECT_EQ(scientific(123456.25, 2), "1.8e+123456");
  EXPECT_EQ(scientific(-INFINITY), "0");
}

TEST(LogNumber, IsPutInOrderAsItIsPrinted) {
  EXPECT_EQ(as_printed(62.22004), 62.22);
  EXPECT_EQ(as_printed(-1.00006), -1.0001);
  EXPECT_EQ(as_printed(-INFINITY), -INFINITY);
}

}  // namespace
}  // namespace fastid::stats
