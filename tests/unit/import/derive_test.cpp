// A panel from the first input: which sites, which allele is minor, how frequent.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Derive : public ::testing::Test {
 protected:
  Panel from_vcf(const std::vector<std::string>& records, std::string_view header = "") {
    return derive_panel(folder_.write("c.vcf", vcf_text("P Q R", records, header)));
  }
  TempFolder folder_;
};

TEST_F(Derive, TheRarerAlleleIsMinor) {
  const Panel panel = from_vcf({"chr1 101 rs1 A G . . . GT 0/0 0/1 0/0", "1 102 rs2 A G . . . GT 1/1 0/1 1/1",
                                "1 103 rs3 C T . . . GT 0/0 1/1 0/1", "MT 104 rs4 C T . . . GT 0 1 .",
                                "1 105 rs5 A C . . . GT 0/0 ./. 0/."},
                               "##contig=<ID=1,length=249250621>\n");
  EXPECT_THAT(panel.sites(), ElementsAre(Site{"rs1", "1", 101, 'A', 'G'}, Site{"rs2", "1", 102, 'G', 'A'},
                                         Site{"rs3", "1", 103, 'C', 'T'}, Site{"rs4", "M", 104, 'C', 'T'},
                                         Site{"rs5", "1", 105, 'A', 'C'}));
  ASSERT_EQ(panel.populations().size(), 1u);
  EXPECT_EQ(panel.populations()[0].name, "cohort");
  EXPECT_THAT(panel.populations()[0].minor_freq,
              ElementsAre(DoubleEq(1.0 / 6), DoubleEq(1.0 / 6), DoubleEq(0.5), DoubleEq(0.5), DoubleEq(0)));
  EXPECT_EQ(panel.build(), GenomeBuild::kGRCh37);
}

TEST_F(Derive, LeavesOutWhatIsNoSnpOrNeverCalled) {
  const Panel panel = from_vcf({"1 101 rs1 A G . . . GT 0/0 0/1 0/0", "1 102 rs2 A G,C . . . GT 0/0 0/1 0/0",
                                "1 103 rs3 A AT . . . GT 0/0 0/1 0/0", "1 104 rs4 A . . . . GT 0/0 0/0 0/0",
                                "1 105 rs5 A G . . . GT ./. ./. 0/.", "1 106 rs6 N G . . . GT 0/0 0/1 0/0"});
  EXPECT_EQ(panel.n_sites(), 1u);
  EXPECT_THAT(refusal([&] { from_vcf({"1 101 rs1 A AT . . . GT 0/0 0/1 0/0"}); }),
              HasSubstr("no biallelic SNP"));
}

TEST_F(Derive, NamesTheNameless) {
  const Panel panel =
      from_vcf({"chrX 101 . A G . . . GT 0/0 0/1 0/0", "1 102 rs2;rs3 A G . . . GT 0/0 0/1 0/0"});
  EXPECT_EQ(panel.sites()[0].id, "X:101");
  EXPECT_EQ(panel.sites()[1].id, "rs2");
}

TEST_F(Derive, RefusesTwoSitesOfOneName) {
  EXPECT_THAT(refusal([&] {
                from_vcf({"1 1 rs1 A G . . . GT 0/0 0/1 0/0", "1 2 rs1 A G . . . GT 0/0 0/1 0/0"});
              }),
              HasSubstr("record 2: the id 'rs1' is there already, in record 1"));
  const std::string path = write_plink(folder_, "twice", {"F P 0 0 1 1", "F Q 0 0 1 1"},
                                       {"1 rs1 0 1 A G", "1 rs1 0 2 A G"}, {"hh", "hh"});
  EXPECT_THAT(refusal([&] { derive_panel(path); }), HasSubstr("variant 2 of"));
}

TEST_F(Derive, RecordsOfOnePositionAreOneSite) {
  // Split by their alternatives: with ids, without, and with the same one.
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"1:100:C:A", "1:100:C:G"}, {".", "."}, {"rs1", "rs1"}}) {
    const std::string path =
        folder_.write("c.vcf", vcf_text("a b c d", {"1 100 " + first + " C A . . . GT 0/0 0/1 0/0 0/0",
                                                    "1 100 " + second + " C G . . . GT 0/0 0/0 1/1 0/0",
                                                    "1 200 rs2 C T . . . GT 0/0 0/1 1/1 0/0"}));
    ::testing::internal::CaptureStderr();
    const PanelAndProfiles derived = derive_panel_and_profiles(path, {});
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("1 record at a position of another"));
    const std::string id = first == "." ? "1:100" : first;
    EXPECT_THAT(derived.panel.sites(),
                ElementsAre(Site{id, "1", 100, 'C', 'A'}, Site{"rs2", "1", 200, 'C', 'T'}));
    EXPECT_THAT(derived.panel.populations()[0].minor_freq, ElementsAre(DoubleEq(1.0 / 6), DoubleEq(3.0 / 8)));
    EXPECT_FALSE(derived.profiles) << "a pass of its own reads what another record says";
    const auto people = read_profiles(path, derived.panel, {});
    std::string calls;
    for (std::uint64_t p = 0; p < 4; ++p) calls += calls_of(people, p) + " ";
    EXPECT_EQ(calls, "00 11 -1 00 ") << "c carries G, which is neither C nor A";
  }
}

TEST_F(Derive, TheRecordOnWhichMostAreCalledIsTheSite) {
  const auto site_of = [&](const std::string& a, const std::string& b) {
    const Panel panel = from_vcf(
        {"1 100 a C A . . . GT " + a, "1 300 x C T . . . GT 0/1 0/0 0/0", "1 100 b C G . . . GT " + b});
    EXPECT_EQ(panel.n_sites(), 2u);
    return panel.sites()[panel.sites()[0].pos == 100 ? 0 : 1];
  };
  EXPECT_EQ(site_of("0/0 0/0 0/0", "0/1 0/1 0/0"), (Site{"b", "1", 100, 'C', 'G'})) << "nobody has A";
  EXPECT_EQ(site_of("0/1 0/1 0/0", "0/0 0/0 0/1"), (Site{"a", "1", 100, 'C', 'A'}));
  EXPECT_EQ(from_vcf({"1 100 a C A . . . GT 0/1 0/1 1/1", "1 100 b C G . . . GT 0/1 1/0 0/1",
                      "1 300 x C T . . . GT 0/1 0/0 0/0"})
                .n_sites(),
            1u)
      << "everybody carries a third allele of either";
}

TEST_F(Derive, TheSameSnpUnderTwoNamesIsOneSite) {
  const Panel panel = from_vcf({"1 100 rs1 A G . . . GT 0/0 0/1 0/0", "1 100 exm1 T C . . . GT 0/0 0/1 ./."});
  EXPECT_THAT(panel.sites(), ElementsAre(Site{"rs1", "1", 100, 'A', 'G'}));
  const std::string bed =
      write_plink(folder_, "two", {"F P 0 0 1 1", "F Q 0 0 1 1"},
                  {"1 rs1 0 100 A G", "1 rs2 0 200 A G", "1 exm1 0 100 A G"}, {"2h", "22", "2h"});
  EXPECT_THAT(derive_panel(bed).sites(),
              ElementsAre(Site{"rs1", "1", 100, 'G', 'A'}, Site{"rs2", "1", 200, 'G', 'A'}));
}

TEST_F(Derive, AMultiAllelicRecordAtASiteTakesWhoeverCarriesItsOthers) {
  const Panel panel = from_vcf({"1 100 rs1 A G . . . GT 0/0 0/1 0/0", "1 100 m A C,T . . . GT 0/0 0/0 1/2"});
  EXPECT_THAT(panel.sites(), ElementsAre(Site{"rs1", "1", 100, 'A', 'G'}));
  EXPECT_EQ(panel.populations()[0].minor_freq[0], 0.25);
}

TEST_F(Derive, HaploidCopiesCountOnceWhereRecordsAreJoined) {
  const Panel panel = from_vcf({"X 100 . A G . . . GT 0/1 0 1", "X 100 . A T . . . GT 0/0 1 0"});
  EXPECT_THAT(panel.sites(), ElementsAre(Site{"X:100", "X", 100, 'G', 'A'}));
  EXPECT_THAT(panel.populations()[0].minor_freq, ElementsAre(DoubleEq(1.0 / 3))) << "of A, G and G";
}

TEST_F(Derive, WarnsOfAPanelOfOneChromosome) {
  const auto warned = [&](int elsewhere) {
    std::vector<std::string> records;
    for (int i = 1; i <= 30; ++i)
      records.push_back(std::string(i <= elsewhere ? "2 " : "1 ") + std::to_string(100 + i) +
                        " . A G . . . GT 0/0 0/1 0/0");
    ::testing::internal::CaptureStderr();
    from_vcf(records);
    return ::testing::internal::GetCapturedStderr().find("all of its sites are on chromosome 1") !=
           std::string::npos;
  };
  EXPECT_TRUE(warned(0));
  EXPECT_FALSE(warned(1));
}

TEST_F(Derive, OfPlinkFilesetsTiesGoToAlleleOne) {
  const std::string path = write_plink(folder_, "p", {"F P 0 0 1 1", "F Q 0 0 1 1", "F R 0 0 1 1"},
                                       {"1 rs1 0 101 A G", "1 rs2 0 102 A G", "1 rs3 0 103 A G",
                                        "23 . 0 104 A G", "1 rs5 0 105 0 G", "0 . 0 0 A G"},
                                       {"12h", "112", "22h", "..2", "222", "222"});
  const Panel panel = derive_panel(path);
  EXPECT_THAT(panel.sites(), ElementsAre(Site{"rs1", "1", 101, 'G', 'A'}, Site{"rs2", "1", 102, 'A', 'G'},
                                         Site{"rs3", "1", 103, 'G', 'A'}, Site{"X:104", "X", 104, 'G', 'A'}));
  EXPECT_THAT(panel.populations()[0].minor_freq,
              ElementsAre(DoubleEq(0.5), DoubleEq(1.0 / 3), DoubleEq(1.0 / 6), DoubleEq(0)));
  EXPECT_EQ(panel.build(), GenomeBuild::kUnknown);
}

TEST_F(Derive, OnePersonCannotSayWhatIsRare) {
  const std::string vcf = folder_.write("one.vcf", vcf_text("P", {"1 101 rs1 A G . . . GT 0/1"}));
  EXPECT_THAT(refusal([&] { derive_panel(vcf); }), HasSubstr("one.vcf: holds one person's genotypes"));
  const std::string bed = write_plink(folder_, "one", {"F P 0 0 1 1"}, {"1 rs1 0 1 A G"}, {"h"});
  EXPECT_THAT(refusal([&] { derive_panel(bed); }), HasSubstr("--panel"));
}

/// What one pass over a file gives, and what a second pass would.
void expect_one_pass_is_two(const std::string& path, bool in_one) {
  const PanelAndProfiles once = derive_panel_and_profiles(path, {});
  EXPECT_EQ(once.profiles.has_value(), in_one) << path;
  EXPECT_EQ(once.panel.sha256(), derive_panel(path).sha256());
  if (!once.profiles) return;
  const ImportedProfiles twice = read_profiles(path, once.panel, {});
  EXPECT_EQ(once.profiles->ids, twice.ids);
  EXPECT_EQ(once.profiles->sha256.get(), twice.sha256.get());
  EXPECT_EQ(describe(once.profiles->counts, 1), describe(twice.counts, 1));
  EXPECT_EQ(once.profiles->counts.swapped, twice.counts.swapped);
  EXPECT_EQ(once.profiles->counts.file_sites, twice.counts.file_sites);
  for (std::uint64_t p = 0; p < twice.ids.size(); ++p)
    ASSERT_EQ(calls_of(*once.profiles, p), calls_of(twice, p)) << path << ", person " << p;
}

TEST_F(Derive, OnePassGivesWhatTwoGive) {
  for (const int sites : {1, 31, 32, 33, 65})
    for (const int people : {2, 31, 32, 33, 63, 64, 65, 129}) {
      std::vector<std::string> records;
      std::string names;
      for (int p = 0; p < people; ++p) names += (p == 0 ? "" : " ") + ("P" + std::to_string(p));
      for (int s = 0; s < sites; ++s) {
        std::string record = "1 " + std::to_string(101 + s) +
                             (s % 5 == 0 ? " ." : " rs" + std::to_string(s)) +
                             (s % 3 == 0 ? " A T" : " G A") + " . . . GT";
        for (int p = 0; p < people; ++p) {
          const int g = (p * 7 + s * 5 + p * s) % 5;
          record += g == 0 ? " ./." : g == 1 ? " 0/1" : g == 2 ? " 1|1" : g == 3 ? " 0|0" : " 1/0";
        }
        records.push_back(record);
      }
      expect_one_pass_is_two(folder_.write("c.vcf", vcf_text(names, records)), true);
    }
}

TEST_F(Derive, RecordsLeftOutThatBearOnASiteAskForASecondPass) {
  const std::string snp = "1 101 rs1 A G . . . GT 0/0 0/1 0/0";
  const auto vcf = [&](const std::string& record) {
    return folder_.write("c.vcf", vcf_text("P Q R", {snp, record}));
  };
  expect_one_pass_is_two(vcf("1 102 rs2 A AT . . . GT 0/0 0/1 0/0"), true);
  expect_one_pass_is_two(vcf("1 101 rs2 A AT . . . GT 0/0 0/1 0/0"), false);
  expect_one_pass_is_two(vcf("1 102 rs1 A AT . . . GT 0/0 0/1 0/0"), false);
  expect_one_pass_is_two(vcf("1 100 . A <NON_REF> . . END=120 GT 0/0 0/0 0/0"), false);
  expect_one_pass_is_two(vcf("1 99 . TTA T . . . GT 0/0 0/1 0/0"), false);
  expect_one_pass_is_two(vcf("1 102 . AT GT . . . GT 0/0 0/1 0/0"), true);
}

TEST_F(Derive, EveryoneIsCalledOnTheirOwnPanel) {
  const std::vector<std::string> records = {"1 101 rs1 A G . . . GT 0/0 0/1 0/0",
                                            "1 102 . A G . . . GT 1/1 0/1 1/1"};
  const Panel panel = from_vcf(records);
  const auto people = read_profiles(folder_ / "c.vcf", panel, {});
  EXPECT_EQ(calls_of(people, 0), "00");
  EXPECT_EQ(calls_of(people, 1), "11");
  EXPECT_EQ(people.counts.no_calls, 0u);
}

}  // namespace
}  // namespace fastid::imports
