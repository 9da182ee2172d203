// Mixtures by counts of alleles: published figures, people who are drawn, and the edges.
#include "stats/mixture.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::Alleles;
using testing::fraction;
using testing::model_of;
using testing::rows_of;

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

TEST(Mixture, SaturationIsTheShareOfSitesThatShowAll) {
  const ProfileRows rows = rows_of({std::string(40, '1'), std::string(40, '-'), "01" + std::string(38, '-')});
  EXPECT_EQ(saturation(rows.row(0)), 1);
  EXPECT_EQ(saturation(rows.row(1)), 0);
  EXPECT_EQ(saturation(rows.row(2)), .5);
}

}  // namespace
}  // namespace fastid::stats
