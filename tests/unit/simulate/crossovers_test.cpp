// Relatives share stretches: how often two neighbouring sites are shared together, by Haldane's model.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "panel/genetic_map.hpp"
#include "simulate/internal/relatives.hpp"

namespace fastid::simulate {
namespace {

/// Two sites of chromosome 1 at a distance of 10 Mb by no map, one of chromosome 2, and one without a place;
/// not in the order of their positions.
Panel four_sites() {
  return {{{"a", "2", 500, 'A', 'C'},
           {"b", "1", 11'000'000, 'A', 'C'},
           {"c", "0", 0, 'A', 'C'},
           {"d", "1", 1'000'000, 'A', 'C'}},
          {},
          GenomeBuild::kUnknown,
          "test"};
}

struct Shares {
  std::array<double, 4> of{};                   ///< at each site, of the first allele
  std::array<std::array<double, 4>, 4> both{};  ///< at two sites
  double second = 0, first_and_second = 0;      ///< at site b
};

constexpr std::size_t kPlants = 40'000;
constexpr double kNear = 4 * .5 / 200;  // standard errors of a share of so many

Shares shares_of(Relation relation, const Crossovers* crossovers) {
  Shares shares;
  constexpr double kOne = 1. / kPlants;
  for (std::uint64_t row = 0; row < kPlants; ++row) {
    const auto shared = descent_of({.row = row, .of = 0, .relation = relation}, 4, crossovers, 7);
    for (std::size_t s = 0; s < 4; ++s) {
      shares.of[s] += kOne * shared[s].first;
      for (std::size_t t = 0; t < 4; ++t) shares.both[s][t] += kOne * (shared[s].first && shared[t].first);
    }
    shares.second += kOne * shared[1].second;
    shares.first_and_second += kOne * (shared[1].first && shared[1].second);
  }
  return shares;
}

TEST(Crossovers, HaveRelativesShareNeighboursTogether) {
  const Panel panel = four_sites();
  const SiteClasses classes(panel);
  const Crossovers crossovers(panel, classes);
  const double r = recombination(10'000'000 * kMorgansABase), psi = 2 * r * (1 - r);
  const auto check = [&](Relation relation, double share, double stays) {
    SCOPED_TRACE(name_of(relation));
    const Shares found = shares_of(relation, &crossovers);
    for (const double of : found.of) EXPECT_NEAR(of, share, kNear);
    EXPECT_NEAR(found.both[1][3], share * stays, kNear) << "neighbours";
    EXPECT_NEAR(found.both[0][1], share * share, kNear) << "another chromosome";
    EXPECT_NEAR(found.both[1][2], share * share, kNear) << "no position";
  };
  check(Relation::kHalfSiblings, .5, 1 - psi);
  check(Relation::kFullSiblings, .5, 1 - psi);
  check(Relation::kFirstCousins, .25, (1 - r) * (1 - r) * (1 - psi) + r * r / 2);
  check(Relation::kParentChild, 1, 1);
  const double uncle = (1 - r) * (1 - psi) + r / 2, cousins = (1 - r) * (1 - r) * (1 - psi) + r * r / 2;
  check(Relation::kAvuncular, .5, uncle);
  check(Relation::kThreeQuarterSibling, .25, cousins);
  check(Relation::kDoubleFirstCousin, .25, cousins);
  check(Relation::kGrandparent, .5, 1 - r);
  check(Relation::kGreatGreatGrandparent, .125, std::pow(1 - r, 3));
  check(Relation::kHalfFirstCousinOnceRemoved, .0625, (1 - psi) * std::pow(1 - r, 3));
  check(Relation::kGreatGreatGrandAvuncular, .0625, uncle * std::pow(1 - r, 3));
  check(Relation::kSecondCousin, .0625, cousins * std::pow(1 - r, 2));
}

TEST(Crossovers, OfParentsAreIndependent) {
  const Panel panel = four_sites();
  const SiteClasses classes(panel);
  const Crossovers crossovers(panel, classes);
  const Shares siblings = shares_of(Relation::kFullSiblings, &crossovers),
               cousins = shares_of(Relation::kFirstCousins, &crossovers),
               twins = shares_of(Relation::kTwin, &crossovers),
               three_quarter = shares_of(Relation::kThreeQuarterSibling, &crossovers),
               double_cousins = shares_of(Relation::kDoubleFirstCousin, &crossovers);
  EXPECT_NEAR(siblings.second, .5, kNear);
  EXPECT_NEAR(siblings.first_and_second, .25, kNear);
  EXPECT_EQ(cousins.second, 0);
  EXPECT_NEAR(twins.first_and_second, 1, 1e-9);
  EXPECT_NEAR(three_quarter.second, .5, kNear);
  EXPECT_NEAR(three_quarter.first_and_second, .125, kNear);
  EXPECT_NEAR(double_cousins.second, .25, kNear);
  EXPECT_NEAR(double_cousins.first_and_second, .0625, kNear);
}

TEST(Crossovers, AreLeftOutWhereMeiosesAreUnlinked) {
  const Shares cousins = shares_of(Relation::kFirstCousins, nullptr);
  EXPECT_NEAR(cousins.of[1], .25, kNear);
  EXPECT_NEAR(cousins.both[1][3], .0625, kNear);
}

}  // namespace
}  // namespace fastid::simulate
