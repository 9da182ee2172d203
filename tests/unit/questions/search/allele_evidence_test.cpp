// Searches by the alleles that were seen, against figures made by hand, and the order by weight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "stats/average_weight.hpp"
#include "stats/evidence.hpp"
#include "support/refusal.hpp"
#include "unit/asking/asking_testing.hpp"

namespace fastid::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Letters;
using testing::panel_of;

class AlleleEvidenceTest : public testing::SearchTest {
 protected:
  AlleleEvidenceTest() { encoding_ = Encoding::kAlleles; }
};

/// P(a count), from independent events with P(0), P(1), P(2) each.
std::vector<double> distribution(const std::vector<std::array<double, 3>>& events) {
  std::vector<double> mass{1};
  for (const auto& event : events) {
    std::vector<double> next(mass.size() + 2);
    for (std::size_t k = 0; k < mass.size(); ++k)
      for (std::size_t add = 0; add < 3; ++add) next[k + add] += mass[k] * event[add];
    mass = next;
  }
  return mass;
}

/// Of genotypes drawn at q = .3, theta 0: how far from 0, 1, 2 minor copies.
constexpr double kQ = 0.3, kP = 0.7;
constexpr std::array<double, 3> kFrom0{kP * kP, 2 * kP*kQ, kQ*kQ}, kFrom1{2 * kP * kQ, kP*kP + kQ*kQ, 0},
    kFrom2{kQ * kQ, 2 * kP*kQ, kP*kP};

// What the shortlist is ordered by: the weights of alleles, for people and, where counts are asked for, for
// mixtures.
TEST_F(AlleleEvidenceTest, TheWeightsAreOfTheAllelesThatAreCompared) {
  options_.evidence.by_rate = false;
  options_.rule.max_count = 10;
  const Letters letters = "01201";
  ProfileRows row(1, 5, Encoding::kAlleles);
  for (std::uint32_t s = 0; s < 5; ++s) row.set_seen(0, s, testing::seen_of(letters[s]));
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture}) {
    options_.comparison = comparison;
    const match::PairWeights weights = run({"01100", "02110"}, letters, kQ).queries[0].weights;
    const std::vector<stats::PopulationModel> models = {
        {"pop", std::vector<double>(5, kQ), options_.evidence.parameters}};
    const stats::Question question =
        stats::make_question(comparison, Encoding::kAlleles, 2, stats::Relation::kUnrelated, models, {}, {});
    const stats::AverageWeight right = stats::AverageWeights(question, false).of(row.row(0));
    ASSERT_GT(weights.credit, 0u);
    EXPECT_NEAR(static_cast<double>(weights.cost) / weights.credit, right.count / right.denominator,
                1e-3 * right.count / right.denominator);
  }
}

TEST_F(AlleleEvidenceTest, OfAnIdentityHit) {
  const match::MatchTable table = run({"0110-", "02110"}, "01200", kQ);
  EXPECT_EQ(table.by, Encoding::kAlleles);
  const match::QueryMatches& query = table.queries[0];
  ASSERT_EQ(query.rows.size(), 2u);
  EXPECT_EQ(query.rows[0].counts, (engine::PairCounts{1, 4, 4}));
  EXPECT_EQ(query.rows[1].counts, (engine::PairCounts{3, 5, 5}));
  EXPECT_NEAR(*query.evidence.populations[0].log10_match_probability,
              std::log10(std::pow(kP, 6) * 2 * kP * kQ * kQ * kQ), 1e-9);
  const std::vector<double> four = distribution({kFrom0, kFrom1, kFrom2, kFrom0}),
                            five = distribution({kFrom0, kFrom1, kFrom2, kFrom0, kFrom0});
  EXPECT_LT(std::log10(2 * (four[0] + four[1])), *query.rows[0].log10_chance_matches)
      << "no less than likelihood ratios allow";
  EXPECT_LT(std::log10(2 * (five[0] + five[1] + five[2] + five[3])), *query.rows[1].log10_chance_matches);
  for (const match::MatchRow& row : query.rows) EXPECT_LE(*row.log10_chance_matches, std::log10(2));
  const match::QueryHistogram& histogram = query.histogram.value();
  ASSERT_EQ(histogram.profiles.size(), 11u) << "up to two alleles a site";
  EXPECT_EQ(histogram.profiles[1], 1u);
  EXPECT_EQ(histogram.profiles[3], 1u);
  ASSERT_EQ(histogram.expected.size(), 11u);
  for (std::size_t k = 0; k < 11; ++k) EXPECT_NEAR(histogram.expected[k], 2 * five[k], 1e-9);
  // |g1 - g2| of strangers, from 0, 1, 2 copies
  const auto mean = [](const std::array<double, 3>& from) { return from[1] + 2 * from[2]; };
  EXPECT_EQ(histogram.marks.back().name, "unrelated");
  EXPECT_NEAR(histogram.marks.back().mean, 3 * mean(kFrom0) + mean(kFrom1) + mean(kFrom2), 1e-9);
}

TEST_F(AlleleEvidenceTest, GivesThePublishedRatiosOfASite) {
  options_.evidence.parameters.theta = 0.03;
  options_.evidence.linked.unlinked = true;
  const auto row = [&] { return run({"0012"}, "0121", kQ).queries[0].rows[0]; };
  // q = .3, theta .03, w .005: (0,0) .2803, (0,1) -1.4525, (1,2) -1.1588
  const match::MatchRow against_strangers = row();
  EXPECT_NEAR(*against_strangers.log10_lr, .2803 - 1.4525 - 2 * 1.1588, 3e-4);
  EXPECT_NEAR(*against_strangers.log10_lr_sibling, .1300 - 1.2462 - 2 * 1.1646, 3e-4);
  options_.evidence.alternative = stats::Relation::kSibling;
  EXPECT_NEAR(*row().log10_lr, .1300 - 1.2462 - 2 * 1.1646, 3e-4);
  const auto& loci = against_strangers.loci.value();
  ASSERT_EQ(loci.size(), 3u);
  EXPECT_EQ(loci[0].id, "rs1");
  EXPECT_EQ(loci[0].query, kBothSeen);
  EXPECT_EQ(loci[0].profile, kMajorSeen);
  EXPECT_NEAR(loci[0].log10_lr.value(), -1.4525, 1e-4);
  EXPECT_EQ(loci[1].query, kMinorSeen);
  EXPECT_EQ(loci[1].profile, kBothSeen);
}

TEST_F(AlleleEvidenceTest, SuggestsWhatGenotypesDo) {
  Letters query(400, '1'), child(400, '1'), stranger(400, '1');
  for (std::size_t s = 0; s < 400; ++s) {  // half of the sites heterozygous
    if (s % 2 == 0) query[s] = s % 4 == 0 ? '0' : '2';
    if (s % 2 == 0 && s % 8 != 0) child[s] = query[s];
    if (s % 8 == 1) child[s] = '0';
    if (s % 2 == 0) stranger[s] = s % 4 == 0 ? '2' : '0';
  }
  options_.evidence.linked.unlinked = true;  // a site a base pair: along the map they are one
  const match::QueryMatches found = run({query, child, stranger}, query, 0.5).queries[0];
  EXPECT_EQ(found.rows[0].suggests, "same");
  EXPECT_EQ(found.rows[1].suggests, "first-degree");
  EXPECT_EQ(found.rows[2].suggests, "unrelated");
  EXPECT_FALSE(found.several);
}

TEST_F(AlleleEvidenceTest, SuggestsNothingOfSeveralPeople) {
  const Letters of_two(400, '1');
  Letters one(400, '1');
  for (std::size_t s = 0; s < 400; s += 2) one[s] = s % 4 == 0 ? '0' : '2';
  options_.evidence.linked.unlinked = true;
  const match::QueryMatches asked = run({of_two, one}, of_two, 0.5).queries[0];
  ASSERT_TRUE(asked.several);
  EXPECT_DOUBLE_EQ(asked.several->seen, 1);
  EXPECT_DOUBLE_EQ(asked.several->expected, 0.5);
  for (const match::MatchRow& row : asked.rows) EXPECT_EQ(row.suggests, "inconclusive");
  const match::QueryMatches stored = run({of_two, one}, one, 0.5).queries[0];
  EXPECT_FALSE(stored.several);
  ASSERT_EQ(stored.rows.size(), 2u);
  EXPECT_FALSE(stored.rows[0].several);
  EXPECT_EQ(stored.rows[0].suggests, "same");
  EXPECT_TRUE(stored.rows[1].several);
  EXPECT_EQ(stored.rows[1].suggests, "inconclusive");
}

/// Of 128 people who have nothing of the query, or every other genotype.
TEST_F(AlleleEvidenceTest, SaysWhereUnrelatedPeopleLie) {
  std::mt19937 bits(11);
  const auto drawn = [&] {
    Letters person(400, '0');
    for (char& copies : person) copies = static_cast<char>('0' + (bits() & 1) + (bits() & 1));
    return person;
  };
  const Letters query = drawn();
  std::vector<Letters> people(128);
  std::ranges::generate(people, drawn);
  const match::Strangers strangers = run(people, query, 0.5).queries[0].strangers.value();
  EXPECT_EQ(strangers.profiles, 128u);
  EXPECT_NEAR(strangers.own.centre, strangers.expected.centre, strangers.expected.spread);
  EXPECT_NEAR(strangers.own.spread, strangers.expected.spread, strangers.expected.spread / 4);
  EXPECT_FALSE(strangers.nearer);
  for (Letters& person : people)
    for (std::size_t s = 0; s < 400; s += 2) person[s] = query[s];
  EXPECT_TRUE(run(people, query, 0.5).queries[0].strangers.value().nearer);
  people.resize(99);
  EXPECT_FALSE(run(people, query, 0.5).queries[0].strangers) << "too few";
}

TEST_F(AlleleEvidenceTest, OfAMixturesContributor) {
  options_.comparison = engine::Comparison::kMixture;
  options_.evidence.mixtures = {.least = 2, .most = 2, .estimated = false, .drop_outs = {0.005}};
  const match::MatchTable table = run({"0212", "0000"}, "0121", kQ);
  const match::QueryMatches& query = table.queries[0];
  const match::MatchRow& first = query.rows[0];
  EXPECT_EQ(first.row, 0u);
  EXPECT_EQ(first.counts, (engine::PairCounts{1, 5, 4})) << "its major allele at the third site";
  EXPECT_EQ(query.rows[1].counts, (engine::PairCounts{1, 4, 4}));
  const match::MixtureEvidence& mixture = query.evidence.mixture.value();
  EXPECT_DOUBLE_EQ(mixture.saturation, 0.5) << "two sites show both alleles";
  // Not seen with theta 0: the minor allele at the first site, the major one at the third.
  const double minor = 1 - kP * kP, major = 1 - kQ * kQ;
  EXPECT_NEAR(*first.log10_p_rmne, std::log10(1 - minor * major), 1e-9);
  ASSERT_EQ(first.loci->size(), 1u);
  EXPECT_EQ(first.loci->front().query, kMinorSeen);
  EXPECT_EQ(first.loci->front().profile, kBothSeen);
  EXPECT_EQ(query.histogram->profiles, (std::vector<std::uint64_t>{0, 2, 0, 0, 0}));
  EXPECT_NEAR(query.histogram->expected[0], 2 * (1 - minor) * (1 - major), 1e-9);
}

/// With one contributor and neither drop-out nor drop-in, a mixture is that person's genotype.
TEST_F(AlleleEvidenceTest, AMixtureOfOneIsTheGenotype) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    options_.comparison = comparison;
    options_.evidence.mixtures = {.least = 1, .most = 1, .estimated = false, .drop_outs = {0.}, .drop_in = 0};
    options_.evidence.parameters.error_rate = 0;
    const match::QueryMatches found = run({"0121", "0021"}, "0121", kQ).queries[0];
    ASSERT_EQ(found.rows.size(), 2u);
    const double genotypes = std::pow(kP, 2) * std::pow(2 * kP * kQ, 2) * std::pow(kQ, 2);
    EXPECT_EQ(found.rows[0].row, 0u);
    EXPECT_NEAR(*found.rows[0].log10_lr, -std::log10(genotypes), 1e-9);
    EXPECT_EQ(*found.rows[1].log10_lr, -INFINITY);
  }
}

TEST_F(AlleleEvidenceTest, OfAStoredMixture) {
  options_.comparison = engine::Comparison::kReverseMixture;
  options_.evidence.mixtures = {.least = 2, .most = 2, .estimated = false};
  const match::QueryMatches found = run({"0101", "1111"}, "0121", kQ).queries[0];
  EXPECT_EQ(found.rows[0].row, 1u);
  EXPECT_EQ(found.rows[0].counts, (engine::PairCounts{0, 6, 4}));
  EXPECT_EQ(found.rows[1].counts, (engine::PairCounts{1, 6, 4}));
  EXPECT_EQ(found.rows[1].loci->front().query, kMinorSeen);
  EXPECT_EQ(found.rows[1].loci->front().profile, kMajorSeen);
  EXPECT_NEAR(*found.evidence.populations[0].log10_match_probability,
              std::log10(kP * kP * std::pow(2 * kP * kQ, 2) * kQ * kQ), 1e-9);
}

TEST_F(AlleleEvidenceTest, LimitAllowsSoManyAlleles) {
  const Letters query(48, '1');
  options_.rule.top = match::KeepRule::kAll;
  options_.evidence.max_chance_matches = 0.01;
  Letters near = query, far = query;
  for (std::size_t s = 0; s < 4; ++s) near[s] = '2';
  for (std::size_t s = 0; s < 30; ++s) far[s] = '2';
  const match::QueryMatches found = run({near, far}, query, 0.5).queries[0];
  // Of a heterozygote at q = .5 everybody differs by none or one allele, each with probability 1/2.
  double sum = 0, mass = std::pow(.5, 48);
  std::uint32_t k = 0;
  for (; 2 * (sum += mass) <= .01; ++k) mass *= (48. - k) / (k + 1.);
  EXPECT_EQ(found.evidence.limit.value().max_count, k - 1);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].row, 0u);
}

TEST_F(AlleleEvidenceTest, ByBitsIsAsOfADatabaseOfBits) {
  const std::vector<Letters> people = {"0212", "00-1", "2211"};
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture}) {
    options_.comparison = comparison;
    encoding_ = Encoding::kMinor;
    options_.by.reset();
    const match::MatchTable minor = run(people, "0121");
    encoding_ = Encoding::kAlleles;
    options_.by = Encoding::kMinor;
    const match::MatchTable bits = run(people, "0121");
    EXPECT_EQ(minor.by, Encoding::kMinor);
    EXPECT_EQ(bits.by, Encoding::kMinor);
    ASSERT_EQ(bits.queries[0].rows.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const match::MatchRow &one = minor.queries[0].rows[i], &other = bits.queries[0].rows[i];
      EXPECT_EQ(one.row, other.row);
      EXPECT_EQ(one.counts, other.counts);
      EXPECT_EQ(one.log10_lr, other.log10_lr);
      EXPECT_EQ(one.log10_chance_matches, other.log10_chance_matches);
    }
  }
}

TEST_F(AlleleEvidenceTest, AreRefusedWhereTheDatabaseDoesNotSayThem) {
  encoding_ = Encoding::kMinor;
  options_.by = Encoding::kAlleles;
  EXPECT_THAT(testing::refusal([&] { run({"01"}, "01"); }),
              AllOf(HasSubstr("people.h5"), HasSubstr("--encoding alleles")));
}

/// Profiles of 20,000 people at 1,024 sites and of 5,000 at 12 of them, some of which the query agrees with.
class MixedKitsTest : public testing::SearchTest, public ::testing::WithParamInterface<Encoding> {
 protected:
  static constexpr std::size_t kSites = 1024, kFull = 20'000, kFew = 5'000, kTrue = 12'345, kAgree = 40;

  MixedKitsTest() {
    options_.details = false;
    options_.evidence.by_rate = false;
    options_.by = GetParam();
    std::mt19937_64 rng(11);
    for (std::size_t s = 0; s < kSites; ++s) freq_.push_back(0.05 + 0.45 * uniform(rng));
    BitBlocks blocks({kFull + kFew, kSites, Encoding::kAlleles});
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < kFull + kFew; ++i) {
      ids.push_back("P" + std::to_string(i));
      for (std::uint32_t s = 0; s < kSites; ++s) {
        if (i >= kFull && s % 85 != i % 85) continue;
        const int minor = (uniform(rng) < freq_[s]) + (uniform(rng) < freq_[s]);
        const char letter = static_cast<char>('0' + minor);
        if (i == kTrue) query_ += letter;
        blocks.set_seen(i, s, testing::seen_of(i >= kFull && i < kFull + kAgree ? query_[s] : letter));
      }
    }
    for (const std::size_t s : {50u, 300u, 511u, 900u}) query_[s] = query_[s] == '0' ? '1' : '0';
    options_.database = folder_ / "people.h5";
    const Panel panel = panel_of(kSites, {{"pop", freq_}});
    db::Writer writer(options_.database, panel, {.encoding = Encoding::kAlleles});
    writer.append(ids, blocks.view());
    writer.finish({.action = "build", .command = "fastid db build"});
    options_.queries = {testing::write_query(folder_, query_)};
  }

  static double uniform(std::mt19937_64& rng) { return std::uniform_real_distribution<double>()(rng); }

  std::vector<double> freq_;
  Letters query_;
};

TEST_P(MixedKitsTest, TheTruePersonIsFirst) {
  const auto engine = engine::make_cpu_engine({.threads = 2});
  const match::MatchTable table = search(options_, *engine);
  EXPECT_EQ(table.by, GetParam());
  ASSERT_EQ(table.queries[0].rows.size(), 10u);
  EXPECT_EQ(table.queries[0].rows[0].row, kTrue);
  EXPECT_GT(table.queries[0].rows[0].counts.count, 0u);
  EXPECT_GT(*table.queries[0].rows[0].log10_lr, 100);
  options_.evidence.by_rate = true;
  const match::MatchTable by_rate = search(options_, *engine);
  for (const match::MatchRow& row : by_rate.queries[0].rows)
    EXPECT_GE(row.row, kFull) << "those that agree at 12 sites";
}

INSTANTIATE_TEST_SUITE_P(By, MixedKitsTest, ::testing::Values(Encoding::kMinor, Encoding::kAlleles));

}  // namespace
}  // namespace fastid::search
