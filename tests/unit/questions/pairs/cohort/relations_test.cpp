// What a pair's relation is.
#include "questions/pairs/cohort/relations.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fastid::pairs {
namespace {

const match::PairsFacts kByKinship{.min_kinship = 0.0884};

match::ClosePair of_kinship(double kinship, std::uint32_t both_het = 400, std::uint32_t ibs0 = 40) {
  return {.both_het = both_het, .ibs0 = ibs0, .kinship = kinship};
}

TEST(CohortRelations, AreThoseOfTheEvidenceFirst) {
  match::ClosePair pair = of_kinship(0.25);
  pair.relation = "half-sibling";
  EXPECT_EQ(relation_of(pair, kByKinship), "half-sibling");
  pair.relation = "unrelated";
  EXPECT_EQ(relation_of(pair, kByKinship), "unrelated");
  pair.relation = "undecided";
  EXPECT_EQ(relation_of(pair, kByKinship), "sibling") << "by its kinship";
  pair.log10_chance_pairs = -2.1;
  EXPECT_EQ(relation_of(pair, kByKinship), "sibling") << "which chance does not explain";
  pair.log10_chance_pairs = -2;
  EXPECT_EQ(relation_of(pair, kByKinship), "undecided");
}

TEST(CohortRelations, FollowKingsBoundsWithoutEvidence) {
  for (const auto& [kinship, relation] : {std::pair{.355, "same"},
                                          {.353, "sibling"},
                                          {.178, "sibling"},
                                          {.176, "half-sibling"},
                                          {.0885, "half-sibling"},
                                          {.0883, "cousin"},
                                          {.0443, "cousin"},
                                          {.0441, "unrelated"}})
    EXPECT_EQ(relation_of(of_kinship(kinship), kByKinship), relation) << kinship;
}

TEST(CohortRelations, TellParentsFromSiblingsByOppositeHomozygotes) {
  EXPECT_EQ(relation_of(of_kinship(.25, 400, 8), kByKinship), "parent-child");
  EXPECT_EQ(relation_of(of_kinship(.25, 400, 9), kByKinship), "sibling");
  EXPECT_EQ(relation_of(of_kinship(.25, 0, 0), kByKinship), "parent-child");
  EXPECT_EQ(relation_of(of_kinship(.12, 400, 0), kByKinship), "half-sibling") << "of the first degree only";
}

TEST(CohortRelations, AreCloseWhereNothingTellsThemApart) {
  EXPECT_EQ(relation_of(match::ClosePair{}, {.by = Encoding::kMinor, .max_mismatch_rate = 0.051}), "close");
  EXPECT_EQ(relation_of(match::ClosePair{}, {.max_mismatch_rate = 0.01}), "close")
      << "without a heterozygous site";
  EXPECT_EQ(relation_of(match::ClosePair{}, {.by = Encoding::kMinor, .max_mismatch_rate = 0.05}), "same");
}

TEST(CohortRelations, HaveAnOrder) {
  constexpr std::array kOrder{"same",    "parent-child", "sibling",   "half-sibling", "cousin",
                              "distant", "close",        "undecided", "unrelated"};
  for (std::size_t i = 0; i < kOrder.size(); ++i) EXPECT_EQ(distance(kOrder[i]), i) << kOrder[i];
}

TEST(CohortRelations, AgreeWhereTheyCannotBeToldApart) {
  for (const auto& [expected, found] : {std::pair{"same", "same"},
                                        {"cousin", "half-sibling"},
                                        {"half-sibling", "cousin"},
                                        {"sibling", "close"},
                                        {"cousin", "undecided"}})
    EXPECT_TRUE(agrees(expected, found)) << expected << ", " << found;
  for (const auto& [expected, found] : {std::pair{"same", "sibling"},
                                        {"sibling", "parent-child"},
                                        {"half-sibling", "sibling"},
                                        {"cousin", "same"}})
    EXPECT_FALSE(agrees(expected, found)) << expected << ", " << found;
}

TEST(CohortRelations, MustBeFoundWhereTheSearchGoesFarEnough) {
  EXPECT_TRUE(must_be_found("half-sibling", kByKinship));
  EXPECT_FALSE(must_be_found("cousin", kByKinship));
  EXPECT_TRUE(must_be_found("cousin", {.min_kinship = 0.0442}));
  EXPECT_FALSE(must_be_found("sibling", {.min_kinship = 0.2}));
  EXPECT_TRUE(must_be_found("same", {.min_kinship = 0.4}));
  EXPECT_FALSE(must_be_found("sibling", {.min_kinship = 0.0442, .max_mismatch_rate = 0.1}));
  EXPECT_FALSE(must_be_found("sibling", {.max_mismatch_rate = 0.2})) << "no kinship to go by";
  EXPECT_TRUE(must_be_found("same", {.max_mismatch_rate = 0.2}));
}

TEST(CohortRelations, HaveOtherNamesInFiles) {
  for (const auto& [word, relation] : {std::pair{"Same", "same"},
                                       {"twin", "same"},
                                       {"parent-child", "parent-child"},
                                       {"FULL-SIBLINGS", "sibling"},
                                       {"avuncular", "half-sibling"},
                                       {"first-cousins", "cousin"},
                                       {"unrelated", "unrelated"}})
    EXPECT_EQ(relation_named(word), relation) << word;
  for (const char* const word : {"", "close", "undecided", "friend", "same "})
    EXPECT_EQ(relation_named(word), std::nullopt) << word;
}

}  // namespace
}  // namespace fastid::pairs
