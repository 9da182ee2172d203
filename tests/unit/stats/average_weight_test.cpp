// What the count and the denominator of a query's pairs weigh on average, against the ratios of pairs.
#include "stats/average_weight.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {

using testing::AllelesSeen;
using testing::given;
using testing::model_of;
using testing::rows_of;

AverageWeight weight(engine::Comparison comparison, Encoding by, std::span<const PopulationModel> models,
                     const RowView& query, bool reverse = false,
                     const StainParameters& parameters = given(2, .1)) {
  const Question question = make_question(comparison, by, 1000, Relation::kUnrelated, models, {}, parameters);
  return AverageWeights(question, reverse).of(query);
}

double log10_lr(Encoding by, std::span<const PopulationModel> models, const RowView& query,
                const RowView& stored) {
  const Question question =
      make_question(engine::Comparison::kIdentity, by, 1000, Relation::kUnrelated, models);
  return QueryEvaluator(question, query).log10_lr(stored);
}

TEST(AverageWeight, OfBitsIsTheMeanRatioOfASite) {
  const std::vector models{model_of({.1, .1, .1, .4}, .01)};
  const ProfileRows rows = rows_of({"001-", "0---", "1---", "--1-", "--0-"});
  const auto lr = [&](std::size_t stored) {
    return log10_lr(Encoding::kMinor, models, rows.row(0), rows.row(stored));
  };
  const AverageWeight found = weight(engine::Comparison::kIdentity, Encoding::kMinor, models, rows.row(0));
  const double alike = (2 * lr(1) + lr(3)) / 3, apart = (2 * lr(2) + lr(4)) / 3;
  EXPECT_NEAR(found.denominator, alike, 1e-12);
  EXPECT_NEAR(found.count, alike - apart, 1e-12);
}

TEST(AverageWeight, OfAllelesCountsNeighbouringGenotypes) {
  const std::vector models{model_of({.3, .3}, .03)};
  const AllelesSeen query("01");
  const AverageWeight found = weight(engine::Comparison::kIdentity, Encoding::kAlleles, models, query);
  const double alike = (.2803 + .3679) / 2;  // the published ratios of a site
  EXPECT_NEAR(found.denominator, alike, 1e-4);
  // Of 0 the neighbour is 1; of 1 they are 0 and 2.
  EXPECT_NEAR(found.count, alike - (-1.4525 - 1.4525 - 1.1588) / 3, 1e-4);
}

TEST(AverageWeight, IsTheMeanOfThePopulations) {
  const std::vector models{model_of({.1}), model_of({.4})};
  const ProfileRows rows = rows_of({"1"});
  const auto of = [&](std::span<const PopulationModel> some) {
    return weight(engine::Comparison::kIdentity, Encoding::kMinor, some, rows.row(0)).denominator;
  };
  EXPECT_NEAR(of(models), (of(std::span(models).first(1)) + of(std::span(models).last(1))) / 2, 1e-12);
}

TEST(AverageWeight, OfAnImpossibleDifferenceIsInfinite) {
  const std::vector models{model_of({.1}, 0, 0)};
  const ProfileRows rows = rows_of({"1"});
  EXPECT_EQ(weight(engine::Comparison::kIdentity, Encoding::kMinor, models, rows.row(0)).count, INFINITY);
}

TEST(AverageWeight, OfAMixturesBitsIsThatOfTheMinorAllele) {
  const std::vector models{model_of({.1, .1}, .01, 0)};
  const ProfileRows rows = rows_of({"01"});
  const AverageWeight found =
      weight(engine::Comparison::kMixture, Encoding::kMinor, models, rows.row(0), false, given(2, .005));
  EXPECT_NEAR(found.denominator, .4355, 1e-4);  // published: shown and carried
  EXPECT_NEAR(found.count, .4355 + 2.2294, 1e-4);
}

/// A mixture of the major allele alone and one person of each genotype: 0 and 1 minor copies have it, 1 and 2
/// one that the mixture lacks.
TEST(AverageWeight, OfAMixturesAllelesTakesPeopleByTheirFrequency) {
  constexpr double q = .3, drop_out = .1;
  const std::vector models{model_of({q}, .01)};
  const StainModel stains(models[0], {}, Encoding::kAlleles, {});
  const auto lr = [&](Shown person) {
    const auto [none, one, two] = stains.joint_at(0, kMajorOnly, {2, drop_out, {drop_out}, {}, 0});
    return std::log10(two[person] / none[person]);
  };
  const auto people = genotype_probabilities(q, .01);
  const AverageWeight found = weight(engine::Comparison::kMixture, Encoding::kAlleles, models,
                                     AllelesSeen("0"), false, {.least = 2, .most = 2, .estimated = false});
  EXPECT_NEAR(found.denominator, lr(kMajorOnly), 1e-12) << "one allele, which the mixture shows";
  const double lacking = people[1] + people[2];
  EXPECT_NEAR(found.count,
              (found.denominator * (2 * people[1] + people[2]) -
               (people[1] * lr(kBothAlleles) + people[2] * lr(kMinorOnly))) /
                  lacking,
              1e-12);
}

/// Of a heterozygote: both alleles are shown, or one of them.
TEST(AverageWeight, OfAPersonTakesMixturesByTheirProbability) {
  constexpr double drop_out = .1;
  const std::vector models{model_of({.3}, .01)};
  const StainModel stains(models[0], {}, Encoding::kAlleles, {});
  const auto joint = [&](Shown mixture) {
    return stains.joint_at(0, mixture, {2, drop_out, {drop_out}, {}, 0});
  };
  const auto probability = [&](Shown mixture) { return joint(mixture)[2][kBothAlleles]; };
  const auto lr = [&](Shown mixture) {
    return std::log10(probability(mixture) / joint(mixture)[0][kBothAlleles]);
  };
  const AverageWeight found =
      weight(engine::Comparison::kMixture, Encoding::kAlleles, models, AllelesSeen("1"), true, {});
  EXPECT_NEAR(found.denominator, lr(kBothAlleles) / 2, 1e-12);
  const double major = probability(kMajorOnly), minor = probability(kMinorOnly);
  EXPECT_NEAR(found.count,
              2 * found.denominator - (major * lr(kMajorOnly) + minor * lr(kMinorOnly)) / (major + minor),
              1e-12);
}

TEST(AverageWeight, IsNothingWhereNothingIsCalled) {
  const std::vector models{model_of({.1, .1})};
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture}) {
    const AverageWeight found = weight(comparison, Encoding::kAlleles, models, AllelesSeen("--"), false, {});
    EXPECT_EQ(found.denominator, 0);
    EXPECT_EQ(found.count, 0);
  }
}

}  // namespace
}  // namespace fastid::stats
