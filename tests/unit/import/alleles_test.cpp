// Which alleles importers say were seen, of each shape of genotype; and where two records or files disagree.
#include "import/one_bit.hpp"
#include "import_support.hpp"

namespace fastid::testing {
namespace {

using ::testing::HasSubstr;

constexpr Encoding kEncodings[] = {Encoding::kMinor, Encoding::kAlleles};

/// One character a site: 'M' a major allele was seen, 'm' a minor one, 'b' both, '-' not called.
std::string seen_of(const imports::ImportedProfiles& profiles, std::uint64_t profile = 0) {
  const BlocksView view = profiles.blocks.view();
  EXPECT_EQ(view.shape.encoding, Encoding::kAlleles);
  std::string text;
  for (std::uint32_t s = 0; s < view.shape.n_sites; ++s) {
    const std::size_t word = s / kWordBits, shift = s % kWordBits;
    const bool minor = (view.bits_word(profile, word) >> shift & 1) != 0;
    const bool major = (view.major_word(profile, word) >> shift & 1) != 0;
    text += minor ? (major ? 'b' : 'm') : major ? 'M' : '-';
  }
  return text;
}

imports::ImportedProfiles read_alleles(const std::string& path, const Panel& panel,
                                       imports::ImportOptions options = {}) {
  options.encoding = Encoding::kAlleles;
  return imports::read_profiles(path, panel, options);
}

/// A VCF of one sample at the sites of plain_panel(): a genotype each, of REF A and ALT G.
std::string vcf_of(const std::vector<std::string>& genotypes) {
  std::vector<std::string> records;
  for (std::size_t i = 0; i < genotypes.size(); ++i)
    records.push_back("1 " + std::to_string(101 + i) + " rs" + std::to_string(1 + i) + " A G . . . GT " +
                      genotypes[i]);
  return vcf_text("P", records, "##contig=<ID=1>\n");
}

/// Half a call is no call: its one allele would look like two.
TEST(AllelesSeen, OfEachGenotypeOfAVcf) {
  const TempFolder folder;
  const std::string file = folder.write(
      "p.vcf", vcf_of({"0/0", "0|1", "1/0", "1/1", "0", "1", "./.", "0/.", "./1", ".", "0/0/1", "1/1/1"}));
  for (const std::string& path : {file, folder.write("p.bcf", to_bcf(folder, read_bytes(file), "wb"))})
    EXPECT_EQ(seen_of(read_alleles(path, plain_panel(12))), "MbbmMm----bm");
}

TEST(AllelesSeen, OnTheOtherStrandAndWithSwappedAlleles) {
  const TempFolder folder;
  const std::string file =
      folder.write("p.vcf", vcf_text("P Q R", {"1 101 rs1 G A . . . GT 0/0 0/1 1/1",     // swapped
                                               "1 102 rs2 T C . . . GT 0/0 0/1 1/1",     // flipped
                                               "1 103 rs3 A T,G . . . GT 0/2 1/2 2/2",   // a third allele
                                               "1 104 rs4 A . . . . GT 0/0 0/0 0/0"}));  // reference only
  const imports::ImportedProfiles people = read_alleles(file, plain_panel(4));
  EXPECT_EQ(seen_of(people, 0), "mMbM");
  EXPECT_EQ(seen_of(people, 1), "bb-M");
  EXPECT_EQ(seen_of(people, 2), "MmmM");
}

TEST(AllelesSeen, ByTheirDepths) {
  const TempFolder folder;
  const std::string file = folder.write(
      "p.vcf", vcf_text("P",
                        {"1 101 rs1 A G . . . GT:AD ./.:30,0", "1 102 rs2 A G . . . GT:AD ./.:30,5",
                         "1 103 rs3 A G . . . GT:AD ./.:0,30", "1 104 rs4 A G . . . GT:AD ./.:2,3"},
                        "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"x\">\n"));
  imports::ImportOptions options;
  options.depths = imports::DepthRule{};
  EXPECT_EQ(seen_of(read_alleles(file, plain_panel(4), options)), "Mbm-");
}

TEST(AllelesSeen, InTextsAndMixtures) {
  const TempFolder folder;
  std::string text = "# rsid\tchromosome\tposition\tgenotype\n";
  const char* const genotypes[] = {"AA", "AG", "GG", "--", "A", "G", "A-", "CC", "AAG", "GGG", "GGC"};
  for (std::size_t i = 0; i < std::size(genotypes); ++i)
    text += "rs" + std::to_string(1 + i) + "\t1\t" + std::to_string(101 + i) + "\t" + genotypes[i] + "\n";
  EXPECT_EQ(seen_of(read_alleles(folder.write("p.txt", text), plain_panel(11))), "Mbm-Mm-mbmm");
}

TEST(AllelesSeen, InABedWithEitherAlleleFirst) {
  const TempFolder folder;
  const std::string bed =
      write_plink(folder, "p", {"F A 0 0 0 0", "F B 0 0 0 0"},
                  {"1 rs1 0 101 G A", "1 rs2 0 102 A G", "1 rs3 0 103 G A"}, {"1h", "12", ".2"});
  const imports::ImportedProfiles people = read_alleles(bed, plain_panel(3));
  EXPECT_EQ(seen_of(people, 0), "mM-");
  EXPECT_EQ(seen_of(people, 1), "bmM");
}

TEST(AllelesSeen, OfSitesThatTheFileLacks) {
  const TempFolder folder;
  imports::ImportOptions options;
  options.absent_as_reference = true;
  EXPECT_EQ(seen_of(read_alleles(folder.write("p.vcf", vcf_of({"1/1"})), plain_panel(3), options)), "mMM");
}

/// Two records of one site that differ in the number of copies agree on the minor allele alone.
TEST(AllelesSeen, WhereTwoRecordsDisagree) {
  const TempFolder folder;
  const std::string file = folder.write(
      "p.vcf",
      vcf_text("P Q R S", {"1 101 x A G . . . GT 0/1 1/1 0/0 ./.", "1 101 y A G . . . GT 1/1 1/1 1/1 0/1"}));
  const imports::ImportedProfiles alleles = read_alleles(file, plain_panel(1));
  const imports::ImportedProfiles minor = imports::read_profiles(file, plain_panel(1), {});
  const std::string expected[] = {"-", "m", "-", "b"}, bits[] = {"1", "1", "-", "1"};
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(seen_of(alleles, i), expected[i]) << i;
    EXPECT_EQ(calls_of(minor, i), bits[i]) << i;
  }
  EXPECT_EQ(alleles.counts.conflicts, 2u);
  EXPECT_EQ(minor.counts.conflicts, 1u);
}

TEST(AllelesSeen, AreNotReadFromAnExportThatMakesThemUp) {
  const TempFolder folder;
  const std::string remark = "fastid 0; " + std::string(imports::kOneBit);
  const std::string vcf = folder.write("p.vcf", vcf_text("P Q", {"1 101 rs1 A G . . . GT 0/1 0/0"},
                                                         "##contig=<ID=1>\n##source=" + remark + "\n"));
  const std::string snp = folder.write("p.snp", "#sample P\n# exported by " + remark + "\nrs1\t1\t101\tAG\n");
  for (const std::string& path : {vcf, folder.write("p.bcf", to_bcf(folder, read_bytes(vcf), "wb")), snp})
    for (const Encoding asked : kEncodings) {
      imports::ImportOptions options;
      options.encoding = asked;
      const imports::ImportedProfiles people = imports::read_profiles(path, plain_panel(1), options);
      EXPECT_EQ(people.blocks.shape().encoding, Encoding::kMinor);
      EXPECT_EQ(calls_of(people), "1");
    }
  imports::ImportOptions options;
  options.encoding = Encoding::kAlleles;
  const imports::PanelAndProfiles derived = imports::derive_panel_and_profiles(vcf, options);
  ASSERT_TRUE(derived.profiles);
  EXPECT_EQ(derived.profiles->blocks.shape().encoding, Encoding::kMinor);
}

TEST(AllelesSeen, WithAPanelThatIsDerivedInTheSamePass) {
  const TempFolder folder;
  imports::ImportOptions options;
  options.encoding = Encoding::kAlleles;
  const std::string file = folder.write(
      "p.vcf", vcf_text("P Q R", {"1 101 rs1 A G . . . GT 0/0 0/1 0/0", "1 102 rs2 A G . . . GT 1/1 0/1 ./.",
                                  "1 103 rs3 A G . . . GT 0 1/1 1/1"}));
  const imports::PanelAndProfiles derived = imports::derive_panel_and_profiles(file, options);
  ASSERT_TRUE(derived.profiles);
  EXPECT_EQ(seen_of(*derived.profiles, 0), "MMm");  // of rs2 and rs3 the minor allele is A
  EXPECT_EQ(seen_of(*derived.profiles, 1), "bbM");
  EXPECT_EQ(seen_of(*derived.profiles, 2), "M-M");
}

}  // namespace
}  // namespace fastid::testing
