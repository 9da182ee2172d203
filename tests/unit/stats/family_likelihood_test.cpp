// Families with several missing members, against every founder allele and every inheritance enumerated.
#include "stats/family_likelihood.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "stats/internal/genotype_ratios.hpp"
#include "stats_testing.hpp"
#include "support/refusal.hpp"

namespace fastid::stats {
namespace {

using fastid::testing::refusal;
using testing::model_of;

constexpr double kQ = .3, kTheta = .03, kW = .01;

PersonReadings read_once(std::size_t genotype) {
  ReadingCounts counts{};
  counts[genotype] = 1;
  PersonReadings readings(1);
  PersonReadings one(testing::AllelesSeen(std::to_string(genotype)).row(), 1);
  EXPECT_EQ(one[0], reading_id(counts));
  return one;
}

/// A couple (0, 1), their children 2, 3 and 4, the wife 5 of 4, and their child 6.
std::vector<Relative> family_of(const std::map<std::size_t, const PersonReadings*>& typed) {
  std::vector<Relative> members(7);
  for (const std::size_t child : {2, 3, 4}) members[child].parents = {0, 1};
  members[6].parents = {4, 5};
  for (const auto& [member, readings] : typed) members[member].readings = readings;
  return members;
}

double read_given(const PersonReadings& readings, std::size_t genotype) {
  const Readings read = fastid::stats::readings(kW);
  const ReadingCounts counts = reading_counts(readings[0]);
  double product = 1;
  for (std::size_t x = 0; x < kGenotypes; ++x) product *= std::pow(read[genotype][x], counts[x]);
  return product;
}

/// P(what is read of members and of strangers beside them).
double enumerated(const std::vector<Relative>& members,
                  const std::vector<std::pair<std::size_t, const PersonReadings*>>& assigned,
                  const std::vector<const PersonReadings*>& strangers) {
  const std::size_t n_founders = 3 + strangers.size(), founders[] = {0, 1, 5};
  double sum = 0;
  for (std::size_t drawn = 0; drawn < std::size_t{1} << 2 * n_founders; ++drawn) {
    const auto minor = static_cast<unsigned>(std::popcount(drawn));
    const double alleles =
        sequence_probability(kQ, kTheta, {}, {minor, static_cast<unsigned>(2 * n_founders) - minor});
    for (std::size_t ways = 0; ways < 256; ++ways) {
      std::array<std::array<std::size_t, 2>, 7> of{};
      for (std::size_t f = 0; f < 3; ++f) of[founders[f]] = {drawn >> 2 * f & 1, drawn >> (2 * f + 1) & 1};
      std::size_t bit = 0;
      for (const std::size_t child : {2, 3, 4, 6}) {
        const std::size_t father = child == 6 ? 4 : 0, mother = child == 6 ? 5 : 1;
        of[child] = {of[father][ways >> bit & 1], of[mother][ways >> (bit + 1) & 1]};
        bit += 2;
      }
      double probability = alleles / 256;
      for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].readings != nullptr)
          probability *= read_given(*members[i].readings, of[i][0] + of[i][1]);
      for (const auto& [member, readings] : assigned)
        probability *= read_given(*readings, of[member][0] + of[member][1]);
      for (std::size_t s = 0; s < strangers.size(); ++s)
        probability *= read_given(*strangers[s], (drawn >> (6 + 2 * s) & 1) + (drawn >> (7 + 2 * s) & 1));
      sum += probability;
    }
  }
  return sum;
}

TEST(FamilyLikelihood, SeveralAssignedPeopleAreAsEveryInheritanceEnumeratedSays) {
  const std::vector<PopulationModel> models = {model_of({kQ}, kTheta, kW)};
  const AlleleModel alleles(models);
  for (std::size_t a = 0; a < kGenotypes; ++a)
    for (std::size_t b = 0; b < kGenotypes; ++b) {
      const PersonReadings child = read_once(a), grandchild = read_once(b);
      PersonReadings found = read_once(1);
      found.add(read_once(a));  // read twice
      const PersonReadings other = read_once(2), third = read_once(b);
      const auto members = family_of({{2, &child}, {6, &grandchild}});
      const FamilyLikelihood family(alleles, members, {0, 3, 4}, "family");
      const double apart = enumerated(members, {}, {&found, &other, &third});
      const AssignedPerson all[] = {{0, &found}, {1, &other}, {2, &third}};
      EXPECT_NEAR(family.log10_lr(all),
                  std::log10(enumerated(members, {{0, &found}, {3, &other}, {4, &third}}, {}) / apart),
                  1e-11);
      const AssignedPerson one[] = {{2, &found}};
      const double single =
          std::log10(enumerated(members, {{4, &found}}, {}) / enumerated(members, {}, {&found}));
      EXPECT_NEAR(family.log10_lr(one), single, 1e-11);
      const std::vector<PersonReadings> people = {other, found};
      const std::vector<MissingWeights> weights = family.weights(2);
      const MissingWeights* const views[] = {&weights[0]};
      EXPECT_NEAR(PeopleFound(people, 1).log10_lr(alleles, views)[0][1], single, 1e-11);
    }
}

TEST(FamilyLikelihood, WhoWasFoundTypesTheFamily) {
  const std::vector<PopulationModel> models = {model_of({kQ}, kTheta, kW)};
  const AlleleModel alleles(models);
  const PersonReadings child = read_once(0), found = read_once(1), other = read_once(2);
  const FamilyLikelihood family(alleles, family_of({{2, &child}}), {0, 3}, "family");
  const AssignedPerson both[] = {{0, &found}, {1, &other}}, first[] = {{0, &found}}, second[] = {{0, &other}};
  const FamilyLikelihood more = family.with_found(0, found);
  ASSERT_EQ(more.missing().size(), 1U);
  // A stranger's alleles come after those of the family, so that with theta the two differ a little from
  // both.
  const auto members = family_of({{0, &found}, {2, &child}});
  EXPECT_NEAR(more.log10_lr(second),
              std::log10(enumerated(members, {{3, &other}}, {}) / enumerated(members, {}, {&other})), 1e-11);
  EXPECT_NE(family.log10_lr(both), family.log10_lr(first) + more.log10_lr(second));
}

TEST(FamilyLikelihood, ConsistencyIsOfTheMemberAgainstSomebodyUnrelated) {
  const std::vector<PopulationModel> models = {model_of({kQ}, kTheta, kW)};
  const AlleleModel alleles(models);
  const PersonReadings father = read_once(0), child = read_once(2), grandchild = read_once(1);
  const auto members = family_of({{0, &father}, {2, &child}, {6, &grandchild}});
  const auto found = FamilyLikelihood(alleles, members, {3}, "family").consistency();
  const auto others = family_of({{2, &child}, {6, &grandchild}});
  ASSERT_TRUE(found[0]);
  EXPECT_FALSE(found[1]);
  EXPECT_NEAR(*found[0], std::log10(enumerated(members, {}, {}) / enumerated(others, {}, {&father})), 1e-11);
  EXPECT_LT(*found[0], -1);
}

TEST(FamilyLikelihood, ExpectedRatioIsThatOfTheMembersOwnReadings) {
  const std::vector<PopulationModel> models = {model_of({kQ}, kTheta, kW)};
  const AlleleModel alleles(models);
  const PersonReadings child = read_once(0), any = read_once(1);
  const auto members = family_of({{2, &child}});
  const FamilyLikelihood family(alleles, members, {3}, "family");
  double mean = 0, square = 0, total = 0;
  for (std::size_t x = 0; x < kGenotypes; ++x) {
    const PersonReadings read = read_once(x);
    const double with = enumerated(members, {{3, &read}}, {}),
                 ratio = std::log10(with / enumerated(members, {}, {&read}));
    mean += with * ratio;
    square += with * ratio * ratio;
    total += with;
  }
  const PersonReadings nothing(1);
  const PersonReadings* const people[] = {&any, &nothing};
  const std::vector<ExpectedRatio> both = family.expected(0, people);
  const ExpectedRatio expected = both[0];
  EXPECT_NEAR(expected.mean, mean / total, 1e-11);
  EXPECT_NEAR(expected.deviation, std::sqrt(square / total - mean * mean / total / total), 1e-9);
  EXPECT_EQ(both[1].mean, 0);
}

TEST(FamilyLikelihood, SiblingsWithoutChildrenAreAlike) {
  const std::vector<PopulationModel> models = {model_of({kQ}, kTheta, kW)};
  const AlleleModel alleles(models);
  const PersonReadings child = read_once(0);
  const FamilyLikelihood family(alleles, family_of({{6, &child}}), {2, 3, 4}, "family");
  const auto anybody = [](std::size_t, std::size_t) { return true; };
  EXPECT_EQ(family.alike(anybody), (std::vector<std::vector<std::size_t>>{{0, 1}, {2}}));
  const auto nobody = [](std::size_t, std::size_t) { return false; };
  EXPECT_EQ(family.alike(nobody).size(), 3U);
}

TEST(FamilyLikelihood, OfSeveralPopulationsTheLowestCounts) {
  const std::vector<PopulationModel> rare = {model_of({.05}, kTheta, kW)},
                                     common = {model_of({.5}, kTheta, kW)}, both = {rare[0], common[0]};
  const PersonReadings child = read_once(2), person = read_once(2);
  const AssignedPerson pair[] = {{0, &person}};
  const auto ratio = [&](const std::vector<PopulationModel>& models) {
    const AlleleModel alleles(models);
    return FamilyLikelihood(alleles, family_of({{2, &child}}), {3}, "family").log10_lr(pair);
  };
  EXPECT_GT(ratio(rare), ratio(common));
  EXPECT_EQ(ratio(both), ratio(common));
}

TEST(PersonReadings, NumbersStandForCounts) {
  std::size_t next = 0;
  for (unsigned n = 0; n <= 6; ++n)
    for (unsigned first = 0; first <= n; ++first)
      for (unsigned second = 0; first + second <= n; ++second) {
        const ReadingCounts counts{first, second, n - first - second};
        EXPECT_EQ(reading_id(counts), next);
        EXPECT_EQ(reading_counts(static_cast<ReadingId>(next++)), counts);
      }
  EXPECT_EQ(reading_counts(reading_id({0, kMostReadings, 0}))[1], kMostReadings);
}

TEST(PersonReadings, AreAddedUpToTheMost) {
  EXPECT_EQ(together(reading_id({1, 0, 0}), reading_id({0, 2, 0})), reading_id({1, 2, 0}));
  EXPECT_EQ(together(kNotRead, reading_id({0, 0, 1})), reading_id({0, 0, 1}));
  const ReadingId full = reading_id({kMostReadings - 1, 0, 0});
  EXPECT_EQ(together(full, reading_id({1, 0, 3})), reading_id({kMostReadings - 1, 0, 1}));
}

}  // namespace
}  // namespace fastid::stats
