// Mixtures: published figures, the number of contributors of drawn mixtures, and the edges.
#include "stats/mixture.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::model_of;
using testing::rows_of;
using testing::uniform_model;

double p_rmne(const PopulationModel& model, const RowView& mixture, std::uint32_t excluded) {
  return std::pow(10, PoissonBinomial(exclusion_events(model, mixture, mixture.called)).log10_cdf(excluded));
}

/// n people, read with errors; every site called.
ProfileRows draw_mixture(const std::vector<double>& freq, unsigned n, double w, std::mt19937_64& rng) {
  ProfileRows mixture(1, static_cast<std::uint32_t>(freq.size()));
  for (std::uint32_t s = 0; s < freq.size(); ++s) {
    bool minor = false;
    for (unsigned i = 0; i < n; ++i) minor |= testing::person(freq[s], rng).carrier();
    mixture.set(0, s, minor != testing::chance(w, rng));
  }
  return mixture;
}

TEST(Mixture, RmneAsPublished) {
  const PopulationModel model = model_of({.1, .2, .3, .4});
  const ProfileRows rows = rows_of({"0001"});
  EXPECT_NEAR(p_rmne(model, rows.row(0), 0), .254016, 5e-7);
  EXPECT_NEAR(p_rmne(model, rows.row(0), 1), .720868, 5e-7);
  EXPECT_NEAR(log10_p_rmne_0(model, rows.row(0)), std::log10(.254016), 1e-9);
}

TEST(Mixture, RmneIsTheShareOfDrawnPeople) {
  std::mt19937_64 rng(21);
  const std::vector<double> freq = testing::random_frequencies(40, rng);
  const PopulationModel model = model_of(freq);
  const ProfileRows mixture = draw_mixture(freq, 3, 0, rng);
  constexpr std::size_t draws = 200'000;
  std::size_t included[3] = {};
  for (std::size_t i = 0; i < draws; ++i) {
    int excluded = 0;
    for (std::uint32_t s = 0; s < 40; ++s)
      excluded += testing::person(freq[s], rng).carrier() && !(mixture.row(0).bits[s / 32] >> s % 32 & 1);
    for (int most = 0; most < 3; ++most) included[most] += excluded <= most;
  }
  for (std::uint32_t most = 0; most < 3; ++most)
    testing::expect_share(included[most], draws, p_rmne(model, mixture.row(0), most));
}

TEST(Mixture, RatioAddsUpSitesCalledInBoth) {
  const PopulationModel model = uniform_model(6, .1);
  const ProfileRows rows = rows_of({"00110-", "01010-"});
  const MixtureRatios at = mixture_ratios(.1, 0, 2, .005);
  EXPECT_NEAR(MixtureModel(model, 2).log10_ratio(rows.row(0), rows.row(1)),
              2 * at.m0r0 + at.m0r1 + at.m1r0 + at.m1r1, 1e-12);
}

TEST(Mixture, ContributorsAreFoundInDrawnMixtures) {
  std::mt19937_64 rng(22);
  const std::vector<double> freq = testing::random_frequencies(2000, rng);
  const PopulationModel model = model_of(freq);
  for (unsigned n = 1; n <= 8; ++n) {
    const ProfileRows mixture = draw_mixture(freq, n, .005, rng);
    const ContributorEstimate estimate = estimate_contributors(model, mixture.row(0));
    EXPECT_LE(estimate.low, n);
    EXPECT_GE(estimate.high, n);
    EXPECT_LE(estimate.high - estimate.low, 2u) << "of " << n;
    EXPECT_TRUE(estimate.informative);
    EXPECT_NEAR(saturation(mixture.row(0)), expected_saturation(model, mixture.row(0), n),
                3 * std::sqrt(.25 / 2000));
  }
}

TEST(Mixture, IntervalsHoldTheTruthNineteenTimesInTwenty) {
  std::mt19937_64 rng(23);
  const std::vector<double> freq = testing::random_frequencies(150, rng);
  const PopulationModel model = model_of(freq);
  constexpr std::size_t draws = 300;
  std::size_t held = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const ProfileRows mixture = draw_mixture(freq, 4, .005, rng);
    const ContributorEstimate estimate = estimate_contributors(model, mixture.row(0));
    held += estimate.low <= 4 && 4 <= estimate.high;
  }
  EXPECT_GE(static_cast<double>(held) / draws, .95 - 3 * std::sqrt(.95 * .05 / draws));
}

TEST(Mixture, ThatShowsEveryAlleleIsSaturated) {
  const PopulationModel model = uniform_model(40, .3);
  const ProfileRows rows = rows_of({std::string(40, '1'), std::string(40, '0'), std::string(40, '-')});
  EXPECT_EQ(saturation(rows.row(0)), 1);
  EXPECT_TRUE(is_saturated(model, rows.row(0), 2));
  EXPECT_EQ(estimate_contributors(model, rows.row(0)).high, kMostContributors);
  EXPECT_FALSE(is_saturated(model, rows.row(1), 1'000'000));
  EXPECT_EQ(estimate_contributors(model, rows.row(1)).best, 1u);
  EXPECT_EQ(saturation(rows.row(2)), 0);
  EXPECT_FALSE(estimate_contributors(model, rows.row(2)).informative);
}

TEST(Mixture, RefusesNumbersOfContributorsOutsideItsModel) {
  const PopulationModel model = uniform_model(3, .3);
  EXPECT_THROW(MixtureModel(model, 0), UsageError);
  EXPECT_THROW(MixtureModel(model, kMostContributors + 1), UsageError);
  EXPECT_EQ(MixtureModel(model, kMostContributors).contributors(), kMostContributors);
}

}  // namespace
}  // namespace fastid::stats
