// Y and M as haplotypes: what is compared, what differences say, and how rare a haplotype is.
#include "stats/haplotype.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using enum HaplotypeWord;

constexpr Word kAll[] = {~Word{0}};

TEST(Haplotype, ComparesSitesThatShowOneAlleleAloneInBoth) {
  const AllelesSeen first("0202-10"), second("02201-1");
  EXPECT_EQ(count_haplotype(first.row(), second.row(), kAll), (HaplotypeCounts{2, 4}));
  EXPECT_EQ(sites_of_haplotype(first.row(), kAll), 5u);
}

TEST(Haplotype, HasOnlyTheSitesOfItsClass) {
  const AllelesSeen first("0000"), second("2222");
  const Word sites[] = {0b0110};
  EXPECT_EQ(count_haplotype(first.row(), second.row(), sites), (HaplotypeCounts{2, 2}));
}

TEST(Haplotype, AllowsForMisreadings) {
  for (const auto& [n, careful, most] : {std::array{829u, 5u, 16u}, {69u, 1u, 3u}, {20u, 1u, 2u}}) {
    EXPECT_EQ(allowance(n, .001), careful) << n;
    EXPECT_EQ(allowance(n, .005), most) << n;
    EXPECT_EQ(haplotype_word({careful, n}, .005), kAgree) << n;
    EXPECT_EQ(haplotype_word({careful + 1, n}, .005), kUndecided) << n;
    EXPECT_EQ(haplotype_word({most, n}, .005), kUndecided) << n;
    EXPECT_EQ(haplotype_word({most + 1, n}, .005), kDiffer) << n;
  }
  EXPECT_EQ(allowance(829, 0), 0u);
  EXPECT_EQ(haplotype_word({0, 0}, .005), std::nullopt);
}

TEST(Haplotype, IsCoveredByNineTenthsOfItsSites) {
  EXPECT_TRUE(covers(9, 10));
  EXPECT_FALSE(covers(8, 10));
  EXPECT_FALSE(covers(0, 0));
}

TEST(Haplotype, IsAsRareAsItsUpperBoundSays) {
  EXPECT_NEAR(upper_bound(0, 100), .029513, 1e-6);
  EXPECT_NEAR(upper_bound(1, 10), .394163, 1e-6);
  EXPECT_EQ(upper_bound(5, 5), 1);
  EXPECT_EQ(upper_bound(0, 0), 1);
  EXPECT_NEAR(haplotype_probability(0, 100, .01), .01 + .99 * .029513, 1e-6);
}

TEST(Haplotype, HasABoundInLargeDatabases) {
  // By the normal approximation, whose error is far smaller here.
  const double share = .3, n = 2e7;
  EXPECT_NEAR(upper_bound(6'000'000, 20'000'000), share + 1.6448536 * std::sqrt(share * (1 - share) / n),
              1e-6);
}

TEST(Mixture, ShowsTwoPaternalLinesByBothAllelesOfY) {
  EXPECT_EQ(least_paternal_lines(AllelesSeen("----").row(), kAll, .005), 0u);
  EXPECT_EQ(least_paternal_lines(AllelesSeen("0202").row(), kAll, .005), 1u);
  EXPECT_EQ(least_paternal_lines(AllelesSeen("01110202").row(), kAll, .005), 2u);
}

TEST(Mixture, LacksAllelesOfAHaplotype) {
  const AllelesSeen mixture("0120-0"), person("022221");
  EXPECT_EQ(not_seen_in_mixture(mixture.row(), person.row(), kAll), (HaplotypeCounts{1, 4}));
}

}  // namespace
}  // namespace fastid::stats
