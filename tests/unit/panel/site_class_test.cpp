// Classes of sites, on both sides of every bound of PAR.
#include "panel/site_class.hpp"

#include <gtest/gtest.h>

namespace fastid {
namespace {

using enum SiteClass;
using enum GenomeBuild;

TEST(SiteClass, FollowsTheChromosome) {
  for (const char* const chrom : {"1", "22", "0", "GL000192.1"})
    EXPECT_EQ(class_of(chrom, 5, kGRCh37), kAutosomal);
  for (const char* const chrom : {"PAR", "PAR1", "PAR2"}) EXPECT_EQ(class_of(chrom, 0, kGRCh37), kAutosomal);
  EXPECT_EQ(class_of("X", 50'000'000, kGRCh37), kX);
  EXPECT_EQ(class_of("Y", 20'000'000, kGRCh37), kY);
  EXPECT_EQ(class_of("M", 73, kGRCh37), kM);
}

struct Bounds {
  GenomeBuild build;
  std::uint32_t x_first, x_second, y_first, y_second;
};
constexpr Bounds kBounds[] = {{kNCBI36, 2'709'521, 154'584'237, 2'709'520, 57'443'438},
                              {kGRCh37, 2'699'520, 154'931'044, 2'649'520, 59'034'050},
                              {kGRCh38, 2'781'479, 155'701'383, 2'781'479, 56'887'903}};

TEST(SiteClass, ParOnXIsAutosomalAndItsCopyOnYIsNothing) {
  for (const Bounds& at : kBounds) {
    SCOPED_TRACE(name_of(at.build));
    EXPECT_EQ(class_of("X", at.x_first, at.build), kAutosomal);
    EXPECT_EQ(class_of("X", at.x_first + 1, at.build), kX);
    EXPECT_EQ(class_of("X", at.x_second - 1, at.build), kX);
    EXPECT_EQ(class_of("X", at.x_second, at.build), kAutosomal);
    EXPECT_EQ(class_of("Y", at.y_first, at.build), kNone);
    EXPECT_EQ(class_of("Y", at.y_first + 1, at.build), kY);
    EXPECT_EQ(class_of("Y", at.y_second - 1, at.build), kY);
    EXPECT_EQ(class_of("Y", at.y_second, at.build), kNone);
  }
}

TEST(SiteClass, OfAnUnknownBuildIsParWhereAllBuildsSaySo) {
  EXPECT_EQ(class_of("X", 2'699'520, kUnknown), kAutosomal);
  EXPECT_EQ(class_of("X", 2'699'521, kUnknown), kX);
  EXPECT_EQ(class_of("X", 155'701'382, kUnknown), kX);
  EXPECT_EQ(class_of("X", 155'701'383, kUnknown), kAutosomal);
  EXPECT_EQ(class_of("Y", 2'649'520, kUnknown), kNone);
  EXPECT_EQ(class_of("Y", 2'649'521, kUnknown), kY);
}

TEST(SiteClass, OfAnUnknownPositionIsThatOfItsChromosome) {
  EXPECT_EQ(class_of("X", 0, kGRCh37), kX);
  EXPECT_EQ(class_of("Y", 0, kUnknown), kY);
}

TEST(SiteClass, SaysHowManyCopiesAPersonHas) {
  EXPECT_EQ(copies_of(kAutosomal, Sex::kMale), 2u);
  EXPECT_EQ(copies_of(kX, Sex::kMale), 1u);
  EXPECT_EQ(copies_of(kX, Sex::kFemale), 2u);
  EXPECT_EQ(copies_of(kY, Sex::kMale), 1u);
  EXPECT_EQ(copies_of(kY, Sex::kFemale), 0u);
  EXPECT_EQ(copies_of(kM, Sex::kFemale), 1u);
  EXPECT_EQ(copies_of(kNone, Sex::kMale), 0u);
}

TEST(SiteClasses, CountSitesAndMarkThem) {
  const Panel panel({{"a", "1", 10, 'A', 'C'},
                     {"b", "X", 50'000'000, 'A', 'C'},
                     {"c", "X", 100, 'A', 'C'},
                     {"d", "Y", 20'000'000, 'A', 'C'},
                     {"e", "Y", 100, 'A', 'C'},
                     {"f", "M", 73, 'A', 'C'}},
                    {}, kGRCh37, "test");
  const SiteClasses classes(panel);
  EXPECT_FALSE(classes.all_autosomal());
  EXPECT_EQ(classes.mask(kAutosomal)[0], 0b000101u);
  EXPECT_EQ(classes.mask(kX)[0], 0b000010u);
  EXPECT_EQ(classes.mask(kY)[0], 0b001000u);
  EXPECT_EQ(classes.mask(kNone)[0], 0b010000u);
  EXPECT_EQ(classes.mask(kM)[0], 0b100000u);
  EXPECT_EQ(classes.sites(kM), std::vector<std::uint32_t>{5});
  EXPECT_EQ(classes.describe(),
            "6 sites (2 autosomal, 1 of them in PAR, 1 X, 1 Y, 1 M, 1 on Y's copy of PAR, left out)");
}

TEST(SiteClasses, OfAutosomesSayNothingOfClasses) {
  const Panel panel({{"a", "1", 10, 'A', 'C'}}, {}, kGRCh37, "test");
  const SiteClasses classes(panel);
  EXPECT_TRUE(classes.all_autosomal());
  EXPECT_EQ(classes.describe(), "1 site");
}

}  // namespace
}  // namespace fastid
