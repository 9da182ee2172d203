// The sex of a profile: what X and Y say, alone and together.
#include "stats/sex.hpp"

#include <gtest/gtest.h>

#include <string>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;

/// Autosomal, X and Y sites, in this order.
Panel panel_of(std::size_t autosomal, std::size_t x, std::size_t y) {
  std::vector<Site> sites;
  const auto add = [&](std::size_t n, const char* chrom) {
    for (std::size_t i = 0; i < n; ++i)
      sites.push_back({chrom + std::to_string(i) + "s", chrom, 20'000'000, 'A', 'C'});
  };
  add(autosomal, "1");
  add(x, "X");
  add(y, "Y");
  return Panel(std::move(sites), {}, GenomeBuild::kGRCh37, "test");
}

SexFindings found(const Panel& panel, const std::string& seen) {
  const SiteClasses classes(panel);
  const AllelesSeen profile(seen);
  return SexModel(classes, nullptr).of(profile.row());
}

std::string times(std::size_t n, const char* seen) {
  std::string text;
  while (n-- > 0) text += seen;
  return text;
}

TEST(Sex, FollowsHeterozygotesOfXAndCallsOfY) {
  const Panel panel = panel_of(10, 40, 30);
  const std::string called(10, '0');
  const SexFindings woman = found(panel, called + times(20, "10") + times(30, "-"));
  EXPECT_EQ(woman.sex, Sex::kFemale);
  EXPECT_EQ(woman.x_copies, 2u);
  EXPECT_EQ(woman.x_het, 20u);
  const SexFindings man = found(panel, called + times(40, "0") + times(29, "2") + "-");
  EXPECT_EQ(man.sex, Sex::kMale);
  EXPECT_EQ(man.x_copies, 1u);
  EXPECT_EQ(man.y_called, 29u);
}

TEST(Sex, IsUndecidedWhereXAndYContradictEachOther) {
  const SexFindings xxy =
      found(panel_of(10, 40, 30), std::string(10, '0') + times(20, "10") + times(29, "2") + "-");
  EXPECT_EQ(xxy.sex, Sex::kUndecided);
  EXPECT_EQ(xxy.x_copies, 2u);
}

TEST(Sex, IsWhatYSaysWhereThereIsNoX) {
  const SexFindings man = found(panel_of(10, 0, 30), std::string(10, '0') + times(29, "2") + "-");
  EXPECT_EQ(man.sex, Sex::kMale);
  EXPECT_EQ(man.x_copies, std::nullopt);
  EXPECT_EQ(found(panel_of(10, 0, 30), std::string(10, '0') + times(30, "-")).sex, Sex::kUndecided);
}

TEST(Sex, TakesTheShareOfSitesThatAreCalledIntoAccount) {
  // Half of the autosomes and nearly half of Y are called: a man's.
  EXPECT_EQ(found(panel_of(10, 0, 30), "00000-----" + times(14, "2") + times(16, "-")).sex, Sex::kMale);
}

TEST(Sex, OfAPanelOfAutosomesIsNotAsked) {
  EXPECT_EQ(found(panel_of(10, 0, 0), std::string(10, '0')).sex, std::nullopt);
}

TEST(Sex, UsesFrequenciesWhereTheyAreKnown) {
  const Panel panel = panel_of(0, 5, 0);
  const SiteClasses classes(panel);
  const PopulationModel rare("rare", std::vector<double>(5, .01), {.01, .005}),
      common("common", std::vector<double>(5, .5), {.01, .005});
  const AllelesSeen profile("00000");
  const double of_rare = SexModel(classes, &rare).of(profile.row()).log10_woman,
               of_common = SexModel(classes, &common).of(profile.row()).log10_woman;
  EXPECT_GT(of_rare, of_common);  // five homozygotes say little of a rare allele
  EXPECT_LT(of_common, -1);
}

TEST(Sex, ByBitsIsWhatYSaysAlone) {
  const Panel panel = panel_of(10, 40, 30);
  const SiteClasses classes(panel);
  ProfileRows rows(1, classes.n_sites(), Encoding::kMinor);
  for (std::uint32_t s = 0; s < classes.n_sites(); ++s) rows.set(0, s, false);
  const SexFindings findings = SexModel(classes, nullptr).of(rows.row(0));
  EXPECT_EQ(findings.sex, Sex::kMale);
  EXPECT_EQ(findings.x_copies, std::nullopt);
}

}  // namespace
}  // namespace fastid::stats
