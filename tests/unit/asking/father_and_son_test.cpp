// The line on two men of parent-child whose Y differs.
#include "asking/father_and_son.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace fastid::asking {
namespace {

match::BesideFigures of(const char* first, const char* second, const char* word) {
  return {.first_sex = first,
          .second_sex = second,
          .y = match::HaplotypeFigures{.mismatches = 14, .compared = 60, .word = word}};
}

TEST(FathersAndSons, HaveOneY) {
  FathersAndSons men;
  men.take("parent-child", of("male", "male", "agree"), "A", "B");
  men.take("parent-child", of("male", "male", "undecided"), "A", "B");
  men.take("parent-child", of("male", "undecided", "differ"), "A", "B");
  men.take("parent-child", of("female", "male", ""), "A", "B");
  men.take("sibling", of("male", "male", "differ"), "A", "B");
  men.take("parent-child", std::nullopt, "A", "B");
  EXPECT_EQ(men.sentence(), "");
  men.take("parent-child", of("male", "male", "differ"), "A", "B");
  EXPECT_EQ(men.sentence(),
            "1 pair is parent-child by autosomal sites, and two men whose Y differs: A and B (14 of 60 "
            "sites)");
}

TEST(FathersAndSons, AreNamedInOneLine) {
  FathersAndSons men;
  for (int i = 0; i < 7; ++i)
    men.take("parent-child", of("male", "male", "differ"), fmt::format("A{}", i), "B");
  EXPECT_EQ(men.sentence(),
            "7 pairs are parent-child by autosomal sites, and two men whose Y differs: A0 and B (14 of 60 "
            "sites), A1 and B (14 of 60 sites), A2 and B (14 of 60 sites), A3 and B (14 of 60 sites), A4 and "
            "B (14 of 60 sites) and 2 more");
}

}  // namespace
}  // namespace fastid::asking
