// What ratios come to: the relation, its degree, a range, the mean of all.
#include "linked/relations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fastid::linked {
namespace {

using enum Relation;

Ratios all_at(double log10) {
  Ratios ratios;
  ratios.log10.fill(log10);
  return ratios;
}

TEST(Relations, HaveNames) {
  for (const Relation relation : all_relations()) EXPECT_EQ(relation_named(name_of(relation)), relation);
  EXPECT_EQ(relation_named("cousin"), kFirstCousin);
  EXPECT_EQ(relation_named("unrelated"), std::nullopt);
  EXPECT_EQ(name_of(degree_of(kSecondCousin)), "5");
  EXPECT_EQ(name_of(degree_of(kDoubleFirstCousin)), "2");
}

TEST(Findings, NameTheRelationThatStandsOut) {
  Ratios ratios = all_at(-5);
  ratios[kGrandparent] = 8;
  ratios[kAvuncular] = 6.5;
  const Findings found = findings_of(ratios, 1);
  EXPECT_EQ(found.relation, kGrandparent);
  EXPECT_EQ(found.likeliest, Degree::kSecond);
  EXPECT_TRUE(found.decided);
  EXPECT_EQ(found.range(), "2");
  EXPECT_NEAR(found.margin, std::log10((1e8 + std::pow(10, 6.5) + 2e-5) / 4), 1e-9) << "to unrelated";
}

TEST(Findings, NameTheDegreeWhereItsRelationsAreAlike) {
  Ratios ratios = all_at(-5);
  ratios[kGrandparent] = 8;
  ratios[kAvuncular] = 7.5;
  const Findings found = findings_of(ratios, 1);
  EXPECT_EQ(found.relation, std::nullopt);
  EXPECT_TRUE(found.decided);
  EXPECT_EQ(found.likeliest, Degree::kSecond);
}

TEST(Findings, NameARangeWithoutGaps) {
  Ratios ratios = all_at(-5);
  ratios[kFirstCousin] = 4;
  ratios[kSecondCousin] = 4.2;
  Findings found = findings_of(ratios, 1);
  EXPECT_FALSE(found.decided);
  EXPECT_EQ(found.relation, std::nullopt);
  EXPECT_EQ(found.range(), "3-5");
  EXPECT_EQ(findings_of(all_at(-5), 1).range(), "unrelated");
  ratios = all_at(-5);
  ratios[kSecondCousin] = .5;
  EXPECT_EQ(findings_of(ratios, 1).range(), "5-unrelated");
  ratios = all_at(-5);
  ratios[kParentChild] = 9;
  ratios[kSibling] = 8.5;
  found = findings_of(ratios, 1);
  EXPECT_EQ(found.range(), "1");
  EXPECT_FALSE(found.decided);
}

TEST(Findings, AnyIsTheMeanOverFiveDegrees) {
  Ratios ratios = all_at(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(findings_of(ratios, 1).log10_any, -std::numeric_limits<double>::infinity());
  ratios[kSame] = 50;
  EXPECT_EQ(findings_of(ratios, 1).log10_any, -std::numeric_limits<double>::infinity()) << "not a degree";
  ratios[kSibling] = 6;
  ratios[kSecondCousin] = 6;
  // A third of degree 1, a third of degree 5, of five degrees.
  EXPECT_NEAR(findings_of(ratios, 1).log10_any, 6 + std::log10((1. / 3 + 1. / 3) / 5), 1e-12);
}

TEST(Findings, AreOfTheRelationsThatAreConsidered) {
  Ratios ratios;
  ratios[kSibling] = 6;
  ratios[kFirstCousin] = 2;
  const Findings found = findings_of(ratios, 1);
  EXPECT_EQ(found.relation, kSibling);
  EXPECT_NEAR(found.margin, 4, 1e-12);
  EXPECT_NEAR(found.log10_any, std::log10((1e6 + 1e2) / 2), 1e-12);
}

TEST(Weights, AddUpToOneWithUnrelated) {
  Ratios ratios = all_at(-20);
  ratios[kSibling] = 0;
  const Weights even = weights_of(ratios);
  EXPECT_NEAR(even[static_cast<std::size_t>(kSibling)], .5, 1e-12);
  EXPECT_EQ(even[static_cast<std::size_t>(kSame)], 0) << "below a millionth";
  ratios[kFirstCousin] = 300;
  EXPECT_NEAR(weights_of(ratios)[static_cast<std::size_t>(kFirstCousin)], 1, 1e-12);
}

}  // namespace
}  // namespace fastid::linked
