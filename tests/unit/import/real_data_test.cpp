// Real people and vendors' files, where FASTID_REAL_DATA names the folder that holds them.
#include <cstdlib>

#include "unit/import/import_support.hpp"

namespace fastid {
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

TEST_F(RealData, VendorsFilesOf23andMesColumnsReadRight) {
  for (const char* name :
       {"23andme.txt", "23andme_win.txt", "23mofang.txt", "DNALand.txt", "circledna.txt", "generic.tsv",
        "generic_header_comment.tsv", "generic_no_header.tsv", "genesforgood.txt", "livingdna.csv",
        "mapmygenome_new_format.txt", "plink.txt", "selfdecode.txt", "tellmeGen.txt"}) {
    const auto person = read_profiles(path(std::string("formats/") + name), vendors_panel(), {});
    EXPECT_EQ(calls_of(person), "0101-111") << name;
  }
}

TEST_F(RealData, VendorsVcfsReadRight) {
  for (const char* name :
       {"testvcf.vcf", "testvcf_chr_prefix.vcf", "testvcf_phased.vcf", "testvcf_multi_sample.vcf"}) {
    const auto person = read_profiles(path(std::string("formats/") + name), vendors_panel(), {});
    EXPECT_EQ(calls_of(person), "0101-1-1")
        << name;  // rs7: 1/2 is T and C, REF G; C,T are not one pair with G
  }
}

TEST_F(RealData, NoVendorsFileCrashes) {
  std::size_t read = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "formats")) {
    const std::string said = refusal_to_read(entry.path(), vendors_panel());
    ++(said == "accepted" ? read : refused);
    if (said != "accepted") {
      EXPECT_THAT(said, HasSubstr(entry.path().filename().string()));
    }
  }
  EXPECT_GE(read, 17u);
  EXPECT_GE(refused, 17u);
}

TEST_F(RealData, ARealExportOf23andMeHasItsBuild) {
  const Panel panel = make_panel({{"rs4477212", "1", 72017, 'A', 'G'}}, GenomeBuild::kGRCh37);
  EXPECT_THAT(refusal_to_read(path("formats/23andme_real_excerpt.txt"), panel), HasSubstr("NCBI36"));
}

}  // namespace
}  // namespace fastid
