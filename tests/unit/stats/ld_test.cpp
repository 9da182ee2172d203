// D and D' of haplotypes and of genotypes.
#include "stats/ld.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fastid::stats {
namespace {

TEST(Disequilibrium, OfHaplotypesIsByItsDefinition) {
  // Frequencies .4 and .3, .25 of both.
  const auto found = of_haplotypes({.called = 100, .x = 40, .y = 30, .xx = 40, .yy = 30, .xy = 25});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->d, .25 - .12, 1e-15);
  EXPECT_NEAR(found->d_prime, .13 / .18, 1e-15);
  const auto apart = of_haplotypes({.called = 100, .x = 40, .y = 30, .xx = 40, .yy = 30, .xy = 0});
  EXPECT_NEAR(apart->d_prime, -1, 1e-15);
  EXPECT_FALSE(of_haplotypes({.called = 100, .x = 100, .y = 30, .xx = 100, .yy = 30, .xy = 30}));
  EXPECT_FALSE(of_haplotypes({}));
}

// The log probability of genotypes by haplotype frequencies: each person's two haplotypes are independent.
double log_probability(const engine::GenotypeCells& cells, double both, double first, double second) {
  const double p[2][2] = {{1 - first - second + both, second - both}, {first - both, both}};
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double probability = 0;
      for (const int a : {0, 1})
        for (const int b : {0, 1})
          if (i - a >= 0 && i - a <= 1 && j - b >= 0 && j - b <= 1) probability += p[a][b] * p[i - a][j - b];
      if (cells[i][j] > 0) sum += cells[i][j] * std::log(std::max(probability, 1e-300));
    }
  return sum;
}

TEST(Disequilibrium, OfGenotypesIsTheMostProbableOne) {
  std::mt19937 rng(5);
  for (int round = 0; round < 300; ++round) {
    engine::GenotypeCells cells{};
    for (auto& row : cells)
      for (auto& cell : row) cell = rng() % 4 == 0 ? 0 : static_cast<std::uint32_t>(rng() % 40);
    double people = 0, x = 0, y = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        people += cells[i][j];
        x += i * cells[i][j];
        y += j * cells[i][j];
      }
    const double first = x / (2 * people), second = y / (2 * people);
    const auto found = of_genotypes(cells);
    if (people == 0 || x == 0 || y == 0 || x == 2 * people || y == 2 * people) {
      EXPECT_FALSE(found);
      continue;
    }
    ASSERT_TRUE(found);
    const double reached = log_probability(cells, found->d + first * second, first, second);
    const double least = std::max(0.0, first + second - 1), most = std::min(first, second);
    for (int i = 0; i <= 1000; ++i)
      EXPECT_GE(reached + 1e-7, log_probability(cells, least + (most - least) * i / 1000, first, second));
    EXPECT_LE(std::abs(found->d_prime), 1);
  }
}

TEST(Disequilibrium, OfGenotypesCountsHaplotypesThatAreSeen) {
  const HaplotypeCells seen = {{{30, 15}, {20, 35}}};
  const auto alone = of_genotypes({}, seen);
  const auto right = of_haplotypes({.called = 100, .x = 55, .y = 50, .xx = 55, .yy = 50, .xy = 35});
  ASSERT_TRUE(alone && right);
  EXPECT_NEAR(alone->d, right->d, 1e-12);
  EXPECT_NEAR(alone->d_prime, right->d_prime, 1e-12);
  // Two haplotypes of a person who is homozygous at either site are seen too.
  const engine::GenotypeCells some = {{{3, 4, 2}, {5, 6, 1}, {0, 2, 7}}},
                              more = {{{4, 4, 2}, {5, 6, 1}, {0, 2, 7}}};
  const auto by_genotype = of_genotypes(more), by_haplotypes = of_genotypes(some, {{{2, 0}, {0, 0}}});
  EXPECT_DOUBLE_EQ(by_genotype->d, by_haplotypes->d);
}

TEST(Disequilibrium, IsWholeWhereOnlyTwoHaplotypesAreSeen) {
  const engine::GenotypeCells cells = {{{30, 0, 0}, {0, 40, 0}, {0, 0, 30}}};
  EXPECT_NEAR(of_genotypes(cells)->d_prime, 1, 1e-9);
  const engine::GenotypeCells opposite = {{{0, 0, 30}, {0, 40, 0}, {30, 0, 0}}};
  EXPECT_NEAR(of_genotypes(opposite)->d_prime, -1, 1e-9);
  EXPECT_FALSE(of_genotypes({}));
}

}  // namespace
}  // namespace fastid::stats
