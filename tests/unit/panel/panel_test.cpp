// The panel: what its constructor refuses, look-ups, the checksum, the TSV form.
#include "panel/panel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "panel/named_panels.hpp"
#include "panel/population_name.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::refusal;
using testing::TempFolder;

std::vector<Site> three_sites() {
  return {{"rs3", "1", 100, 'A', 'G'}, {"rs1", "X", 7, 'C', 'T'}, {"rs2", "1", 100, 'A', 'C'}};
}

Panel make(std::vector<Site> sites, std::vector<Population> populations = {}) {
  return Panel(std::move(sites), std::move(populations), GenomeBuild::kGRCh37, "panel.tsv");
}

std::string refusal_of(Site site) {
  return refusal([&] { make({{"first", "1", 1, 'A', 'C'}, site}); });
}

/// A file in a fresh folder that goes with it.
class PanelFile : public ::testing::Test {
 protected:
  std::string write(std::string_view text) { return folder_.write("panel.tsv", text); }
  Panel read(std::string_view text) { return read_panel_tsv(write(text)); }
  std::string refusal_of_text(std::string_view text) {
    return refusal([&] { read(text); });
  }

 private:
  const testing::TempFolder folder_;
};

TEST(Panel, RefusesSitesThatBreakItsPromises) {
  EXPECT_EQ(refusal_of({"ok", "1", 1, 'A', 'C'}), "accepted");
  EXPECT_THAT(refusal_of({"", "1", 1, 'A', 'C'}), HasSubstr("panel.tsv, site 2 (''): its id"));
  EXPECT_THAT(refusal_of({"a b", "1", 1, 'A', 'C'}), HasSubstr("its id"));
  EXPECT_THAT(refusal_of({"a\tb", "1", 1, 'A', 'C'}), HasSubstr("its id"));
  EXPECT_THAT(refusal_of({"#a", "1", 1, 'A', 'C'}), HasSubstr("its id"));
  EXPECT_THAT(refusal_of({"\xC3\xA9", "1", 1, 'A', 'C'}), HasSubstr("its id"));
  EXPECT_EQ(refusal_of({std::string(255, 'x'), "1", 1, 'A', 'C'}), "accepted");
  EXPECT_THAT(refusal_of({std::string(256, 'x'), "1", 1, 'A', 'C'}), HasSubstr("its id"));
  EXPECT_THAT(refusal_of({"ok", "chr1", 1, 'A', 'C'}), HasSubstr("chromosome 'chr1'"));
  EXPECT_THAT(refusal_of({"ok", "", 1, 'A', 'C'}), HasSubstr("chromosome"));
  EXPECT_THAT(refusal_of({"ok", "1", 1, 'A', 'A'}), HasSubstr("two different letters"));
  EXPECT_THAT(refusal_of({"ok", "1", 1, 'a', 'C'}), HasSubstr("two different letters"));
  EXPECT_THAT(refusal_of({"ok", "1", 1, 'A', 'N'}), HasSubstr("two different letters"));
  EXPECT_THAT(refusal_of({"first", "1", 2, 'A', 'C'}), HasSubstr("sites 1 and 2: both have the id 'first'"));
  EXPECT_THAT(refusal([] { make({}); }), HasSubstr("no sites"));
}

TEST(Panel, RefusesPopulationsThatBreakItsPromises) {
  const auto with = [](std::vector<Population> populations) {
    return refusal([&] { make(three_sites(), std::move(populations)); });
  };
  EXPECT_EQ(with({{"EUR", {0, 0.5, 1}}, {"a_B.c-9", {0, 0, 0}}}), "accepted");
  EXPECT_THAT(with({{"EUR", {0, 0.5}}}), HasSubstr("one frequency for each site"));
  EXPECT_THAT(with({{"EUR", {0, 0.5, 1.01}}}), HasSubstr("site 3 ('rs2')"));
  EXPECT_THAT(with({{"EUR", {0, -0.01, 1}}}), HasSubstr("not between 0 and 1"));
  EXPECT_THAT(with({{"EUR", {0, std::nan(""), 1}}}), HasSubstr("not between 0 and 1"));
  EXPECT_THAT(with({{"E R", {0, 0, 0}}}), HasSubstr("population 'E R'"));
  EXPECT_THAT(with({{"", {0, 0, 0}}}), HasSubstr("population"));
  EXPECT_THAT(with({{"..", {0, 0, 0}}}), HasSubstr("population"));
  EXPECT_THAT(with({{"A", {0, 0, 0}}, {"A", {0, 0, 0}}}), HasSubstr("given twice"));
}

TEST(Panel, FindsSitesByIdAndByPosition) {
  const Panel panel = make(three_sites());
  EXPECT_EQ(panel.find_id("rs3"), 0u);
  EXPECT_EQ(panel.find_id("rs1"), 1u);
  EXPECT_EQ(panel.find_id("rs2"), 2u);
  EXPECT_EQ(panel.find_id("rs"), std::nullopt);
  EXPECT_EQ(panel.find_id("rs4"), std::nullopt);
  EXPECT_THAT(panel.find_position("1", 100), ElementsAre(0, 2));
  EXPECT_THAT(panel.find_position("X", 7), ElementsAre(1));
  EXPECT_THAT(panel.find_position("1", 7), IsEmpty());
  EXPECT_THAT(panel.find_position("2", 100), IsEmpty());
}

TEST(Panel, FindsSitesInWhicheverOrderTheyStand) {
  const Panel panel({{"rs12345678b", "2", 300, 'A', 'C'},
                     {"rs12345678a", "10", 200, 'A', 'C'},
                     {"rs12345678", "2", 100, 'A', 'C'},
                     {"z", "2", 300, 'A', 'G'},
                     {"rs1", "10", 50, 'A', 'C'}},
                    {}, GenomeBuild::kUnknown, "test");
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) EXPECT_EQ(panel.find_id(panel.sites()[s].id), s);
  EXPECT_FALSE(panel.find_id("rs1234567").has_value());
  const auto places = [](std::span<const std::uint32_t> found) {
    return std::vector<std::uint32_t>(found.begin(), found.end());
  };
  EXPECT_EQ(places(panel.find_position("2", 300)), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(places(panel.find_range("2", 1, 300)), (std::vector<std::uint32_t>{2, 0, 3}));
  EXPECT_EQ(places(panel.find_range("10", 1, 300)), (std::vector<std::uint32_t>{4, 1}));
}

TEST(Panel, SitesOfUnknownPositionAreFoundByIdOnly) {
  const Panel panel = make({{"a", "0", 5, 'A', 'C'}, {"b", "1", 0, 'A', 'C'}});
  EXPECT_THAT(panel.find_position("0", 5), IsEmpty());
  EXPECT_THAT(panel.find_position("1", 0), IsEmpty());
  EXPECT_EQ(panel.find_id("b"), 1u);
}

TEST(Panel, ACopyOutlivesItsOriginal) {
  auto original = std::make_unique<Panel>(make(three_sites()));
  const Panel copy = *original;
  original.reset();
  EXPECT_EQ(copy.find_id("rs2"), 2u);
  EXPECT_THAT(copy.find_position("1", 100), ElementsAre(0, 2));
}

TEST(Panel, ChecksumIsOfTheDocumentedBytes) {
  const Panel panel = make({{"rs1", "1", 100, 'A', 'G'}}, {{"EUR", {0.25}}});
  std::string bytes = "fastid-panel 1\nbuild GRCh37\nrs1\t1\t100\tA\tG\npopulation EUR\n";
  bytes += std::string("\0\0\0\0\0\0\xD0\x3F", 8);  // 0.25 = 0x3FD0000000000000
  Sha256 sha;
  sha.update(bytes);
  EXPECT_EQ(panel.sha256(), sha.hex());
}

TEST(Panel, ChecksumSeesEveryPart) {
  const auto sum = [](Site site, GenomeBuild build, std::vector<Population> populations) {
    return Panel({site}, std::move(populations), build, "p").sha256();
  };
  using enum GenomeBuild;
  const Site site{"rs1", "1", 100, 'A', 'G'};
  const std::string base = sum(site, kGRCh37, {{"P", {0.5}}});
  EXPECT_NE(base, sum({"rs2", "1", 100, 'A', 'G'}, kGRCh37, {{"P", {0.5}}}));
  EXPECT_NE(base, sum({"rs1", "2", 100, 'A', 'G'}, kGRCh37, {{"P", {0.5}}}));
  EXPECT_NE(base, sum({"rs1", "1", 101, 'A', 'G'}, kGRCh37, {{"P", {0.5}}}));
  EXPECT_NE(base, sum({"rs1", "1", 100, 'G', 'A'}, kGRCh37, {{"P", {0.5}}}));
  EXPECT_NE(base, sum(site, kGRCh38, {{"P", {0.5}}}));
  EXPECT_NE(base, sum(site, kGRCh37, {{"Q", {0.5}}}));
  EXPECT_NE(base, sum(site, kGRCh37, {{"P", {std::nextafter(0.5, 1)}}}));
  EXPECT_NE(base, sum(site, kGRCh37, {}));
  EXPECT_EQ(base, sum(site, kGRCh37, {{"P", {0.5}}}));
}

TEST_F(PanelFile, ComesBackTheSameAfterWriting) {
  const Panel panel = make(three_sites(), {{"EUR", {0.1, 1.0 / 3, 1e-300}}, {"AFR", {0, 1, 0.7}}});
  const Panel back = read(write_panel_tsv(panel));
  EXPECT_EQ(back.sha256(), panel.sha256());
  EXPECT_EQ(back.sites(), panel.sites());
  EXPECT_EQ(back.build(), GenomeBuild::kGRCh37);
}

TEST_F(PanelFile, ReadsWhatEditorsOnOtherSystemsWrite) {
  const Panel panel = read(
      "\xEF\xBB\xBF# a comment\r\n#build hg38\r\nid\tchrom\tpos\tmajor\tminor\tEUR\r\n"
      "\r\nrs1\tchr1\t5\ta\tG\t0.25\r\n#note\r\nrs2\tMT\t0\tC\tT\t1e-3");
  EXPECT_EQ(panel.build(), GenomeBuild::kGRCh38);
  EXPECT_EQ(panel.sites(), (std::vector<Site>{{"rs1", "1", 5, 'A', 'G'}, {"rs2", "M", 0, 'C', 'T'}}));
  EXPECT_EQ(panel.populations()[0].minor_freq, (std::vector<double>{0.25, 1e-3}));
}

TEST_F(PanelFile, NamesTheLineOfEachMistake) {
  const std::string header = "id\tchrom\tpos\tmajor\tminor\tEUR\n";
  const auto line = [&](const std::string& text) { return refusal_of_text(header + text); };
  EXPECT_EQ(line("rs1\t1\t5\tA\tG\t0.5\n"), "accepted");
  EXPECT_THAT(line("rs1\t1\t5\tA\tG\n"), HasSubstr("panel.tsv, line 2: 5 columns where the header has 6"));
  EXPECT_THAT(line("rs1\t1\t5\tA\tG\t0.5\t0\n"), HasSubstr("7 columns"));
  EXPECT_THAT(line("\nrs1\t1\tx\tA\tG\t0.5\n"), HasSubstr("line 3: position 'x'"));
  EXPECT_THAT(line("rs1\t1\t-5\tA\tG\t0.5\n"), HasSubstr("position '-5'"));
  EXPECT_THAT(line("rs1\t1\t5\tAT\tG\t0.5\n"), HasSubstr("allele 'AT'"));
  EXPECT_THAT(line("rs1\t1\t5\tA\tG\tNA\n"), HasSubstr("frequency 'NA'"));
  EXPECT_THAT(line("rs1\t1\t5\tA\tG\t1.5\n"), HasSubstr("frequency '1.5'"));
  EXPECT_THAT(line("rs1\t1\t5\tA\tG\tnan\n"), HasSubstr("frequency 'nan'"));
  EXPECT_THAT(line("rs1\t1\t5\tA\tA\t0.5\n"), HasSubstr("two different letters"));
  EXPECT_THAT(refusal_of_text(""), HasSubstr("begin with a header line"));
  EXPECT_THAT(refusal_of_text("# only\n"), HasSubstr("begin with a header line"));
  EXPECT_THAT(refusal_of_text("rs1\t1\t5\tA\tG\n"), HasSubstr("line 1: is not the header of a panel"));
  EXPECT_THAT(refusal_of_text("id\tchrom\tpos\tmajor\n"), HasSubstr("is not the header"));
  EXPECT_THAT(refusal_of_text(header), HasSubstr("no sites"));
  EXPECT_THAT(refusal_of_text("#build GRCh99\n" + header), HasSubstr("build 'GRCh99' is not known"));
  EXPECT_THAT(refusal([] { read_panel_tsv("/nowhere/panel.tsv"); }), HasSubstr("/nowhere/panel.tsv"));
}

TEST_F(PanelFile, SurvivesBeingCutAnywhere) {
  const std::string whole = write_panel_tsv(make(three_sites(), {{"EUR", {0.1, 0.2, 0.3}}}));
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    const std::string said = refusal_of_text(whole.substr(0, bytes));
    if (said != "accepted") {
      EXPECT_THAT(said, HasSubstr("panel.tsv"));
    }
  }
}

TEST(PanelNames, ArePopulationsInLettersOfEitherCase) {
  const Panel panel =
      make(three_sites(), {{"EUR", {.1, .2, .3}}, {"afr", {.1, .2, .3}}, {"AFR", {.1, .2, .3}}});
  EXPECT_EQ(find_population(panel, "eur"), &panel.populations()[0]);
  EXPECT_EQ(find_population(panel, "afr"), &panel.populations()[1]) << "as it is";
  EXPECT_EQ(find_population(panel, "Afr"), nullptr) << "which of the two?";
  EXPECT_EQ(find_population(panel, "EU"), nullptr);
}

TEST(PanelNames, ArePanelsInLettersOfEitherCase) {
  EXPECT_EQ(PanelSource("Kintelligence").text, PanelSource("kintelligence").text);
  EXPECT_EQ(PanelSource("FORCE:GRCh38").build, GenomeBuild::kGRCh38);
  EXPECT_THAT(refusal([] { PanelSource("Kintelligenz"); }), HasSubstr("is neither a file nor a panel"));
}

TEST(PanelDistances, AreThoseOfNeighboursOnAChromosome) {
  const auto median = [](std::vector<Site> sites) { return make(std::move(sites)).median_distance(); };
  EXPECT_EQ(median(three_sites()), 0u);
  EXPECT_EQ(median({{"a", "1", 100, 'A', 'G'}, {"b", "2", 100, 'A', 'G'}, {"c", "0", 5, 'A', 'G'}}),
            std::nullopt);
  const std::vector<Site> far = {{"a", "1", 100, 'A', 'G'},
                                 {"b", "1", 50'100, 'A', 'G'},
                                 {"c", "2", 7, 'A', 'G'},
                                 {"d", "2", 50'006, 'A', 'G'},
                                 {"e", "2", 400'000, 'A', 'G'}};
  EXPECT_EQ(median(far), 50'000u);
  EXPECT_EQ(density_warning(make(far)), "");
  const std::vector<Site> near = {{"b", "1", 50'099, 'A', 'G'}, {"a", "1", 100, 'A', 'G'}};
  EXPECT_EQ(
      density_warning(make(near)),
      "the panel's sites lie 49,999 base pairs apart at the median: below 50,000 they are linked, and "
      "evidence is overstated; weigh blocks of them as one (fastid ld --blocks 0.1, then --blocks FILE), or "
      "build a database of unlinked ones (fastid ld --prune 0.1, then db build --sites FILE)");
}

TEST(PanelChromosomes, TheOnlyOneIsNamed) {
  EXPECT_EQ(make(three_sites()).only_chromosome(), "");
  EXPECT_EQ(
      make({{"a", "7", 100, 'A', 'G'}, {"b", "7", 90, 'A', 'G'}, {"c", "0", 0, 'A', 'G'}}).only_chromosome(),
      "7");
  EXPECT_EQ(make({{"c", "0", 0, 'A', 'G'}}).only_chromosome(), "");
}

TEST(GenomeBuildNames, AreReadAsFilesSpellThem) {
  using enum GenomeBuild;
  for (const char* text : {"NCBI36", "ncbi36", "hg18", "b36", "build 36", "Build36", "36", "NCBI build 36"})
    EXPECT_EQ(parse_build(text), kNCBI36) << text;
  for (const char* text : {"GRCh37", "hg19", "HG19", "b37", "hs37d5", "GRCh37.p13", "human_g1k_v37.fasta",
                           "37", "ftp://x.org/phase2/hs37d5.fa.gz", "hg19 (GRCh37)"})
    EXPECT_EQ(parse_build(text), kGRCh37) << text;
  for (const char* text :
       {"GRCh38", "hg38", "b38", "GRCh38_full_analysis_set_plus_decoy_hla.fa", "38", " hg38 "})
    EXPECT_EQ(parse_build(text), kGRCh38) << text;
  for (const char* text : {"", "unknown", "hg20", "GRCh39", "T2T-CHM13v2.0", "dbSNP build 138", "b370",
                           "hg19 to hg38", "136", "2037", "db37"})
    EXPECT_EQ(parse_build(text), kUnknown) << text;
}

TEST(GenomeBuildNames, ComeBack) {
  using enum GenomeBuild;
  for (const GenomeBuild build : {kUnknown, kNCBI36, kGRCh37, kGRCh38})
    EXPECT_EQ(parse_build(name_of(build)), build);
}

TEST(ChromosomeNames, HaveOneSpelling) {
  EXPECT_EQ(normal_chromosome("chr1"), "1");
  EXPECT_EQ(normal_chromosome("Chr22"), "22");
  EXPECT_EQ(normal_chromosome("chrMT"), "M");
  EXPECT_EQ(normal_chromosome("MT"), "M");
  EXPECT_EQ(normal_chromosome("x"), "X");
  EXPECT_EQ(normal_chromosome("NC_000001.11"), "1");
  EXPECT_EQ(normal_chromosome("nc_000022"), "22");
  EXPECT_EQ(normal_chromosome("NC_000023.10"), "X");
  EXPECT_EQ(normal_chromosome("CM000686.2"), "Y");
  EXPECT_EQ(normal_chromosome("NC_012920.1"), "M");
  for (const char* other :
       {"NC_000025.1", "NC_000000.1", "NC_0000011", "NC_001807.4", "CM000662.1", "NC_000001.X"})
    EXPECT_EQ(normal_chromosome(other), other);
  EXPECT_EQ(build_of_accession("NC_000001.10"), GenomeBuild::kGRCh37);
  EXPECT_EQ(build_of_accession("NC_000001.11"), GenomeBuild::kGRCh38);
  EXPECT_EQ(build_of_accession("NC_000002.12"), GenomeBuild::kUnknown);
  EXPECT_EQ(normal_chromosome("23"), "X");
  EXPECT_EQ(normal_chromosome("24"), "Y");
  EXPECT_EQ(normal_chromosome("25"), "PAR");
  EXPECT_EQ(normal_chromosome("XY"), "PAR");
  EXPECT_EQ(normal_chromosome("26"), "M");
  EXPECT_EQ(normal_chromosome("GL000191.1"), "GL000191.1");
  for (const char* unknown : {"", "0", ".", "-", "--", "NA", "chr"})
    EXPECT_EQ(normal_chromosome(unknown), "0");
  for (const char* any : {"chrchr7", "chr25", "mt", "chrUn_KI270742v1"})
    EXPECT_EQ(normal_chromosome(normal_chromosome(any)), normal_chromosome(any));
}

TEST(TwoBuilds, TheOneThatIsWantedIsTaken) {
  const TempFolder folder;
  const std::string header = "id\tchrom\tpos_GRCh37\tpos_GRCh38\tmajor\tminor\tEUR\n";
  const std::string path = folder.write("two.tsv", header + "rs1\t1\t5\t0\tA\tG\t0.25\n");
  const Panel old = read_panel_tsv(path), now = read_panel_tsv(path, GenomeBuild::kGRCh38);
  EXPECT_EQ(old.build(), GenomeBuild::kGRCh37);
  EXPECT_EQ(old.sites()[0].pos, 5u);
  EXPECT_EQ(now.build(), GenomeBuild::kGRCh38);
  EXPECT_EQ(now.sites()[0].pos, 0u);
  EXPECT_EQ(now.populations()[0].minor_freq[0], 0.25);
  EXPECT_THAT(refusal([&] { read_panel_tsv(folder.write("b.tsv", header + "rs1\t1\t5\tx\tA\tG\t0\n")); }),
              ::testing::HasSubstr("line 2: position 'x' is not a number"));
  EXPECT_THAT(refusal([&] { read_panel_tsv(folder.write("c.tsv", "#build GRCh38\n" + header)); }),
              ::testing::HasSubstr("two builds below a line #build"));
}

TEST(NamedPanels, AreReadByNameInEitherBuild) {
  for (const NamedPanel& named : named_panels()) {
    const Panel old = PanelSource(named.name).read(), now = PanelSource(named.name + ":GRCh38").read();
    EXPECT_EQ(old.n_sites(), now.n_sites());
    EXPECT_NE(old.sha256(), now.sha256());
    EXPECT_FALSE(named.what.empty());
    EXPECT_NE(named.text.find("# source: "), std::string_view::npos);
    EXPECT_NE(named.text.find("# licence: "), std::string_view::npos);
  }
  EXPECT_EQ(PanelSource("kintelligence").read().n_sites(), 10'039u);
  EXPECT_THAT(
      refusal([] { PanelSource("forc"); }),
      ::testing::HasSubstr("neither a file nor a panel that comes with fastid; name a file, or one of"));
}

}  // namespace
}  // namespace fastid
