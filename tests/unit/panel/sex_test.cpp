// What X and Y say of a sex without frequencies, against the definition's own numbers.
#include "panel/sex.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fastid {
namespace {

Panel panel_of(std::uint32_t autosomal, std::uint32_t x, std::uint32_t y, std::uint32_t m) {
  std::vector<Site> sites;
  const auto add = [&sites](const char* chrom, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i)
      sites.push_back({chrom + ("_" + std::to_string(i)), chrom, 20'000'000 + i, 'A', 'G'});
  };
  add("1", autosomal);
  add("X", x);
  add("Y", y);
  add("M", m);
  return Panel(std::move(sites), {}, GenomeBuild::kGRCh37, "panel");
}

TEST(SexByCounts, IsThatOfTheDefinition) {
  // faults3/sexchr: 246 X sites, 829 Y sites, all autosomal ones called.
  const SiteClasses classes(panel_of(10, 246, 829, 0));
  SexCounts man{.x_called = 246, .y_called = 829, .autosomal_called = 10};
  EXPECT_NEAR(log10_woman_by_x(man), -22.771517, 1e-6);
  EXPECT_NEAR(log10_man_by_y(man, classes), 829 * std::log10(9), 1e-6);
  EXPECT_EQ(sex_of(man, classes, true).sex, Sex::kMale);
  EXPECT_EQ(sex_of(man, classes, true).x_copies, 1u);
  SexCounts woman{.x_called = 246, .x_het = 105, .autosomal_called = 10};
  EXPECT_NEAR(log10_woman_by_x(woman), 123.784759, 1e-6);
  EXPECT_EQ(log10_man_by_y(woman, classes), 0);
  EXPECT_EQ(sex_of(woman, classes, true).sex, Sex::kFemale);
  EXPECT_EQ(sex_of(woman, classes, true).x_copies, 2u);
}

TEST(SexByCounts, IsUndecidedWhereXAndYDisagree) {
  const SiteClasses classes(panel_of(10, 50, 50, 0));
  EXPECT_EQ(sex_of({.x_called = 50, .x_het = 20, .y_called = 50, .autosomal_called = 10}, classes, true).sex,
            Sex::kUndecided);
  EXPECT_EQ(sex_of({.x_called = 3, .autosomal_called = 10}, classes, true).sex, Sex::kUndecided);
  EXPECT_EQ(sex_of({.x_called = 3, .autosomal_called = 10}, classes, true).x_copies, std::nullopt);
}

TEST(SexByCounts, OfBitsYSpeaksAlone) {
  const SiteClasses classes(panel_of(10, 50, 50, 0));
  const SexCall man = sex_of({.x_called = 50, .y_called = 48, .autosomal_called = 10}, classes, false);
  EXPECT_EQ(man.sex, Sex::kMale);
  EXPECT_EQ(man.x_copies, std::nullopt);
  EXPECT_EQ(sex_of({.x_called = 50, .y_called = 2, .autosomal_called = 10}, classes, false).sex,
            Sex::kFemale);
}

TEST(SexByCounts, IsNotSaidWithoutSitesOfXAndY) {
  EXPECT_EQ(sex_of({}, SiteClasses(panel_of(10, 0, 0, 5)), true).sex, std::nullopt);
}

TEST(SexByCounts, CountsWhatAProfileShows) {
  const SiteClasses classes(panel_of(40, 3, 2, 2));
  ProfileRows rows(1, 47, Encoding::kAlleles);
  for (std::uint32_t s = 0; s < 39; ++s) rows.set_seen(0, s, kMajorSeen);
  rows.set_seen(0, 40, kBothSeen);
  rows.set_seen(0, 42, kMinorSeen);
  rows.set_seen(0, 43, kBothSeen);
  rows.set_seen(0, 45, kBothSeen);
  rows.set_seen(0, 46, kMajorSeen);
  BitBlocks blocks({1, 47, Encoding::kAlleles});
  blocks.set_seen(0, 0, kMajorSeen);
  for (std::uint32_t s = 0; s < 39; ++s) blocks.set_seen(0, s, kMajorSeen);
  for (const auto& [site, seen] :
       {std::pair(40u, kBothSeen), {42u, kMinorSeen}, {43u, kBothSeen}, {45u, kBothSeen}, {46u, kMajorSeen}})
    blocks.set_seen(0, site, seen);
  for (const SexCounts& counts :
       {count_sex(rows.row(0), classes), count_sex(blocks.view(), 0, 44, classes)}) {
    EXPECT_EQ(counts.autosomal_called, 39u);
    EXPECT_EQ(counts.x_called, 2u);
    EXPECT_EQ(counts.x_het, 1u);
    EXPECT_EQ(counts.y_called, 1u);
    EXPECT_EQ(counts.y_het, 1u);
    EXPECT_EQ(counts.m_called, 2u);
    EXPECT_EQ(counts.m_het, 1u);
  }
}

TEST(StatedSex, IsReadAsFilesSpellIt) {
  for (const char* text : {"M", "male", " XY ", "1", "Male"}) EXPECT_EQ(parse_sex(text), Sex::kMale) << text;
  for (const char* text : {"F", "female", "XX", "2"}) EXPECT_EQ(parse_sex(text), Sex::kFemale) << text;
  for (const char* text : {"", "0", "U", "Inconclusive", "?", "-9"})
    EXPECT_EQ(parse_sex(text), std::nullopt) << text;
}

}  // namespace
}  // namespace fastid
