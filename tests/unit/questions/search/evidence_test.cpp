// The evidence of whole searches against figures made by hand: enumerated outcomes, published vectors.
#include "questions/search/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/log.hpp"
#include "support/refusal.hpp"
#include "unit/asking/asking_testing.hpp"

namespace fastid::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Letters;
using testing::panel_of;

constexpr double kC = 0.19;  // P(bit 1) at q = 0.1, theta 0

class EvidenceTest : public testing::SearchTest {};

/// P(at most k of independent events), by looking at every outcome.
double at_most(std::size_t k, const std::vector<double>& events) {
  double sum = 0;
  for (std::uint32_t outcome = 0; outcome < 1u << events.size(); ++outcome) {
    if (static_cast<std::size_t>(std::popcount(outcome)) > k) continue;
    double probability = 1;
    for (std::size_t i = 0; i < events.size(); ++i)
      probability *= (outcome >> i & 1) != 0 ? events[i] : 1 - events[i];
    sum += probability;
  }
  return sum;
}

/// log10 of the mean of four ratios to strangers: of the same person and of full siblings, as the row has
/// them, and of parent and child and of half siblings, of bits that two people show at q = .1, theta 0: they
/// share an allele by descent, which is minor with probability q, always or half of the time.
double mean_ratio(const match::MatchRow& row, const std::vector<std::pair<int, int>>& shown) {
  constexpr double kMinorShare = 0.1, kMisread = stats::Parameters{}.error_rate;
  // P(bit | minor copies), of two alleles that are each misread
  const auto bit = [&](int copies, int is) {
    const double none = std::pow(kMisread, copies) * std::pow(1 - kMisread, 2 - copies);
    return is == 0 ? none : 1 - none;
  };
  const auto stranger = [&](int is) {
    return (1 - kMinorShare) * (1 - kMinorShare) * bit(0, is) +
           2 * kMinorShare * (1 - kMinorShare) * bit(1, is) + kMinorShare * kMinorShare * bit(2, is);
  };
  const auto with = [&](int shared, int is) {
    return (1 - kMinorShare) * bit(shared, is) + kMinorShare * bit(shared + 1, is);
  };
  double always = 0, half = 0;
  for (const auto& [one, other] : shown) {
    const double apart = stranger(one) * stranger(other),
                 sharing = (1 - kMinorShare) * with(0, one) * with(0, other) +
                           kMinorShare * with(1, one) * with(1, other);
    always += std::log10(sharing / apart);
    half += std::log10((sharing + apart) / (2 * apart));
  }
  const double same = *row.log10_lr, sibling = same - *row.log10_lr_sibling;
  double sum = 0;
  for (const double ratio : {same, sibling, always, half}) sum += std::pow(10, ratio);
  return std::log10(sum / 4);
}

TEST_F(EvidenceTest, OfAnIdentityHit) {
  const match::MatchTable table = run({"1111", "0101", "0-01"}, "0011");
  ASSERT_EQ(table.queries[0].rows.size(), 3u);
  const match::QueryMatches& query = table.queries[0];
  ASSERT_EQ(query.rows[0].row, 2u);  // 1 mismatch of 3
  ASSERT_EQ(query.rows[1].row, 0u);  // 2 of 4, the lower row
  ASSERT_EQ(query.rows[2].row, 1u);
  // log10 LR at q = .1, w = .005: .0905 (0,0), -1.2506 (0,1), .6851 (1,1)
  EXPECT_NEAR(*query.rows[0].log10_lr, 0.0905 - 1.2506 + 0.6851, 2e-4);
  EXPECT_NEAR(*query.rows[2].log10_lr, 0.0905 - 2 * 1.2506 + 0.6851, 2e-4);
  // By mismatches 3 P, and no less than 3 over the mean of four relations' ratios.
  EXPECT_LT(std::log10(3 * at_most(1, {kC, 1 - kC, 1 - kC})), *query.rows[0].log10_chance_matches);
  EXPECT_NEAR(*query.rows[0].log10_chance_matches,
              std::log10(3) - mean_ratio(query.rows[0], {{0, 0}, {0, 1}, {1, 1}}), 1e-9);
  EXPECT_LT(mean_ratio(query.rows[2], {{0, 0}, {0, 1}, {1, 0}, {1, 1}}), 0);
  EXPECT_NEAR(*query.rows[2].log10_chance_matches, std::log10(3), 1e-9) << "never above all profiles";
  EXPECT_NEAR(*query.evidence.populations[0].log10_match_probability,
              std::log10(kC * kC * (1 - kC) * (1 - kC)), 1e-9);
  EXPECT_FALSE(query.rows[0].log10_p_rmne);
}

TEST_F(EvidenceTest, NamesTheSitesThatDiffer) {
  const match::MatchTable table = run({"0101"}, "0011");
  const auto& loci = table.queries[0].rows[0].loci;
  ASSERT_TRUE(loci);
  ASSERT_EQ(loci->size(), 2u);
  EXPECT_EQ((*loci)[0].id, "rs1");
  EXPECT_EQ((*loci)[0].pos, 1001u);
  EXPECT_FALSE((*loci)[0].query == kMinorSeen);
  EXPECT_TRUE((*loci)[1].query == kMinorSeen);
  EXPECT_EQ((*loci)[1].id, "rs2");
  EXPECT_DOUBLE_EQ((*loci)[0].minor_frequency.value(), 0.1);
  EXPECT_NEAR((*loci)[0].log10_lr.value(), -1.2506, 1e-4);
}

TEST_F(EvidenceTest, NamesAsManySitesAsWereCounted) {
  Letters query, person;
  for (int i = 0; i < 4; ++i) {  // every pair of letters, and more of 1 and 0 than of 0 and 1
    query += "000111---11";
    person += "01-01-01-00";
  }
  for (const auto& [comparison, sites] : {std::pair{engine::Comparison::kIdentity, 16u},
                                          {engine::Comparison::kMixture, 4u},
                                          {engine::Comparison::kReverseMixture, 12u}}) {
    options_.comparison = comparison;
    const match::MatchTable table = run(panel_of(query.size(), {}), {person}, query);
    const match::MatchRow& row = table.queries[0].rows.at(0);
    EXPECT_EQ(row.counts.count, sites);
    EXPECT_EQ(row.loci.value().size(), sites);
  }
}

TEST_F(EvidenceTest, ListsNoSitesOfAProfileThatDiffersLikeAnyOther) {
  const auto lists = [&](const Panel& panel, std::size_t differing, std::size_t sites) {
    const Letters query(sites, '0');
    Letters other = query;
    for (std::size_t s = 0; s < differing; ++s) other[s] = '1';
    return run(panel, {other}, query).queries[0].rows[0].loci.has_value();
  };
  const auto panel = [](std::size_t sites) {
    return panel_of(sites, {{"pop", std::vector<double>(sites, 0.1)}});
  };
  EXPECT_FALSE(lists(panel(60), 11, 60));  // log10 LR 49 * .0905 - 11 * 1.2506 < 0
  EXPECT_TRUE(lists(panel(60), 10, 60));
  EXPECT_TRUE(lists(panel(2000), 100, 2000));  // 1,900 * .0905 - 100 * 1.2506 > 0
  EXPECT_FALSE(lists(panel(20000), 1001, 20000));
  EXPECT_TRUE(lists(panel_of(60, {}), 50, 60));
  EXPECT_FALSE(lists(panel_of(60, {}), 51, 60));
}

stats::StainParameters given(unsigned n) {
  return {.least = n, .most = n, .estimated = false, .drop_outs = {0.005}};
}

TEST_F(EvidenceTest, OfAMixturesContributor) {
  options_.comparison = engine::Comparison::kMixture;
  options_.evidence.mixtures = given(2);
  options_.evidence.parameters.error_rate = 0;
  const match::MatchTable table = run({"0101"}, "0011");
  const match::MatchRow& row = table.queries[0].rows[0];
  EXPECT_EQ(row.counts.count, 1u);
  // log10 at q = .1, n = 2, d = e = .005: (m, r) = (0,0) .0910, (0,1) -2.2334, (1,0) -.2528, (1,1) .4596
  EXPECT_NEAR(*row.log10_lr, 0.0910 - 2.2334 - 0.2528 + 0.4596, 2e-4);
  EXPECT_NEAR(*row.log10_p_rmne, std::log10(at_most(1, {kC, kC})), 1e-9);
  EXPECT_NEAR(*row.log10_chance_matches, *row.log10_p_rmne, 1e-12);  // of one profile
  ASSERT_TRUE(row.loci);
  EXPECT_EQ(row.loci->size(), 1u);
  EXPECT_NEAR(row.loci->front().log10_lr.value(), -2.2334, 1e-4);
  const match::MixtureEvidence& mixture = table.queries[0].evidence.mixture.value();
  EXPECT_DOUBLE_EQ(mixture.saturation, 0.5);
  EXPECT_EQ(mixture.numbers, (std::vector<double>{0, 1}));
  ASSERT_EQ(mixture.supports.size(), 1u);
  EXPECT_EQ(mixture.supports[0].unknown, std::vector{0.005});
  ASSERT_TRUE(row.contributor);
  EXPECT_EQ(row.contributor->support.contributors, 2u);
  EXPECT_EQ(row.contributor->support.own, 0.005);
  EXPECT_EQ(row.contributor->support.place(), 1u);
  EXPECT_EQ(row.contributor->relative, "half-sibling");
  EXPECT_FALSE(row.contributor->apart);
  EXPECT_EQ(row.suggests, "inconclusive");
  EXPECT_FALSE(mixture.saturated);
}

TEST_F(EvidenceTest, SaysThatAMixtureIsSaturated) {
  options_.comparison = engine::Comparison::kMixture;
  const match::MatchTable table = run({"0101", "0000"}, "0111");
  EXPECT_TRUE(table.queries[0].evidence.mixture->saturated);  // 2 * .81 > 1
  EXPECT_TRUE(table.queries[0].rows[0].saturated);
}

TEST_F(EvidenceTest, OfAStoredMixture) {
  options_.comparison = engine::Comparison::kReverseMixture;
  options_.evidence.mixtures = given(2);
  options_.evidence.parameters.error_rate = 0;
  const match::MatchTable table = run({"0011"}, "0101");
  const match::MatchRow& row = table.queries[0].rows[0];
  EXPECT_NEAR(*row.log10_lr, 0.0910 - 2.2334 - 0.2528 + 0.4596, 2e-4);
  EXPECT_NEAR(*row.log10_p_rmne, std::log10(at_most(1, {kC, kC})), 1e-9);
  EXPECT_TRUE(row.loci->front().query == kMinorSeen);
}

TEST_F(EvidenceTest, IsThatOfTheWorstPopulation) {
  const Panel panel = panel_of(2, {{"rare", {0.01, 0.01}}, {"common", {0.4, 0.4}}});
  const match::MatchTable both = run(panel, {"11"}, "11");
  options_.evidence.population = "common";
  const match::MatchTable common = run(panel, {"11"}, "11");
  options_.evidence.population = "rare";
  const match::MatchTable rare = run(panel, {"11"}, "11");
  EXPECT_EQ(both.queries[0].evidence.populations.size(), 2u);
  EXPECT_EQ(both.queries[0].evidence.worst, 1u);
  EXPECT_EQ(*both.queries[0].rows[0].log10_lr, *common.queries[0].rows[0].log10_lr);
  EXPECT_LT(*both.queries[0].rows[0].log10_lr, *rare.queries[0].rows[0].log10_lr);
  EXPECT_EQ(*both.queries[0].rows[0].log10_chance_matches, *common.queries[0].rows[0].log10_chance_matches);
}

TEST_F(EvidenceTest, NamesThePopulationsThatSpeakLeastForTheMatch) {
  // A shared minor allele is worth least where it is common, a shared major one where it is rare; so many
  // mismatches are likelier where the frequencies are even.
  const Panel panel = panel_of(3, {{"rare", {0.01, 0.01, 0.01}}, {"even", {0.3, 0.3, 0.3}}});
  const match::MatchTable table = run(panel, {"000"}, "000");
  EXPECT_EQ(table.queries[0].rows[0].lr_population, 0u);
  EXPECT_EQ(table.queries[0].rows[0].chance_population, 0u);
  EXPECT_EQ(run(panel, {"111"}, "111").queries[0].rows[0].lr_population, 1u);
}

TEST_F(EvidenceTest, HoldsThePersonAgainstTheAlternative) {
  const auto ratio = [&](stats::Relation alternative) {
    options_.evidence.alternative = alternative;
    return *run({"0101"}, "0011").queries[0].rows[0].log10_lr;
  };
  // q = .1, w = .005, theta .03: same v unrelated .0838 -1.2231 .6066, same v sibling .0412 -.9593 .2134
  options_.evidence.parameters.theta = 0.03;
  EXPECT_NEAR(ratio(stats::Relation::kUnrelated), 0.0838 - 2 * 1.2231 + 0.6066, 3e-4);
  EXPECT_NEAR(ratio(stats::Relation::kSibling), 0.0412 - 2 * 0.9593 + 0.2134, 3e-4);
  EXPECT_NEAR(*run({"0101"}, "0011").queries[0].rows[0].log10_lr_sibling, 0.0412 - 2 * 0.9593 + 0.2134, 3e-4);
}

TEST_F(EvidenceTest, MarksWhomChanceDoesNotExplainAndWhoIsNotTheSamePerson) {
  const Letters query(800, '1');
  Letters relative = query, stranger = query;
  for (std::size_t s = 0; s < 800; ++s) {
    if (s % 8 == 0) relative[s] = '0';
    if (s % 3 == 0) stranger[s] = '0';
  }
  const match::QueryMatches found = run({query, relative, stranger}, query, 0.5).queries[0];
  ASSERT_EQ(found.rows.size(), 3u);
  EXPECT_EQ(found.rows[0].suggests, "same");
  EXPECT_EQ(found.rows[1].suggests, "first-degree");
  EXPECT_EQ(found.rows[2].suggests, "unrelated");
  EXPECT_FALSE(found.rows[0].relative);
  EXPECT_TRUE(found.rows[1].relative);
  EXPECT_FALSE(found.rows[2].relative);
}

/// One agreement at a rare allele outweighs more mismatches where the alleles are common.
TEST_F(EvidenceTest, ListsByEvidenceUnlessByRate) {
  const Panel panel = panel_of(4, {{"pop", {0.01, 0.5, 0.5, 0.5}}});
  const auto listed = [&](bool by_rate) {
    options_.evidence.by_rate = by_rate;
    std::vector<std::uint64_t> rows;
    const match::MatchTable table = run(panel, {"0111", "1011", "0011"}, "1111");
    for (const match::MatchRow& row : table.queries[0].rows) {
      rows.push_back(row.row);
      EXPECT_EQ(row.rank, rows.size());
      EXPECT_TRUE(row.log10_lr && row.log10_chance_matches);
    }
    return rows;
  };
  EXPECT_EQ(listed(true), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(listed(false), (std::vector<std::uint64_t>{1, 0, 2}));
}

/// The shortlist is longer than what is listed: the second by rate comes first by evidence.
TEST_F(EvidenceTest, ShortlistsMoreThanItLists) {
  options_.evidence.by_rate = false;
  options_.rule.top = 1;
  const Panel panel = panel_of(4, {{"pop", {0.01, 0.5, 0.5, 0.5}}});
  const match::QueryMatches found = run(panel, {"0111", "1011", "1101"}, "1111").queries[0];
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].profile, "P1");
  EXPECT_EQ(found.rows[0].suggests, "inconclusive");
  EXPECT_EQ(found.ties_cut, 1u);  // P2 has the same ratio
}

TEST_F(EvidenceTest, WeighsEachNumberOfContributorsByItsProbability) {
  options_.comparison = engine::Comparison::kMixture;
  options_.evidence.mixtures.drop_outs = {0.005};
  const auto lr = [&] { return *run({"1110000000"}, "1111000000").queries[0].rows[0].log10_lr; };
  const match::MixtureEvidence mixture =
      run({"1110000000"}, "1111000000").queries[0].evidence.mixture.value();
  const double all = lr();
  ASSERT_GT(mixture.numbers.size(), 1u);
  double sum = 0;
  for (unsigned n = 1; n <= mixture.numbers.size(); ++n) {
    options_.evidence.mixtures = given(n);
    sum += mixture.numbers[n - 1] * std::pow(10, lr());
  }
  EXPECT_NEAR(all, std::log10(sum), 1e-4);
}

TEST_F(EvidenceTest, NamesAPopulationThatExplainsAMixtureFarBetter) {
  options_.comparison = engine::Comparison::kMixture;
  std::vector<double> here(60, 0.02),
      there(60, 0.02);  // each has common alleles where the other has rare ones
  std::fill_n(here.begin(), 30, 0.4);
  std::fill_n(there.rbegin(), 30, 0.4);
  const Panel panel = panel_of(60, {{"here", here}, {"there", there}});
  const auto better = [&](const std::string& population) {
    options_.evidence.population = population;
    return run(panel, {Letters(60, '0')}, Letters(30, '1') + Letters(30, '0'))
        .queries[0]
        .evidence.mixture->better_population;
  };
  EXPECT_EQ(better("there"), "here");
  EXPECT_EQ(better("here"), "");
  EXPECT_EQ(better("all"), "");
}

TEST_F(EvidenceTest, TakesTheKnownForContributorsUnderBothHypotheses) {
  options_.comparison = engine::Comparison::kMixture;
  options_.evidence.mixtures = given(2);
  const auto ratio = [&] { return *run({"0011"}, "1111").queries[0].rows[0].log10_lr; };
  const double alone = ratio();
  options_.evidence.known = {
      folder_.write("victim.snp",
                    "#sample V\n# build 37\nrs0\t1\t1000\tAC\nrs1\t1\t1001\tAC\nrs2\t1\t1002\tAA\n"
                    "rs3\t1\t1003\tAA\n")};
  EXPECT_GT(ratio(), alone + 0.5) << "the person explains what the victim does not";
  const match::MatchTable table = run({"0011"}, "1111");
  ASSERT_EQ(table.provenance.evidence.known.size(), 1u);
  EXPECT_EQ(table.provenance.evidence.known[0].name, "V");
  EXPECT_EQ(table.provenance.evidence.known[0].sha256.size(), 64u);
  EXPECT_EQ(table.queries[0].rows[0].known, "");
  EXPECT_EQ(run({"1100"}, "1111").queries[0].rows[0].known, "V") << "the victim's own profile";
  options_.evidence.known.push_back(options_.evidence.known[0]);
  options_.evidence.mixtures = given(3);
  EXPECT_THAT(testing::refusal([&] { ratio(); }), HasSubstr("same profile"));
  options_.evidence.known.pop_back();
  options_.evidence.mixtures = given(1);
  EXPECT_THROW(ratio(), UsageError);  // nobody is left to look for
  options_.comparison = engine::Comparison::kReverseMixture;
  options_.evidence.mixtures = given(2);
  EXPECT_THROW(ratio(), UsageError);
}

TEST_F(EvidenceTest, NeedsAPopulationThatThePanelHas) {
  options_.evidence.population = "elsewhere";
  EXPECT_THAT(testing::refusal([&] { run({"0101"}, "0011"); }),
              AllOf(HasSubstr("elsewhere"), HasSubstr("pop")));
}

TEST_F(EvidenceTest, IsNotKnownWithoutFrequencies) {
  const Panel panel = panel_of(4, {});
  const match::MatchTable table = run(panel, {"0101"}, "0011");
  const match::MatchRow& row = table.queries[0].rows[0];
  EXPECT_FALSE(row.log10_lr || row.log10_p_rmne || row.log10_chance_matches);
  EXPECT_TRUE(table.queries[0].evidence.populations.empty());
  ASSERT_TRUE(row.loci);
  EXPECT_EQ(row.loci->size(), 2u);
  EXPECT_FALSE(row.loci->front().minor_frequency);
  EXPECT_TRUE(table.queries[0].histogram->expected.empty());
  options_.evidence.max_chance_matches = 0.1;
  EXPECT_THAT(testing::refusal([&] { run(panel, {"0101"}, "0011"); }),
              AllOf(HasSubstr("no allele frequencies"), HasSubstr("--panel")));
}

TEST_F(EvidenceTest, HistogramHoldsEveryProfile) {
  const match::MatchTable table = run({"0011", "0001", "1100", "----", "001-"}, "0011");
  const match::QueryHistogram& histogram = table.queries[0].histogram.value();
  EXPECT_EQ(histogram.profiles, (std::vector<std::uint64_t>{2, 1, 0, 0, 1}));
  EXPECT_EQ(histogram.n_profiles, 5u);
  EXPECT_EQ(histogram.step, 1u);
  ASSERT_EQ(histogram.expected.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(
        histogram.expected[k],
        5 * (at_most(k, {kC, kC, 1 - kC, 1 - kC}) - (k > 0 ? at_most(k - 1, {kC, kC, 1 - kC, 1 - kC}) : 0)),
        1e-9);
  ASSERT_EQ(histogram.marks.size(), 5u);
  EXPECT_EQ(histogram.marks.front().name, "same person");
  EXPECT_NEAR(histogram.marks.back().mean, 2 * kC + 2 * (1 - kC), 1e-9);  // unrelated
  ASSERT_TRUE(histogram.own && histogram.model);
  // Of counts 0, 0, 1, 4: half of them lie below the middle of 0's place and 1's border.
  EXPECT_DOUBLE_EQ(histogram.own->centre, 0.5);
}

TEST_F(EvidenceTest, HistogramHoldsWhoHasNoMinorAlleleAtNoneNotSeen) {
  options_.comparison = engine::Comparison::kMixture;
  const std::vector<Letters> people = {"0000", "1100", "----", "--11"};
  const match::QueryMatches query = run(people, "0011").queries[0];
  EXPECT_EQ(query.rows.size(), 3u);
  EXPECT_EQ(query.histogram->profiles, (std::vector<std::uint64_t>{2, 0, 1, 0, 0}));
  EXPECT_EQ(query.histogram->n_profiles, 4u);
  EXPECT_EQ(query.histogram->not_comparable, 1u);
  options_.comparison = engine::Comparison::kReverseMixture;
  const match::QueryMatches person = run(people, "0000").queries[0];
  EXPECT_EQ(person.rows.size(), 3u);
  EXPECT_EQ(person.histogram->profiles, (std::vector<std::uint64_t>{3, 0, 0, 0, 0}));
  EXPECT_EQ(person.histogram->not_comparable, 1u);
}

TEST_F(EvidenceTest, SaysHowTheQueriesWereRead) {
  const match::ReadingParameters plain = run({"0011"}, "0011").provenance.reading;
  EXPECT_EQ(plain.palindromic, "keep");
  EXPECT_FALSE(plain.min_depth || plain.min_allele_fraction);
  options_.import.palindromic = imports::PalindromicRule::kFrequency;
  options_.import.depths = imports::DepthRule{.min_depth = 7, .min_fraction = 0.25};
  options_.import.reference = folder_.write("genome.fa", ">1\nACGT\n");
  folder_.write("genome.fa.fai", "1\t4\t3\t4\t5\n");
  options_.skip_checksums = true;
  const match::Provenance from = run({"0011"}, "0011").provenance;
  EXPECT_EQ(from.reading.palindromic, "frequency");
  EXPECT_EQ(from.reading.min_depth, 7u);
  EXPECT_EQ(from.reading.min_allele_fraction, 0.25);
  EXPECT_EQ(from.reading.reference, options_.import.reference);
  EXPECT_TRUE(from.skip_checksums);
}

/// What --progress shows: every query and every row, whichever way round they are taken.
TEST_F(EvidenceTest, TellsOfEachQueryAndRowThatIsDone) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    options_.comparison = comparison;
    std::vector<match::QueryMatches> queries = run({"0101", "0011", "1111"}, "0011").queries;
    ASSERT_EQ(queries[0].rows.size(), 3u);
    const db::Reader reader(options_.database);
    match::Queries asked{{{}}, ProfileRows(1, 4)};
    for (std::uint32_t s = 0; s < 4; ++s) asked.rows.set(0, s, s > 1);
    options_.evidence.max_chance_matches = 1;
    const asking::CountedSites sites(reader);
    const MeasuredQueries none;
    Evidence evidence(options_.evidence, comparison, Encoding::kMinor, reader, sites, 3,
                      {{}, ProfileRows(0, 4)}, none, 10, 1);
    Progress weighing(ProgressMode::kNever, "", "", 4), choosing(ProgressMode::kNever, "", "", 1);
    evidence.weigh(asked, false, 2, weighing, queries);
    EXPECT_EQ(weighing.done(), 4u);
    const bool chosen = comparison != engine::Comparison::kReverseMixture;
    EXPECT_EQ(evidence.limits(asked, 2, choosing).size(), chosen ? 1u : 0u);
    EXPECT_EQ(choosing.done(), chosen ? 1u : 0u);
    options_.evidence.max_chance_matches.reset();
  }
}

}  // namespace
}  // namespace fastid::search
