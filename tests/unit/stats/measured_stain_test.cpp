// Reads of stains: log gamma, probabilities of reads and their slopes, fits of shares, thresholds.
#include "stats/measured_stain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "stats/internal/log_gamma.hpp"
#include "stats/internal/maximum.hpp"
#include "stats/internal/read_counts.hpp"
#include "stats/internal/share_fit.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {

using testing::fraction;
using testing::uniform_model;

RC_GTEST_PROP(LogGamma, IsThatOfTheLibraryWithItsSlope, ()) {
  const double x = std::pow(10, *rc::gen::inRange(-6, 6) + fraction());
  const auto [value, slope] = log_gamma(x);
  RC_ASSERT(std::abs(value - std::lgamma(x)) <= 1e-12 * std::max(1., std::abs(value)));
  const double step = 1e-5 * x, around = (std::lgamma(x + step) - std::lgamma(x - step)) / (2 * step);
  RC_ASSERT(std::abs(slope - around) <= 1e-4 * std::max(1., std::abs(slope)));
}

struct SomeReads {
  AlleleReads reads;
  std::uint32_t threshold;
};

SomeReads some_reads() {
  const std::uint32_t threshold = *rc::gen::element(1u, 4u);
  const auto count = [&] {
    const std::uint32_t n = *rc::gen::inRange(0u, 60u);
    return n < threshold ? 0 : n;
  };
  SomeReads made{{count(), count()}, threshold};
  if (made.reads.total() == 0) made.reads.major = threshold;
  return made;
}

// What the counts can be, given their total, adds up to 1.
RC_GTEST_PROP(ReadCounts, AddUpToOne, ()) {
  const std::uint32_t threshold = *rc::gen::element(1u, 3u), total = *rc::gen::inRange(6u, 40u);
  const double share = fraction(), concentration = 2 + 100 * fraction(), error = .05 * fraction() + 1e-6;
  std::vector<AlleleReads> sites{{0, total}, {total, 0}};
  for (std::uint32_t minor = threshold; minor + threshold <= total; ++minor)
    sites.push_back({minor, total - minor});
  const ReadCounts counts(sites, threshold);
  const auto table = counts.table({&share, 1}, {concentration, error});
  double sum = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) sum += table->value(i, 0);
  RC_ASSERT(std::abs(sum - 1) < 1e-9);
}

RC_GTEST_PROP(ReadCounts, HaveTheSlopesOfTheirProbabilities, ()) {
  const auto [reads, threshold] = some_reads();
  const ReadCounts counts({&reads, 1}, threshold);
  const double share = .05 + .9 * fraction(), concentration = 5 + 100 * fraction(),
               error = .001 + .04 * fraction();
  const auto value = [&](double f, double k, double e) { return counts.table({&f, 1}, {k, e})->value(0, 0); };
  const SignalCell cell = counts.table({&share, 1}, {concentration, error})->cell(0, 0);
  RC_ASSERT(cell.value == value(share, concentration, error));
  const auto close = [&](double slope, double after, double before, double step) {
    RC_ASSERT(std::abs(slope - (after - before) / (2 * step)) <=
              1e-5 * (std::abs(slope) + cell.value + 1e-6));
  };
  close(cell.by_share, value(share + 1e-6, concentration, error), value(share - 1e-6, concentration, error),
        1e-6);
  close(cell.by_parameters[0], value(share, concentration + 1e-4, error),
        value(share, concentration - 1e-4, error), 1e-4);
  close(cell.by_parameters[1], value(share, concentration, error + 1e-6),
        value(share, concentration, error - 1e-6), 1e-6);
}

std::vector<SiteRead> one_by_one(std::size_t n) {
  std::vector<SiteRead> reads;
  for (std::size_t r = 0; r < n; ++r)
    reads.push_back({0, static_cast<float>(std::pow(10, 6 * fraction() - 3))});
  return reads;
}

RC_GTEST_PROP(ReadByRead, HasTheSlopesOfItsProbability, ()) {
  const std::vector<SiteRead> reads = one_by_one(*rc::gen::inRange<std::size_t>(1, kFewReads + 1));
  const std::array few{std::span<const SiteRead>(reads)};
  const AlleleReads counted{1, 2};
  const ReadCounts counts({&counted, 1}, 1, few);
  const double share = .05 + .9 * fraction(), concentration = 5 + 100 * fraction();
  const auto value = [&](double f, double k) { return counts.table({&f, 1}, {k, .001})->value(0, 0); };
  const SignalCell cell = counts.table({&share, 1}, {concentration, .001})->cell(0, 0);
  const double f_step = 1e-6, k_step = 1e-4,
               by_share = (value(share + f_step, concentration) - value(share - f_step, concentration)) /
                          (2 * f_step),
               by_k = (value(share, concentration + k_step) - value(share, concentration - k_step)) /
                      (2 * k_step);
  RC_ASSERT(std::abs(cell.by_share - by_share) <= 1e-5 * (std::abs(by_share) + cell.value));
  RC_ASSERT(std::abs(cell.by_parameters[0] - by_k) <= 1e-5 * (std::abs(by_k) + cell.value));
  RC_ASSERT(cell.by_parameters[1] == 0);
}

// Certain reads are counts, but for the number of their orders.
TEST(ReadByRead, IsOfCountsWhereNoReadErrs) {
  const std::vector<SiteRead> reads{{0, 1e12F}, {0, 1e-12F}, {0, 1e-12F}, {0, 1e12F}, {0, 1e-12F}};
  const std::array few{std::span<const SiteRead>(reads)};
  const AlleleReads counted{2, 3};
  const ReadCounts one_by_one({&counted, 1}, 1, few), counts({&counted, 1}, 1);
  const std::array shares{.1, .5, .8};
  const SignalParameters parameters{30, 1e-12};
  for (std::size_t f = 0; f < shares.size(); ++f)
    EXPECT_NEAR(10 * one_by_one.table(shares, parameters)->value(0, f),
                counts.table(shares, parameters)->value(0, f), 1e-9);
}

// All that reads can show adds up to 1: each of two reads shows either allele, and errs as often.
TEST(ReadByRead, AddsUpToOne) {
  const auto odds = [](bool minor, double error) {
    return static_cast<float>(minor ? (1 - error) / error : error / (1 - error));
  };
  const AlleleReads counted{1, 1};
  for (const double share : {0., .3, 1.}) {
    double sum = 0;
    for (int shown = 0; shown < 4; ++shown) {
      const std::array reads{SiteRead{0, odds((shown & 1) != 0, .01)},
                             SiteRead{0, odds((shown & 2) != 0, .2)}};
      const std::array few{std::span<const SiteRead>(reads)};
      sum += ReadCounts({&counted, 1}, 1, few).table({&share, 1}, {40, .001})->value(0, 0);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(Maximum, IsFoundByLearntCurvature) {
  const auto shape_at = [](std::span<const double> at) {  // Rosenbrock's valley
    const double x = at[0], y = at[1], bend = y - x * x;
    return LocalShape{
        -(1 - x) * (1 - x) - 100 * bend * bend, {2 * (1 - x) + 400 * x * bend, -200 * bend}, {{1}, {0, 1}}};
  };
  std::array<double, 2> at{-1.2, 1};
  const std::array<Limits, 2> limits{{{-3, 3}, {-3, 3}}};
  EXPECT_NEAR(maximise(at, limits, 1e-14, Curvature::kLearnt, shape_at), 0, 1e-9);
  EXPECT_NEAR(at[0], 1, 1e-4);
  at = {-1.2, 1};
  const std::array<Limits, 2> tight{{{-3, .5}, {-3, 3}}};
  maximise(at, tight, 1e-14, Curvature::kLearnt, shape_at);
  EXPECT_NEAR(at[0], .5, 1e-6);
  EXPECT_NEAR(at[1], .25, 1e-4);
}

TEST(MeasuredStain, LeavesOutWhatIsBelowTheThreshold) {
  const SampleSignal signal{{30, 3}, {0, 12}, {2, 2}, {0, 0}};
  const MeasuredStain plain = measured_stain(signal, {});
  EXPECT_EQ(plain.threshold, 1u);
  EXPECT_EQ(plain.median, 12);
  EXPECT_EQ(plain.reads[0], (AlleleReads{3, 30}));
  const MeasuredStain stain = measured_stain(signal, 4);
  EXPECT_EQ(stain.reads[0], (AlleleReads{0, 30}));
  EXPECT_EQ(stain.reads[1], (AlleleReads{12, 0}));
  EXPECT_EQ(stain.reads[2].total(), 0u);
  EXPECT_EQ(least_share(plain), .01);
  EXPECT_EQ(least_share(stain), .5);
  EXPECT_EQ(measured_stain({{300, 5}}, {}).threshold, 10u);
}

TEST(MeasuredStain, KeepsSingleReadsWhereThereIsNoThreshold) {
  const std::vector<SiteRead> few{{0, 100}, {0, .01F}};
  EXPECT_EQ(measured_stain({{1, 1}, {9, 30}}, {}, few).few, few);
  EXPECT_TRUE(measured_stain({{1, 1}, {9, 30}}, 2, few).few.empty());
}

TEST(MeasuredStain, CountsTheSitesThatGoReadByRead) {
  ProfileRows shown(1, 40, Encoding::kAlleles);
  shown.set_seen(0, 3, kMajorSeen);
  shown.set_seen(0, 39, kBothSeen);
  const MeasuredStain stain{.few = {{3, 1}, {3, 2}, {20, 1}, {39, 1}, {39, 5}}};
  EXPECT_EQ(stain.sites_read_by_read(shown.row(0)), 2u);  // nothing is shown at 20
}

// The mean and spread of what counts of reads are expected to be.
TEST(MeasuredStain, ExpectsTheShareOfItsCounts) {
  constexpr std::uint32_t kReads = 12;
  constexpr double kShare = .3;
  const SignalParameters parameters{20, .01};
  std::vector<AlleleReads> sites;
  for (std::uint32_t minor = 0; minor <= kReads; ++minor) sites.push_back({minor, kReads - minor});
  const ReadCounts counts(sites, 1);
  const auto table = counts.table({&kShare, 1}, parameters);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const double usual =
                     (table->value(i, 0) - ReadCounts::kOutlier / (kReads + 1)) / (1 - ReadCounts::kOutlier),
                 share = sites[i].minor / double(kReads);
    mean += usual * share;
    square += usual * share * share;
  }
  const ExpectedShare expected = expected_share(kShare, kReads, parameters);
  EXPECT_NEAR(expected.mean, mean, 1e-9);
  EXPECT_NEAR(expected.sd, std::sqrt(square - mean * mean), 1e-9);
}

TEST(MeasuredStain, HoldsWholeNumbersAlone) {
  EXPECT_TRUE(holds_reads({{30, 3}, {0, 0}}));
  EXPECT_FALSE(holds_reads({{30.5, 3}}));
  EXPECT_FALSE(holds_reads({{0, 0}}));
  EXPECT_FALSE(holds_reads({{1e12, 3}}));
}

TEST(MeasuredStain, OfTwoPeopleTellsTheirShares) {
  const PopulationModel population = uniform_model(500, .3);
  std::mt19937_64 rng(3);
  const std::array shares{.8, .2};
  MeasuredStain stain;
  ProfileRows shown(1, 500, Encoding::kAlleles), people(3, 500, Encoding::kAlleles);
  const auto copies = [&](double p) { return std::binomial_distribution<int>(2, p)(rng); };
  for (std::uint32_t site = 0; site < 500; ++site) {
    double minor_share = 0;
    for (std::size_t person = 0; person < 3; ++person) {
      const int g = copies(.3);
      people.set_seen(person, site, g == 0 ? kMajorSeen : g == 1 ? kBothSeen : kMinorSeen);
      if (person < 2) minor_share += shares[person] * g / 2;
    }
    const auto minor =
        static_cast<std::uint32_t>(std::binomial_distribution<int>(60, .002 + .996 * minor_share)(rng));
    stain.reads.push_back({minor, 60 - minor});
    shown.set_seen(0, site, minor == 0 ? kMajorSeen : minor == 60 ? kMinorSeen : kBothSeen);
  }
  stain.median = 60;
  const StainModel model(population, {}, Encoding::kAlleles, {});
  const Stain asked(shown.row(0), &stain);
  const std::vector<StainSupport> supports = model.supports(asked);
  EXPECT_GT(probabilities_of_numbers(supports)[1], .9);
  const std::array rows{people.row(0), people.row(1), people.row(2)};
  const std::vector<StainEvidence> evidence = model.weigh(asked, supports, rows);
  EXPECT_NEAR(supports[evidence[0].support].own, .8, .03);
  EXPECT_NEAR(supports[evidence[1].support].own, .2, .03);
  EXPECT_GT(evidence[0].relations[Relation::kSame], 100);
  EXPECT_GT(evidence[1].relations[Relation::kSame], 30);
  EXPECT_LT(evidence[2].relations[Relation::kSame], 0);
  const std::vector<GenotypeChances> chances = model.genotypes(asked, {&supports[evidence[0].support], 1});
  int right = 0;
  for (std::size_t site = 0; site < 500; ++site) {
    const auto best = std::ranges::max_element(chances[site].posterior) - chances[site].posterior.begin();
    right += static_cast<std::size_t>(best) == kind_at(people.row(0), site, Encoding::kAlleles);
  }
  EXPECT_GT(right, 480);
}

TEST(MeasuredStain, OfPeaksShowsThoseOfAnyReplicate) {
  const MeasuredStain stain = measured_peaks({{{800, 40}, {0, 0}}, {{700, 60}, {20, 0}}}, {}, .01);
  EXPECT_TRUE(stain.of_peaks());
  EXPECT_EQ(stain.threshold, 50u);
  EXPECT_TRUE(stain.shows_peak(0, &AlleleSignal::minor));
  EXPECT_FALSE(stain.shows_peak(1, &AlleleSignal::major));
  EXPECT_FALSE(measured_stain({{30, 3}}, {}).of_peaks());
}

TEST(MeasuredStain, NamesRelativesOfItsSupports) {
  StainSupport support{.contributors = 2, .own = .6, .unknown = {.4}};
  EXPECT_FALSE(names_relatives({&support, 1}));
  support.measured = StainMeasured{{50, .001}, Relation::kUnrelated};
  EXPECT_FALSE(names_relatives({&support, 1}));
  support.measured->kin = Relation::kSibling;
  EXPECT_TRUE(names_relatives({&support, 1}));
}

}  // namespace
}  // namespace fastid::stats
