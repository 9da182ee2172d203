// Likelihoods in place of calls: calls as a special case, the numbers of other programs, sums by hand.
#include "stats/likelihoods.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>

#include "base/file.hpp"
#include "base/text.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using testing::fraction;
using testing::minor_frequency;
using testing::model_of;
using testing::rows_of;

constexpr GenotypeLikelihoods kUnknown{1, 1, 1};

/// 1 at the genotype that is seen.
GenotypeLikelihoods of_call(Shown shown) {
  GenotypeLikelihoods likelihoods{};
  likelihoods.at(shown) = 1;
  return likelihoods;
}

/// Of reads with this base error.
GenotypeLikelihoods of_reads(int major, int minor, double error) {
  GenotypeLikelihoods likelihoods{};
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    const double share = static_cast<double>(g) / 2, shown = share * (1 - error) + (1 - share) * error;
    likelihoods[g] = std::pow(1 - shown, major) * std::pow(shown, minor);
  }
  return likelihoods;
}

SampleLikelihoods sample_of(std::span<const GenotypeLikelihoods> sites) {
  SampleLikelihoods sample(static_cast<std::uint32_t>(sites.size()));
  for (std::uint32_t s = 0; s < sites.size(); ++s) sample.add(s, sites[s]);
  return sample;
}

TEST(SampleLikelihoods, LeavesOutWhatSaysNothing) {
  SampleLikelihoods sample(70);
  sample.add(0, {.2, .2, .2});
  sample.add(3, {1, .5, 0});
  sample.add(40, {1, 1, 1 - 1e-14});
  sample.add(69, {0, 0, 1e-300});
  EXPECT_EQ(std::vector<std::uint32_t>(sample.sites().begin(), sample.sites().end()),
            (std::vector<std::uint32_t>{3, 69}));
  EXPECT_EQ(std::vector<Word>(sample.mask().begin(), sample.mask().end()), (std::vector<Word>{8, 0, 32}));
}

RC_GTEST_PROP(Likelihoods, OfACallWeighAsTheCall, ()) {
  const auto shown = *rc::gen::container<std::vector<std::size_t>>(
      std::size_t{100}, rc::gen::inRange(std::size_t{0}, std::size_t{4}));
  const auto stored = *rc::gen::container<std::vector<std::size_t>>(
      std::size_t{100}, rc::gen::inRange(std::size_t{0}, std::size_t{4}));
  AllelesSeen query(shown.size()), person(shown.size());
  std::vector<GenotypeLikelihoods> sites;
  std::vector<double> freq;
  std::uint32_t compared = 0;
  for (std::size_t s = 0; s < shown.size(); ++s) {
    query.set(s, static_cast<Shown>(shown[s]));
    person.set(s, static_cast<Shown>(stored[s]));
    sites.push_back(shown[s] == kNeither ? kUnknown : of_call(static_cast<Shown>(shown[s])));
    freq.push_back(minor_frequency());
    compared += shown[s] != kNeither && stored[s] != kNeither;
  }
  const PopulationModel model = model_of(freq, fraction() / 2, fraction() / 2);
  const SampleLikelihoods sample = sample_of(sites);
  const LikelihoodEvidence evidence =
      LikelihoodRatios(model, Encoding::kAlleles, sample, Relation::kUnrelated)
          .with(std::vector{person.row()})
          .front();
  const RelationRatios as_called =
      IdentityRatios(testing::by_alleles(model), query.row(), Relation::kUnrelated).with(person.row());
  RC_ASSERT(evidence.relations.log10 == as_called.log10);
  RC_ASSERT(evidence.compared == compared);
}

RC_GTEST_PROP(Likelihoods, AreMeansOfWhatCallsSay, ()) {
  const double q = minor_frequency(), theta = fraction(), w = fraction() / 2;
  const IbdEmissions seen = ibd_emissions(q, theta, w);
  const GenotypeLikelihoods likelihoods{fraction() + 1e-3, fraction(), fraction()};
  const SiteRatios ratios = site_ratios(seen, likelihoods, Encoding::kAlleles);
  double own = 0;
  for (std::size_t y = 0; y < kGenotypes; ++y) {
    // P(reads, y) under "same" and "unrelated", genotype by genotype and reading by reading.
    const Readings read = readings(w);
    const JointGenotypes same = joint_genotypes(q, theta, {0, 0, 1}),
                         strangers = joint_genotypes(q, theta, {1, 0, 0});
    double with = 0, without = 0;
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t h = 0; h < 3; ++h)
        for (std::size_t r = 0; r < 3; ++r) {
          with += same[g][h] * read[g][r] * likelihoods[r] * read[h][y];
          without += strangers[g][h] * read[g][r] * likelihoods[r] * read[h][y];
        }
    if (with > 1e-200 && without > 1e-200)
      RC_ASSERT(std::abs(ratios.of[y][Relation::kSame] - std::log10(with / without)) < 1e-9);
    own += ratios.own[y];
    // By alleles or by their likelihoods: the other sample may be called too.
    const RelationRatios called = ratios_of_samples(seen, likelihoods, of_call(static_cast<Shown>(y)));
    for (std::size_t r = 0; r < kRelations; ++r) RC_ASSERT(called.log10[r] == ratios.of[y].log10[r]);
  }
  RC_ASSERT(std::abs(own - 1) < 1e-12);
}

TEST(Likelihoods, ByBitsTakeCarriersAsOneKind) {
  const IbdEmissions seen = ibd_emissions(.3, .01, .005);
  const GenotypeLikelihoods likelihoods = of_reads(1, 1, .01);
  const SiteRatios bits = site_ratios(seen, likelihoods, Encoding::kMinor);
  double with = 0, without = 0;
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t y = 1; y < 3; ++y) {
      with += likelihoods[x] * seen[2][x][y];
      without += likelihoods[x] * seen[0][x][y];
    }
  EXPECT_NEAR(bits.of[1][Relation::kSame], std::log10(with / without), 1e-12);
  EXPECT_NEAR(bits.own[0] + bits.own[1], 1, 1e-12);
  EXPECT_EQ(bits.own[2], 0);
}

/// Every genotype of a person at three sites, with its probability if the reads are that person's own.
TEST(Likelihoods, ExpectedIsTheMeanOverAllThatThePersonMayShow) {
  const PopulationModel model = model_of({.1, .3, .45}, .02, .01);
  const std::vector<GenotypeLikelihoods> sites{of_reads(1, 0, .01), of_reads(0, 2, .005),
                                               of_reads(2, 3, .02)};
  const SampleLikelihoods sample = sample_of(sites);
  for (const Relation alternative : {Relation::kUnrelated, Relation::kSibling}) {
    const LikelihoodRatios ratios(model, Encoding::kAlleles, sample, alternative);
    double mean = 0, square = 0, all = 0;
    LikelihoodEvidence evidence;
    for (std::size_t code = 0; code < 27; ++code) {
      const std::array<std::size_t, 3> y{code % 3, code / 3 % 3, code / 9};
      AllelesSeen person(3);
      double probability = 1;
      for (std::size_t s = 0; s < 3; ++s) {
        person.set(s, static_cast<Shown>(y[s]));
        probability *=
            site_ratios(ibd_emissions(model.minor_freq()[s], .02, .01), sites[s], Encoding::kAlleles)
                .own[y[s]];
      }
      evidence = ratios.with(std::vector{person.row()}).front();
      const double log10_lr = evidence.relations.between(Relation::kSame, alternative);
      all += probability;
      mean += probability * log10_lr;
      square += probability * log10_lr * log10_lr;
    }
    EXPECT_NEAR(all, 1, 1e-12);
    EXPECT_NEAR(evidence.expected.mean, mean, 1e-12);
    EXPECT_NEAR(evidence.expected.sd, std::sqrt(square - mean * mean), 1e-9);
    EXPECT_NEAR(*evidence.deviations(mean - 2 * evidence.expected.sd), -2, 1e-9);
  }
}

/// Simulated reads of a person, a share of them somebody else's: where the person's own ratio lies.
TEST(Likelihoods, ForeignReadsShowInTheDeviations) {
  constexpr std::size_t kSites = 10'000;
  constexpr double kDepth = .5, kError = .005;
  std::mt19937_64 rng(7);
  const std::vector<double> freq = testing::random_frequencies(kSites, rng);
  const PopulationModel model = model_of(freq, .01, .005);
  for (int run = 0; run < 10; ++run)
    for (const double share : {0., .1}) {
      AllelesSeen person(kSites);
      std::vector<GenotypeLikelihoods> sites;
      std::poisson_distribution<int> reads(kDepth);
      for (std::size_t s = 0; s < kSites; ++s) {
        const testing::Alleles own = testing::person(freq[s], rng), other = testing::person(freq[s], rng);
        int major = 0, minor = 0;
        for (int n = reads(rng); n > 0; --n) {
          const bool allele = (testing::chance(share, rng) ? other : own).one(rng);
          (allele != testing::chance(kError, rng) ? minor : major) += 1;
        }
        sites.push_back(of_reads(major, minor, kError));
        person.set(s, testing::read_genotype(own, .005, rng));
      }
      const SampleLikelihoods sample = sample_of(sites);
      const LikelihoodEvidence evidence =
          LikelihoodRatios(model, Encoding::kAlleles, sample, Relation::kUnrelated)
              .with(std::vector{person.row()})
              .front();
      const double deviations = evidence.deviations(evidence.relations[Relation::kSame]).value();
      EXPECT_EQ(deviations<kLeastDeviations, share> 0) << run << ": " << deviations;
      EXPECT_LT(deviations, 5) << run;
    }
}

TEST(Likelihoods, OnlySitesThatThePersonHasCalledCount) {
  const PopulationModel model = model_of(std::vector<double>(40, .3), .01, .005);
  std::vector<GenotypeLikelihoods> sites(40, kUnknown);
  sites[2] = sites[35] = of_reads(2, 0, .01);
  const SampleLikelihoods sample = sample_of(sites);
  const LikelihoodRatios ratios(model, Encoding::kAlleles, sample, Relation::kUnrelated);
  AllelesSeen none(40), one(40), both(40);
  one.set(2, kMajorOnly);
  for (const std::size_t site : {2, 35}) both.set(site, kMajorOnly);
  both.set(7, kMinorOnly);  // where the reads say nothing
  const auto all = ratios.with(std::vector{none.row(), one.row(), both.row()});
  EXPECT_EQ(all[0].compared, 0u);
  EXPECT_EQ(all[0].relations[Relation::kSame], 0);
  EXPECT_FALSE(all[0].deviations(0));
  EXPECT_EQ(all[1].compared, 1u);
  EXPECT_EQ(all[2].compared, 2u);
  EXPECT_NEAR(all[2].relations[Relation::kSame], 2 * all[1].relations[Relation::kSame], 1e-12);
  EXPECT_NEAR(all[2].expected.mean, 2 * all[1].expected.mean, 1e-12);
}

TEST(Likelihoods, SitesOfABlockWeighAsOne) {
  PopulationModel model = model_of({.3, .3, .3}, .01, .005);
  model.weigh_by(
      std::make_shared<const LinkageBlocks>(std::vector<std::uint32_t>{0, 0, LinkageBlocks::kAlone}, 1));
  const std::vector<GenotypeLikelihoods> sites(3, of_reads(2, 0, .01));
  const SampleLikelihoods sample = sample_of(sites);
  const LikelihoodRatios ratios(model, Encoding::kAlleles, sample, Relation::kUnrelated);
  const AllelesSeen one("--0"), three("000");
  const auto all = ratios.with(std::vector{one.row(), three.row()});
  EXPECT_NEAR(all[1].relations[Relation::kSame], 2 * all[0].relations[Relation::kSame], 1e-12);
  EXPECT_NEAR(all[1].expected.mean, 2 * all[0].expected.mean, 1e-12);
  EXPECT_NEAR(all[1].expected.sd, std::sqrt(2) * all[0].expected.sd, 1e-12);
  EXPECT_EQ(all[1].compared, 3u);
}

/// A person's sum of whole weights.
std::int64_t whole_sum(const WholeWeights& whole, const RowView& person, Encoding by) {
  const auto& [sites, of] = whole.weights.front();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sites.size(); ++i)
    if ((person.called[sites[i] / kWordBits] >> sites[i] % kWordBits & 1) != 0)
      sum += of[i][kind_at(person, sites[i], by)];
  return sum;
}

/// The same person against unrelated people.
constexpr std::array<RelationPair, 1> kSameOrNot{};

RC_GTEST_PROP(WholeWeights, MissTheExactRatioByTheirRounding, ()) {
  const auto stored = *rc::gen::container<std::vector<std::size_t>>(
      std::size_t{40}, rc::gen::inRange(std::size_t{0}, std::size_t{4}));
  AllelesSeen person(stored.size());
  std::vector<double> freq;
  std::vector<GenotypeLikelihoods> sites;
  for (std::size_t s = 0; s < stored.size(); ++s) {
    person.set(s, static_cast<Shown>(stored[s]));
    freq.push_back(minor_frequency());
    sites.push_back(of_reads(*rc::gen::inRange(0, 3), *rc::gen::inRange(0, 3), .01));
  }
  const PopulationModel model = model_of(freq, .01, .005);
  const SampleLikelihoods sample = sample_of(sites);
  std::vector<LikelihoodRatios> populations;
  populations.emplace_back(model, Encoding::kAlleles, sample, Relation::kUnrelated);
  const WholeWeights weights = whole_weights(populations, kSameOrNot);
  const double exact = populations.front().with(std::vector{person.row()}).front().relations[Relation::kSame];
  const double rounded =
      weights.unit * static_cast<double>(whole_sum(weights, person.row(), Encoding::kAlleles));
  RC_ASSERT(std::abs(rounded - exact) <=
            .5 * weights.unit * static_cast<double>(sample.sites().size()) + 1e-9);
  for (const auto& site : weights.weights.front().of)
    for (const std::int8_t weight : site) RC_ASSERT(std::abs(weight) <= engine::SiteWeightsByKind::kMost);
}

TEST(WholeWeights, OfPopulationsAreTheirMean) {
  const PopulationModel rare = model_of({.05, .2}, .01, .005), common = model_of({.45, .2}, .01, .005);
  const SampleLikelihoods sample = sample_of(std::vector{of_reads(0, 2, .01), of_reads(1, 0, .01)});
  std::vector<LikelihoodRatios> both;
  for (const PopulationModel* model : {&rare, &common})
    both.emplace_back(*model, Encoding::kMinor, sample, Relation::kUnrelated);
  const WholeWeights weights = whole_weights(both, kSameOrNot);
  const ProfileRows rows = rows_of({"1-", "0-"});
  for (const std::size_t row : {0, 1}) {
    double mean = 0;
    for (const LikelihoodRatios& of : both)
      mean += of.with(std::vector{rows.row(row)}).front().relations[Relation::kSame] / 2;
    const auto sum = static_cast<double>(whole_sum(weights, rows.row(row), Encoding::kMinor));
    EXPECT_NEAR(weights.unit * sum, mean, weights.unit) << row;
  }
  const SampleLikelihoods nothing(2);
  std::vector<LikelihoodRatios> silent;
  silent.emplace_back(rare, Encoding::kMinor, nothing, Relation::kUnrelated);
  EXPECT_EQ(whole_weights(silent, kSameOrNot).unit, 0);
}

TEST(WholeWeights, AreFiniteWhereAGenotypeIsImpossible) {
  const PopulationModel model = model_of({.3}, 0, 0);
  const SampleLikelihoods sample = sample_of(std::vector{of_call(kMajorOnly)});
  std::vector<LikelihoodRatios> populations;
  populations.emplace_back(model, Encoding::kAlleles, sample, Relation::kUnrelated);
  const WholeWeights weights = whole_weights(populations, kSameOrNot);
  EXPECT_NEAR(weights.unit * weights.weights.front().of[0][kMinorOnly], -6, weights.unit);
  EXPECT_NEAR(weights.unit * weights.weights.front().of[0][kMajorOnly], std::log10(1 / (.7 * .7)),
              weights.unit);
}

/// A shortlist by whole weights holds the ten best people by the exact ratios, whatever the depth.
TEST(WholeWeights, TheTenBestOfManyStrangersAreOnTheShortlist) {
  constexpr std::size_t kSites = 2000, kPeople = 2000, kBest = 10, kShortlist = 20;
  std::mt19937_64 rng(63);
  const std::vector<double> freq = testing::random_frequencies(kSites, rng);
  const PopulationModel model = model_of(freq, .01, .005);
  std::vector<AllelesSeen> people(kPeople, AllelesSeen(kSites));
  std::vector<RowView> rows;
  for (AllelesSeen& person : people) {
    for (std::size_t s = 0; s < kSites; ++s)
      person.set(s, testing::read_genotype(testing::person(freq[s], rng), .005, rng));
    rows.push_back(person.row());
  }
  for (const double depth : {.02, .1, .5, 1., 2.}) {
    std::vector<GenotypeLikelihoods> sites;
    std::poisson_distribution<int> reads(depth);
    for (std::size_t s = 0; s < kSites; ++s) {
      const testing::Alleles own = testing::person(freq[s], rng);
      int major = 0, minor = 0;
      for (int n = reads(rng); n > 0; --n) (own.one(rng) ? minor : major) += 1;
      sites.push_back(of_reads(major, minor, .005));
    }
    const SampleLikelihoods sample = sample_of(sites);
    std::vector<LikelihoodRatios> populations;
    populations.emplace_back(model, Encoding::kAlleles, sample, Relation::kUnrelated);
    const WholeWeights weights = whole_weights(populations, kSameOrNot);
    const std::vector<LikelihoodEvidence> exact = populations.front().with(rows);
    std::vector<std::size_t> best(kPeople), listed(kPeople);
    std::vector<std::int64_t> sums(kPeople);
    for (std::size_t i = 0; i < kPeople; ++i) {
      best[i] = listed[i] = i;
      sums[i] = whole_sum(weights, rows[i], Encoding::kAlleles);
    }
    std::ranges::stable_sort(best, std::greater(),
                             [&](std::size_t i) { return exact[i].relations[Relation::kSame]; });
    std::ranges::stable_sort(listed, std::greater(), [&](std::size_t i) { return sums[i]; });
    for (std::size_t i = 0; i < kBest; ++i)
      EXPECT_LT(std::ranges::find(listed, best[i]) - listed.begin(), static_cast<std::ptrdiff_t>(kShortlist))
          << depth;
  }
}

TEST(WholeWeights, OfSeveralRelationsHaveOneUnit) {
  const PopulationModel model = model_of({.3, .1}, .01, .005);
  const SampleLikelihoods sample = sample_of(std::vector{of_reads(0, 2, .01), of_reads(1, 0, .01)});
  std::vector<LikelihoodRatios> populations;
  populations.emplace_back(model, Encoding::kAlleles, sample, Relation::kUnrelated);
  constexpr std::array kPairs{RelationPair{Relation::kParentChild}, RelationPair{Relation::kHalfSibling},
                              RelationPair{Relation::kSame, Relation::kSibling}};
  const WholeWeights whole = whole_weights(populations, kPairs);
  ASSERT_EQ(whole.weights.size(), kPairs.size());
  for (std::size_t i = 0; i < kPairs.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t y = 0; y < kGenotypes; ++y) {
        const SiteRatios at = site_ratios(ibd_emissions(model.minor_freq()[s], .01, .005), sample.values()[s],
                                          Encoding::kAlleles);
        EXPECT_NEAR(whole.unit * whole.weights[i].of[s][y],
                    at.of[y].between(kPairs[i].relation, kPairs[i].against), .51 * whole.unit);
      }
}

TEST(WholeWeights, OfABlockAreItsShare) {
  PopulationModel model = model_of({.3, .3, .3}, .01, .005);
  model.weigh_by(
      std::make_shared<const LinkageBlocks>(std::vector<std::uint32_t>{0, 0, LinkageBlocks::kAlone}, 1));
  const SampleLikelihoods sample = sample_of(std::vector(3, of_reads(2, 0, .01)));
  std::vector<LikelihoodRatios> populations;
  populations.emplace_back(model, Encoding::kAlleles, sample, Relation::kUnrelated);
  const WholeWeights whole = whole_weights(populations, kSameOrNot);
  const auto& of = whole.weights.front().of;
  EXPECT_EQ(of[0], of[1]);
  EXPECT_NEAR(of[0][kMinorOnly], of[2][kMinorOnly] / 2., 1);
}

LikelihoodEvidence evidence_of(double same, double sibling, double mean, double sd) {
  LikelihoodEvidence evidence{.relations = {}, .compared = 7, .expected = {mean, sd}};
  evidence.relations.log10.fill(-50);
  evidence.relations.log10[static_cast<std::size_t>(Relation::kUnrelated)] = 0;
  evidence.relations.log10[static_cast<std::size_t>(Relation::kSame)] = same;
  evidence.relations.log10[static_cast<std::size_t>(Relation::kSibling)] = sibling;
  return evidence;
}

TEST(SampleHit, HasTheWorstOfEachFigure) {
  const std::vector populations{evidence_of(20, 15, 21, 2), evidence_of(18, 10, 40, 5)};
  const SampleHit hit = sample_hit(populations, Relation::kUnrelated, 1000);
  EXPECT_EQ(hit.log10_lr, 18);
  EXPECT_EQ(hit.lr_population, 1u);
  EXPECT_EQ(hit.log10_lr_sibling, 5);
  EXPECT_EQ(hit.expected.mean, 40);
  EXPECT_EQ(hit.compared, 7u);
  EXPECT_NEAR(hit.log10_chance_matches, 3 - 18 + std::log10(4), 1e-6);
  EXPECT_EQ(hit.chance_population, 1u);
  EXPECT_EQ(hit.suggests, Suggestion::kSame);
  EXPECT_TRUE(hit.below_expected);  // 4.4 deviations
}

TEST(SampleHit, SuggestsNothingThatChanceExplains) {
  const SampleHit few = sample_hit(std::vector{evidence_of(3, 1, 3, 1)}, Relation::kUnrelated, 1000);
  EXPECT_EQ(few.suggests, Suggestion::kInconclusive);
  EXPECT_FALSE(few.below_expected);
  const SampleHit brother = sample_hit(std::vector{evidence_of(15, 40, 95, 8)}, Relation::kUnrelated, 1000);
  EXPECT_EQ(brother.suggests, Suggestion::kFirstDegree);
  EXPECT_TRUE(brother.relative);
  EXPECT_TRUE(brother.below_expected);
  const SampleHit stranger =
      sample_hit(std::vector{evidence_of(-90, -30, 95, 8)}, Relation::kUnrelated, 1000);
  EXPECT_EQ(stranger.suggests, Suggestion::kUnrelated);
  EXPECT_NEAR(stranger.log10_chance_matches, 3, 1e-9);
}

/// Numbers that other programs print, where FASTID_REAL_DATA names the folder that holds them.
class PeersOfLikelihoods : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FASTID_REAL_DATA");
    if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "FASTID_REAL_DATA is not set";
    folder_ = std::filesystem::path(folder) / "lowcov" / "peers";
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << folder_ << " is not there";
  }

  /// The lines below the header, as fields.
  std::vector<std::vector<std::string>> rows(const std::string& name) const {
    std::vector<std::vector<std::string>> rows;
    const std::string text = read_whole_file((folder_ / name).string(), 1 << 20);
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) {
        auto& row = rows.emplace_back();
        for (const std::string_view field : split(line, '\t')) row.emplace_back(field);
      }
    rows.erase(rows.begin());
    return rows;
  }

  std::filesystem::path folder_;
};

double number(std::string_view text) {
  return parse_number<double>(text).value();
}

TEST_F(PeersOfLikelihoods, IbdGemHasTheSameRatios) {
  const auto sites = rows("ibdgem_sites.tsv");
  ASSERT_EQ(sites.size(), 49u);
  constexpr double kError = .02, kPrinted = 1e-6;
  for (const auto& site : sites) {
    const auto y = parse_number<std::size_t>(site[3]).value();
    const GenotypeLikelihoods reads =
        of_reads(parse_number<int>(site[1]).value(), parse_number<int>(site[2]).value(), kError);
    const SiteRatios ratios = site_ratios(ibd_emissions(number(site[0]), 0, 0), reads, Encoding::kAlleles);
    EXPECT_NEAR(ratios.of[y][Relation::kSame], std::log10(number(site[6]) / number(site[4])), kPrinted);
    EXPECT_NEAR(ratios.of[y][Relation::kParentChild], std::log10(number(site[5]) / number(site[4])),
                kPrinted);
  }
}

/// Its two samples have different errors, so that the trace's are in its likelihoods here, and the tables
/// have the reference's alone.
TEST_F(PeersOfLikelihoods, WgsLrHasTheSameRatios) {
  for (const auto& line : rows("wgslr.tsv")) {
    const Readings trace = readings(number(line[3])), reference = readings(number(line[4]));
    IbdEmissions emissions{};
    for (std::size_t g = 0; g < kGenotypes; ++g)
      for (std::size_t y = 0; y < kGenotypes; ++y) {
        const double people = number(line[g]);
        emissions[2][g][y] = people * reference[g][y];
        for (std::size_t h = 0; h < kGenotypes; ++h)
          emissions[0][g][y] += people * number(line[h]) * reference[h][y];
      }
    const auto asked = split(line[5], ','), stored = split(line[6], ',');
    double sum = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto x = parse_number<std::size_t>(asked[i]).value(),
                 y = parse_number<std::size_t>(stored[i]).value();
      const GenotypeLikelihoods likelihoods{trace[0][x], trace[1][x], trace[2][x]};
      sum += site_ratios(emissions, likelihoods, Encoding::kAlleles).of[y][Relation::kSame];
    }
    EXPECT_NEAR(sum, number(line[7]), 1e-6);
  }
}

}  // namespace
}  // namespace fastid::stats
