// Genotypes as they are read: published figures, single copies misread one by one, and what bits say of the
// same people.
#include "stats/internal/genotype_ratios.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::fraction;
using testing::kDigits4;

TEST(GenotypeRatios, AsPublished) {
  const GenotypeRatios ratios = genotype_ratios(.3, .03, .005);
  constexpr std::size_t pairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  const struct {
    Relation first, second;
    double published[6];
  } cases[] = {{Relation::kSame, Relation::kUnrelated, {.2803, -1.4525, -3.2379, .3679, -1.1588, .8964}},
               {Relation::kSibling, Relation::kUnrelated, {.1503, -.2062, -.5816, .1548, .0058, .5549}},
               {Relation::kParentChild, Relation::kUnrelated, {.1378, -.1389, -1.6237, .0755, .1738, .4373}},
               {Relation::kSame, Relation::kSibling, {.1300, -1.2462, -2.6562, .2131, -1.1646, .3416}}};
  for (const auto& [first, second, published] : cases)
    for (std::size_t i = 0; i < 6; ++i) {
      const auto [x, y] = pairs[i];
      EXPECT_NEAR(ratios[x][y].between(first, second), published[i], kDigits4) << x << ' ' << y;
      EXPECT_NEAR(ratios[y][x].between(first, second), published[i], kDigits4) << y << ' ' << x;
    }
}

TEST(Readings, AreOfCopiesMisreadOneByOne) {
  constexpr double w = .07;
  Readings expected{};
  for (unsigned g = 0; g < 3; ++g)
    for (unsigned wrong = 0; wrong < 4; ++wrong) {  // a bit for each copy
      const unsigned first = (g > 0) ^ (wrong & 1), second = (g > 1) ^ (wrong >> 1);
      expected[g][first + second] += (wrong & 1 ? w : 1 - w) * (wrong >> 1 ? w : 1 - w);
    }
  const Readings actual = readings(w);
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t x = 0; x < 3; ++x) EXPECT_NEAR(actual[g][x], expected[g][x], 1e-15) << g << ' ' << x;
}

RC_GTEST_PROP(SeenGenotypes, AddUpToTheBitsThatAreRead, ()) {
  const double q = testing::minor_frequency(), theta = fraction(), w = fraction() / 2;
  const auto bits = joint_bits(q, theta, w);
  for (std::size_t r = 0; r < kRelations; ++r) {
    const JointGenotypes seen =
        seen_genotypes(joint_genotypes(q, theta, ibd_of(static_cast<Relation>(r))), readings(w));
    RC_ASSERT(std::abs(seen[0][0] - bits[r].none) < 1e-14);
    RC_ASSERT(std::abs(seen[0][1] + seen[0][2] - bits[r].one) < 1e-14);
    RC_ASSERT(std::abs(seen[1][1] + 2 * seen[1][2] + seen[2][2] - bits[r].both) < 1e-14);
  }
}

TEST(GenotypeRatios, OfWhatARelationDoesNotAllowAreInfinitelyLowWithoutErrors) {
  const GenotypeRatios ratios = genotype_ratios(.3, 0, 0);
  EXPECT_EQ(ratios[0][2][Relation::kParentChild], -INFINITY);
  EXPECT_EQ(ratios[0][1][Relation::kSame], -INFINITY);
  EXPECT_NEAR(ratios[0][2][Relation::kSibling], std::log10(.25), 1e-12);
  EXPECT_EQ(ratios[0][2][Relation::kUnrelated], 0);
  // With theta 1 all alleles are the same, so other genotypes are impossible for everybody.
  EXPECT_EQ(genotype_ratios(.3, 1, 0)[0][2][Relation::kParentChild], 0);
}

// Two heterozygotes are rarer among relatives, where both alleles are common: there they say a little more.
RC_GTEST_PROP(CoAncestry, NeverRaisesTheRatioOfAgreeingGenotypesUpToATenth, ()) {
  const double q = testing::minor_frequency(), w = fraction() * .005;
  const auto [less, more] = testing::ordered(fraction() / 10, fraction() / 10);
  const std::size_t g = *rc::gen::inRange(0, 3);
  const auto ratio = [&](double theta) { return genotype_ratios(q, theta, w)[g][g][Relation::kSame]; };
  RC_PRE(q >= .01 || g < 2);  // rarer ones are mostly misreadings of something else
  RC_ASSERT(ratio(more) <= ratio(less) + (g == 1 && q > .25 ? .04 : 1e-13));
}

TEST(Shown, IsTheNumberOfMinorCopies) {
  const testing::AllelesSeen row("0120-" + std::string(40, '-') + "2");
  constexpr std::array expected{kMajorOnly, kBothAlleles, kMinorOnly, kMajorOnly, kNeither};
  for (std::size_t site = 0; site < expected.size(); ++site)
    EXPECT_EQ(shown_at(row.row(), site), expected[site]);
  EXPECT_EQ(shown_at(row.row(), 45), kMinorOnly);
}

}  // namespace
}  // namespace fastid::stats
