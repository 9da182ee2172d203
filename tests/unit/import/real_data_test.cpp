// Real people and vendors' files, where FASTID_REAL_DATA names the folder that holds them.
#include <cstdlib>

#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FASTID_REAL_DATA");
    if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "FASTID_REAL_DATA is not set";
    folder_ = folder;
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  fs::path folder_;
};

TEST_F(RealData, HapMapIsReadOntoItsOwnPanel) {
  const Panel panel = derive_panel(path("hapmap3/hapmap3.bed"));
  EXPECT_EQ(panel.n_sites(), 14079u);
  for (const double freq : panel.populations()[0].minor_freq) EXPECT_LE(freq, 0.5);
  const auto people = read_profiles(path("hapmap3/hapmap3"), panel, {});
  EXPECT_EQ(people.ids.size(), 957u);
  EXPECT_EQ(people.counts.matched, 14079u);
  EXPECT_EQ(people.counts.palindromic, 1015u);
  EXPECT_EQ(people.counts.flipped, 0u);
  EXPECT_EQ(people.counts.unknown_alleles, 0u);
  const double share = static_cast<double>(people.counts.no_calls) / (957.0 * 14079);
  EXPECT_NEAR(share, 0.0015, 0.0001);
}

TEST_F(RealData, AnotherBuildIsRefusedAndReadByIdWhereAsked) {
  const Panel panel = derive_panel(path("hapmap3/hapmap3.bed"));
  const std::string phase1 = path("1000g_phase1/phase1.bed");
  EXPECT_THAT(refusal_to_read(phase1, panel), HasSubstr("--ignore-build"));
  ::testing::internal::CaptureStderr();
  const auto people = read_profiles(phase1, panel, {.ignore_build = true});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("matched by id alone"));
  EXPECT_EQ(people.ids.size(), 1092u);
  EXPECT_EQ(people.counts.matched, 14079u);
  EXPECT_EQ(people.counts.no_calls, 0u);
  EXPECT_EQ(people.counts.flipped, 0u);
}

/// A1 is major and T, C, G minor at position 101 + i, as the vendors' toy files have rs1 to rs8.
Panel vendors_panel() {
  return make_panel({{"rs1", "1", 101, 'A', 'G'},
                     {"rs2", "1", 102, 'A', 'C'},
                     {"rs3", "1", 103, 'G', 'T'},
                     {"rs4", "1", 104, 'C', 'T'},
                     {"rs5", "1", 105, 'C', 'T'},
                     {"rs6", "1", 106, 'G', 'C'},
                     {"rs7", "1", 107, 'C', 'T'},
                     {"rs8", "1", 108, 'A', 'T'}});
}

/// What a vendor's file holds: calls on vendors_panel(), one character a site, and of the whole file the
/// number of lines that name a site.
struct Sample {
  const char* name;
  const char* calls;
  std::uint64_t file_sites;
};

// rs1 AA, rs2 CC, rs3 GG, rs4 TT, rs5 not called, rs6 GC, rs7 TC, rs8 AT: each vendor's file says so in its
// way.
constexpr Sample kSamples[] = {
    {"23andme.txt", "0101-111", 10},
    {"23andme_allele.txt", "0101-111", 8},
    {"23andme_win.txt", "0101-111", 10},
    {"23mofang.txt", "0101-111", 8},
    {"DNALand.txt", "0101-111", 8},
    {"ancestry.txt", "0101-111", 8},
    {"ancestry_multi_sep.txt", "0101-111", 8},
    {"circledna.txt", "0101-111", 9},
    {"codigo46.txt", "0101-111", 8},
    {"ftdna.csv", "0101-111", 8},
    {"ftdna_famfinder.csv", "0101-111", 8},
    {"generic.csv", "0101-111", 8},
    {"generic.tsv", "0101-111", 8},
    {"generic_extra_column.tsv", "0101-111", 8},
    {"generic_header_comment.tsv", "0101-111", 8},
    {"generic_multi_rsid.tsv", "0101-111", 8},
    {"generic_no_header.tsv", "0101-111", 8},
    {"generic_non_standard_columns.tsv", "0101-111", 8},
    {"genesforgood.txt", "0101-111", 8},
    {"livingdna.csv", "0101-111", 8},
    {"mapmygenome.txt", "0101-111", 8},
    {"mapmygenome_alt_header.txt", "0101-111", 8},
    {"mapmygenome_new_format.txt", "0101-111", 8},
    {"myheritage.csv", "0101-111", 8},
    {"myheritage_extra_quotes.csv", "0101-111", 8},
    {"plink.txt", "0101-111", 8},
    {"sano.txt", "0101-111", 8},
    {"sano_dtc.txt", "0101-111", 8},
    {"sano_dtc_no_comments.txt", "0101-111", 8},
    {"selfdecode.txt", "0101-111", 8},
    {"tellmeGen.txt", "0101-111", 8},
    // rs7 is 1/2 of G>T,C: T and C, of which the panel knows no pair with G.
    {"testvcf.vcf", "0101-1-1", 17},
    {"testvcf_chr_prefix.vcf", "0101-1-1", 17},
    {"testvcf_phased.vcf", "0101-1-1", 17},
    {"testvcf_multi_sample.vcf", "0101-1-1", 17},
};

TEST_F(RealData, EveryVendorsFileReadsAsItsMakerMeant) {
  for (const auto& [name, calls, file_sites] : kSamples) {
    SCOPED_TRACE(name);
    const auto person = read_profiles(path(std::string("formats/") + name), vendors_panel(), {});
    EXPECT_EQ(calls_of(person), calls);
    EXPECT_EQ(person.counts.file_sites, file_sites);
  }
}

TEST_F(RealData, FilesOfOtherSitesReadAsTheirMakersMeant) {
  const auto calls = [&](const char* name, std::vector<Site> sites) {
    return calls_of(read_profiles(path(std::string("formats/") + name), make_panel(std::move(sites)), {}));
  };
  EXPECT_EQ(calls("ancestry_mt.txt",
                  {{"rs1", "M", 101, 'G', 'A'}, {"rs2", "M", 102, 'A', 'G'}, {"rs3", "M", 103, 'G', 'C'}}),
            "1-1");
  EXPECT_EQ(calls("chromosomes.csv", {{"snp1", "1", 1, 'A', 'G'},
                                      {"snp4", "5", 1, 'C', 'T'},
                                      {"snp5", "M", 1, 'G', 'A'},
                                      {"snp6", "PAR", 1, 'A', 'G'}}),
            "0110");
  EXPECT_EQ(
      calls("GRCh37_PAR.csv", {{"rs28736870", "PAR", 220770, 'A', 'G'}, {"x", "PAR", 535258, 'G', 'A'}}),
      "01");
  EXPECT_EQ(calls("unannotated_testvcf.vcf", {{"a", "1", 101, 'A', 'G'},
                                              {"b", "1", 102, 'G', 'C'},
                                              {"c", "1", 103, 'G', 'T'},
                                              {"d", "1", 104, 'C', 'T'},
                                              {"e", "1", 105, 'C', 'T'},
                                              {"f", "1", 106, 'G', 'C'},
                                              {"h", "1", 108, 'A', 'T'}}),
            "0101-11");
}

TEST_F(RealData, PositionsTellTheBuild) {
  const std::vector<std::pair<const char*, GenomeBuild>> builds = {{"NCBI36.csv", GenomeBuild::kNCBI36},
                                                                   {"GRCh37.csv", GenomeBuild::kGRCh37},
                                                                   {"GRCh38.csv", GenomeBuild::kGRCh38}};
  for (const auto& [name, build] : builds)
    for (const auto& [other, panels] : builds) {
      const Panel panel =
          make_panel({{"rs3094315", "0", 0, 'A', 'G'}, {"rs11928389", "3", 0, 'C', 'T'}}, panels);
      const std::string said = refusal_to_read(path(std::string("formats/") + name), panel);
      if (build == panels)
        EXPECT_EQ(said, "accepted") << name;
      else
        EXPECT_THAT(said, HasSubstr("has the positions of build " + std::string(fastid::name_of(build))))
            << other;
    }
}

TEST_F(RealData, WhatIsNoGenotypesIsRefusedByItsName) {
  const auto refused = [&](const char* name) {
    return refusal_to_read(path(std::string("formats/") + name), vendors_panel());
  };
  EXPECT_THAT(refused("empty.txt"), HasSubstr("empty.txt: is empty"));
  EXPECT_THAT(refused("generic.fa"), HasSubstr("generic.fa: holds sequences (FASTA)"));
  EXPECT_THAT(refused("discrepant_snps.csv"),
              HasSubstr("discrepant_snps.csv, line 1: its columns are not those"));
  EXPECT_THAT(refused("duplicate_rsids.csv"), HasSubstr("'rs1' is given a second time, after line 2"));
  EXPECT_THAT(refused("LICENSE.snps"), HasSubstr("columns where 4 are expected"));
  EXPECT_THAT(refused("LICENSE.snpr"), HasSubstr("LICENSE.snpr, line 1: position 'License' is not a number"));
}

TEST_F(RealData, EveryFileEndsWellOrWithItsName) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "formats")) {
    const std::string said = refusal_to_read(entry.path(), vendors_panel());
    ++files;
    if (said != "accepted") {
      EXPECT_THAT(said, HasSubstr(entry.path().filename().string()));
    }
  }
  EXPECT_EQ(files, 49u);
}

TEST_F(RealData, SamplesOfTheThousandGenomesAreReadThroughXz) {
  const auto kidd = derive_panel(path("panels/kidd.aisnp.1kg.vcf.xz"));
  EXPECT_EQ(kidd.n_sites(), 55u);
  EXPECT_EQ(read_profiles(path("panels/seldin.aisnp.1kg.vcf.xz"), kidd, {}).ids.size(), 2504u);
}

/// A two-person stain as EuroForMix has it, with a height for each allele that a site may have, and the
/// alleles that the kit's own report typed: they differ where the kit's threshold is higher than a read,
/// nowhere else.
TEST_F(RealData, AStainByItsHeightsIsWhatItsReportTyped) {
  const Panel panel = read_panel_tsv(path("kits/kintelligence.tsv"));
  const auto heights = read_profiles(path("kits/Sample01a_evidence.tsv"), panel, {});
  const auto typed = read_profiles(path("kits/s01a.snp"), panel, {});
  const std::string seen = calls_of(heights), report = calls_of(typed);
  std::size_t same = 0;
  for (std::size_t s = 0; s < seen.size(); ++s) same += seen[s] == report[s];
  EXPECT_EQ(seen.size(), 10039u);
  EXPECT_GE(same, 9990u);
}

TEST_F(RealData, AVariantsOnlyFileOfARealPersonIsRefused) {
  const Panel panel = derive_panel(path("1000g_phase3/phase3.bed"));
  const std::string variants = path("faults/v1.vcf.gz");
  EXPECT_THAT(refusal_to_read(variants, panel, {.individuals = true}), HasSubstr("variants only"));
  EXPECT_EQ(refusal_to_read(variants, panel, {.individuals = true, .absent_as_reference = true}), "accepted");
}

TEST_F(RealData, ARealExportOf23andMeHasItsBuild) {
  const Panel panel = make_panel({{"rs4477212", "1", 72017, 'A', 'G'}}, GenomeBuild::kGRCh37);
  EXPECT_THAT(refusal_to_read(path("formats/23andme_real_excerpt.txt"), panel), HasSubstr("NCBI36"));
}

}  // namespace
}  // namespace fastid::imports
