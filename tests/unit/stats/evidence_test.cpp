// What a search asks, put together from the parts that the other tests hold: populations, no-calls, limits.
#include "stats/evidence.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "stats/log_number.hpp"
#include "stats_testing.hpp"
#include "support/refusal.hpp"

namespace fastid::stats {
namespace {
using testing::model_of;
using testing::rows_of;
using testing::uniform_model;

constexpr std::uint64_t kProfiles = 1'000'000;

/// Counts as the engine's definition gives them.
PairCounts counts_of(Comparison comparison, const ProfileRows& rows, std::size_t query, std::size_t stored) {
  BitBlocks blocks({1, rows.n_sites()});
  for (std::uint32_t s = 0; s < rows.n_sites(); ++s)
    if (rows.row(stored).called[s / 32] >> s % 32 & 1)
      blocks.set(0, s, (rows.row(stored).bits[s / 32] >> s % 32 & 1) != 0);
  return count_pair(comparison, rows.row(query), blocks.view(), 0);
}

HitReport evaluate(Comparison comparison, std::span<const PopulationModel> models, const ProfileRows& rows,
                   std::optional<unsigned> contributors = {}) {
  const QueryEvaluator evaluator(comparison, models, rows.row(0), kProfiles, contributors);
  return evaluator.hit(rows.row(1), counts_of(comparison, rows, 0, 1));
}

TEST(Evidence, OfAHitIsOverItsOwnSites) {
  const std::vector models{uniform_model(40, .3)};
  const std::string bits = "0110100110010110011010011001011001101001";
  std::string fewer = bits;
  fewer[3] = fewer[39] = '-';
  const ProfileRows rows = rows_of({bits, fewer});
  const HitReport report = evaluate(Comparison::kIdentity, models, rows);
  EXPECT_EQ(report.worst.log10_lr, log10_identity_ratio(models[0], rows.row(0), rows.row(1)));
  EXPECT_NEAR(report.worst.log10_chance, log10_match_probability(models[0], rows.row(1)), 1e-9);
  EXPECT_NEAR(report.worst.log10_expected_false, report.worst.log10_chance + 6, 1e-12);
  EXPECT_EQ(report.worst.contributors, 0u);
}

TEST(Evidence, ReportsTheWorstPopulationOfEachClaim) {
  // Where the allele is common, matching zeros prove more and matching ones less.
  const std::vector models{uniform_model(30, .05), uniform_model(30, .45)};
  const ProfileRows rows = rows_of({std::string(30, '1'), std::string(30, '1')});
  const HitReport report = evaluate(Comparison::kIdentity, models, rows);
  ASSERT_EQ(report.each.size(), 2u);
  EXPECT_EQ(report.lr_population, 1u);
  EXPECT_EQ(report.chance_population, 1u);
  EXPECT_EQ(report.worst.log10_lr, report.each[1].log10_lr);
  EXPECT_LT(report.worst.log10_lr, report.each[0].log10_lr);
  EXPECT_GT(report.worst.log10_expected_false, report.each[0].log10_expected_false);
  const QueryEvaluator evaluator(Comparison::kIdentity, models, rows.row(0), kProfiles, {});
  EXPECT_EQ(evaluator.worst_population(), 1u);
}

TEST(Evidence, LimitIsTheLargestThatEveryPopulationAllows) {
  std::mt19937_64 rng(31);
  const std::vector models{uniform_model(200, .2), uniform_model(200, .4)};
  ProfileRows query(1, 200);
  for (std::uint32_t s = 0; s < 200; ++s) query.set(0, s, testing::chance(.5, rng));
  const QueryEvaluator both(Comparison::kIdentity, models, query.row(0), kProfiles, {});
  std::uint32_t least = 200;
  for (const PopulationModel& model : models) {
    const PoissonBinomial chance(mismatch_events(model, query.row(0), query.row(0).called));
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
  const QueryEvaluator evaluator(Comparison::kIdentity, models, rows.row(0), 1000, {});
  const std::uint32_t limit = evaluator.limit(.5).value();
  int passed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ProfileRows pair(2, 60);
    for (std::uint32_t s = 0; s < 60; ++s) {
      const bool bit = (rows.row(0).bits[s / 32] >> s % 32 & 1) != 0;
      pair.set(0, s, bit);
      if (!testing::chance(.2, rng)) pair.set(1, s, bit != testing::chance(.3, rng));
    }
    const PairCounts counts = counts_of(Comparison::kIdentity, pair, 0, 1);
    const bool within = QueryEvaluator::within(evaluator.hit(pair.row(1), counts), .5);
    passed += within;
    EXPECT_TRUE(!within || counts.count <= limit) << counts.count;
  }
  EXPECT_GT(passed, 10);
  EXPECT_LT(passed, 190);
}

TEST(Evidence, OfAMixtureUsesTheGivenContributorsOrTheEstimate) {
  const std::vector models{uniform_model(8, .2)};
  const ProfileRows rows = rows_of({"11001000", "10001010"});
  for (const unsigned n : {1u, 2u, 5u}) {
    const HitReport report = evaluate(Comparison::kMixture, models, rows, n);
    EXPECT_EQ(report.worst.contributors, n);
    EXPECT_EQ(report.worst.log10_lr, MixtureModel(models[0], n).log10_ratio(rows.row(0), rows.row(1)));
  }
  EXPECT_EQ(evaluate(Comparison::kMixture, models, rows).worst.contributors,
            estimate_contributors(models[0], rows.row(0)).best);
  EXPECT_THROW(evaluate(Comparison::kMixture, models, rows, 0), UsageError);
}

TEST(Evidence, OfAReverseSearchIsAboutTheStoredMixture) {
  const std::vector models{uniform_model(8, .2)};
  const ProfileRows forward = rows_of({"11001-00", "10001010"}), reverse = rows_of({"10001010", "11001-00"});
  const HitReport one = evaluate(Comparison::kMixture, models, forward, 2);
  const HitReport other = evaluate(Comparison::kReverseMixture, models, reverse, 2);
  EXPECT_EQ(one.worst.log10_lr, other.worst.log10_lr);
  EXPECT_NEAR(one.worst.log10_chance, other.worst.log10_chance, 1e-12);
  EXPECT_EQ(one.worst.saturated, other.worst.saturated);
  const QueryEvaluator person(Comparison::kReverseMixture, models, reverse.row(0), kProfiles, {});
  EXPECT_EQ(person.limit(.01), 8u);
  EXPECT_EQ(person.query()[0].log10_match_probability, log10_match_probability(models[0], reverse.row(0)));
  EXPECT_TRUE(person.expected_histogram(0).empty());
}

TEST(Evidence, SaysWhenAMixtureIsSaturated) {
  const std::vector models{uniform_model(100, .3)};
  const std::string full(100, '1'), empty(100, '0');
  const ProfileRows rows = rows_of({full, empty});
  EXPECT_TRUE(QueryEvaluator(Comparison::kMixture, models, rows.row(0), 2, {}).saturated());
  EXPECT_FALSE(QueryEvaluator(Comparison::kMixture, models, rows.row(1), kProfiles, {}).saturated());
  EXPECT_FALSE(
      QueryEvaluator(Comparison::kMixture, models, rows.row(0), 1, {}).saturated());  // 1 is not over 1
  EXPECT_EQ(QueryEvaluator(Comparison::kMixture, models, rows.row(0), 2, {}).limit(.01), std::nullopt);
}

TEST(Evidence, ExpectedHistogramHoldsEveryProfile) {
  const std::vector models{uniform_model(64, .3, .01)};
  std::string text(64, '0');
  text[5] = text[40] = '1';
  text[63] = '-';
  const ProfileRows rows = rows_of({text});
  for (const Comparison comparison : {Comparison::kIdentity, Comparison::kMixture}) {
    const QueryEvaluator evaluator(comparison, models, rows.row(0), kProfiles, {});
    const std::vector<double> curve = evaluator.expected_histogram(0);
    EXPECT_EQ(curve.size(), 64u);
    EXPECT_NEAR(std::accumulate(curve.begin(), curve.end(), 0.), kProfiles, 1e-6);
  }
}

TEST(Evidence, OfNothingComparedSaysNothing) {
  const std::vector models{uniform_model(5, .3)};
  const ProfileRows rows = rows_of({"0101-", "----1"});
  const HitReport report = evaluate(Comparison::kIdentity, models, rows);
  EXPECT_EQ(report.worst.log10_lr, 0);
  EXPECT_EQ(report.worst.log10_expected_false, 6);
}

Panel panel_of(std::vector<Population> populations) {
  return Panel({{"rs1", "1", 1, 'A', 'G'}, {"rs2", "1", 2, 'C', 'T'}}, std::move(populations),
               GenomeBuild::kGRCh37, "test");
}

TEST(ChoosePopulations, TakesAllOrOneAndFloorsTheCohortByItsSize) {
  const Panel panel = panel_of({{"cohort", {0, .3}}, {"EUR", {0, 1}}});
  const auto all = choose_populations(panel, "all", {}, 49, "x.h5");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].minor_freq()[0], .01);
  EXPECT_EQ(all[0].floored_sites(), 1u);
  EXPECT_EQ(all[1].minor_freq()[1], 1 - 1 / 202.);
  EXPECT_EQ(choose_populations(panel, "", {}, {}, "x.h5").size(), 2u);
  const auto one = choose_populations(panel, "EUR", {}, {}, "x.h5");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name(), "EUR");
}

TEST(ChoosePopulations, NamesThoseThereAreWhereOneIsMissing) {
  const Panel panel = panel_of({{"cohort", {.1, .3}}, {"EUR", {.1, .2}}}), bare = panel_of({});
  const auto choose = [](const Panel& from, std::string_view name) {
    return fastid::testing::refusal([&] { choose_populations(from, name, {}, {}, "x.h5"); });
  };
  EXPECT_THAT(choose(panel, "AFR"),
              ::testing::AllOf(::testing::HasSubstr("x.h5"), ::testing::HasSubstr("'AFR'"),
                               ::testing::HasSubstr("cohort, EUR")));
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

}  // namespace
}  // namespace fastid::stats
