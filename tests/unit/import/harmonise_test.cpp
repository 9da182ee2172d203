// What the truth of a site is: gVCF blocks, allele depths, third alleles of split records, palindromic sites,
// builds, and the report that says so.
#include <sstream>

#include "import/site_report.hpp"
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;

constexpr const char* kGvcfHeader =
    "##INFO=<ID=END,Number=1,Type=Integer,Description=\"E\">\n"
    "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"A\">\n"
    "##FORMAT=<ID=MIN_DP,Number=1,Type=Integer,Description=\"M\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Q\">\n"
    "##FORMAT=<ID=RGQ,Number=1,Type=Float,Description=\"Q\">\n##contig=<ID=1>\n";

class Harmonise : public ::testing::Test {
 protected:
  /// Calls of the first person, from text and from BCF, which must be the same.
  std::string calls(const std::vector<std::string>& records, const ImportOptions& options = {},
                    std::string_view people = "P") {
    const std::string text = vcf_text(people, records, kGvcfHeader);
    counts_ = {};
    const auto binary = read_profiles(folder_.write("c.bcf", to_bcf(folder_, text, "wb")), panel_, options);
    const auto plain = read_profiles(folder_.write("c.vcf", text), panel_, options);
    for (std::uint64_t p = 0; p < plain.ids.size(); ++p) EXPECT_EQ(calls_of(plain, p), calls_of(binary, p));
    EXPECT_EQ(describe(plain.counts, 1), describe(binary.counts, 1));
    counts_ = plain.counts;
    warnings_ = import_profiles(folder_ / "c.vcf", panel_, options).warnings;
    return calls_of(plain);
  }
  TempFolder folder_;
  const Panel panel_ = plain_panel(5);  // rs1 .. rs5 at 1:101 .. 1:105, A major, G minor
  ImportCounts counts_;
  std::vector<std::string> warnings_;
};

TEST_F(Harmonise, BlocksOfReferenceCallsAreCalled) {
  EXPECT_EQ(calls({"1 102 . A <NON_REF> . . END=104 GT:GQ:MIN_DP 0/0:50:20"}), "-000-");
  EXPECT_EQ(counts_.in_blocks, 3u);
  EXPECT_EQ(counts_.matched, 3u);
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_THAT(warnings_[1], HasSubstr("at 2 sites within blocks of reference calls"));
  EXPECT_EQ(calls({"1 100 . T <*> . . END=101 GT 0/0"}), "0----");
  EXPECT_EQ(calls({"1 50 . T . . . END=2000 GT 0/0"}), "00000");
  EXPECT_EQ(calls({"1 102 . A <NON_REF> . . END=102 GT 0/0", "1 105 . A <NON_REF> . . END=9 GT 0/0"}),
            "-0--0");
}

TEST_F(Harmonise, TheBaseAtABlocksBeginIsItsOwn) {
  EXPECT_EQ(calls({"1 102 . G <NON_REF> . . END=103 GT 0/0"}), "-10--");
  EXPECT_EQ(calls({"1 102 . C <NON_REF> . . END=103 GT 0/0"}), "-10--") << "on the other strand";
}

TEST_F(Harmonise, BlocksWithoutReadsAreNotCalled) {
  EXPECT_EQ(calls({"1 101 . A <NON_REF> . . END=105 GT 0/0", "1 900 . A <NON_REF> . . END=905 GT 0/0"}),
            "00000");
  for (const char* nothing : {"./.:50:20", "0/0:0:20", "0/0:50:0", "0/.:50:20"})
    EXPECT_EQ(calls({"1 101 . A <NON_REF> . . END=104 GT:GQ:MIN_DP " + std::string(nothing),
                     "1 105 rs5 A G . . . GT 0/0"}),
              "----0")
        << nothing;
}

TEST_F(Harmonise, NoEvidenceIsNoCallInBlocksAndRecords) {
  // Blocks of one base, with END and without; variants of either order; a block of many.
  const auto five = [&](const std::string& format, const std::string& sample) {
    const std::string columns = " . . . " + format + " " + sample,
                      end = " . . END=101 " + format + " " + sample;
    return calls({"1 101 . A <NON_REF>" + end, "1 102 . A <*>" + columns, "1 103 . A G,<NON_REF>" + columns,
                  "1 104 . G A" + columns, "1 105 . A <NON_REF> . . END=300 " + format + " " + sample,
                  "1 900 . A G . . . GT 0/0"});
  };
  EXPECT_EQ(five("GT:DP:GQ:MIN_DP", "0/0:9:9:9"), "00010");
  EXPECT_EQ(five("GT:DP:GQ:MIN_DP", "0/0:.:.:."), "00010") << "what is not said is not 0";
  EXPECT_EQ(five("GT:GQ", "0/1:10"), "--11-") << "a block that says heterozygous is no reference";
  for (const char* nothing : {"0/0:0:9:9", "0/0:9:0:9", "0/0:9:9:0", "0/0:0:0:0", "0/1:0", "1/1:.:0"})
    EXPECT_EQ(five("GT:DP:GQ:MIN_DP", nothing), "-----") << nothing;
  EXPECT_EQ(five("GT:RGQ", "0/0:0"), "-----");
  EXPECT_EQ(five("DP:GT", "0:1/1"), "-----");
}

TEST_F(Harmonise, EvidenceIsOfEachSample) {
  EXPECT_EQ(calls({"1 101 rs1 A G . . . GT:DP 0/1:3 0/1:0 0/0:0 0/0:7"}, {}, "P Q R S"), "1----");
  const auto people = read_profiles(folder_ / "c.vcf", panel_, {});
  EXPECT_EQ(calls_of(people, 1), "-----");
  EXPECT_EQ(calls_of(people, 2), "-----");
  EXPECT_EQ(calls_of(people, 3), "0----");
  const Panel derived = derive_panel(folder_ / "c.vcf");
  EXPECT_EQ(derived.populations()[0].minor_freq[0], 0.25) << "of the four alleles that have evidence";
}

TEST_F(Harmonise, ThirdAllelesWithoutEvidenceAreNone) {
  EXPECT_EQ(calls({"1 101 rs1 A G . . . GT:DP 0/0:9", "1 101 . A C . . . GT:DP 0/1:0"}), "0----");
}

TEST_F(Harmonise, DepthLimitsAreThoseOfBlocksOfAnyLength) {
  const auto one_and_many = [&](const std::string& format, const std::string& sample) {
    const std::string end = " . . END=101 " + format + " " + sample;
    return calls({"1 101 . A <NON_REF>" + end, "1 102 . A <NON_REF> . . END=105 " + format + " " + sample},
                 {.depths = DepthRule{}});
  };
  EXPECT_EQ(one_and_many("GT:DP:MIN_DP", "0/0:30:10"), "00000");
  EXPECT_EQ(one_and_many("GT:DP:MIN_DP", "0/0:30:9"), "-----");
  EXPECT_EQ(one_and_many("GT:DP:MIN_DP", "0/0:10:."), "00000");
  EXPECT_EQ(one_and_many("GT:DP:MIN_DP", "0/0:.:."), "-----");
  EXPECT_EQ(one_and_many("GT:DP", "./.:30"), "-----");
  EXPECT_EQ(one_and_many("GT:DP:GQ", "0/0:30:0"), "-----");
}

TEST_F(Harmonise, ARecordOfItsOwnBeatsABlock) {
  const std::string block = "1 101 . A <NON_REF> . . END=105 GT 0/0",
                    record = "1 103 . A G,<NON_REF> . . . GT 0/1";
  EXPECT_EQ(calls({block, record}), "00100");
  EXPECT_EQ(calls({record, block}), "00100");
}

TEST_F(Harmonise, AReferenceGenomeSaysWhatABlockMeans) {
  const std::string fasta = folder_.write("g.fa", ">chr1\n" + std::string(100, 'T') + "AGCNT\n");
  const std::vector<std::string> block = {"1 100 . T <NON_REF> . . END=105 GT 0/0"};
  EXPECT_THAT(refusal([&] { calls(block, {.reference = fasta}); }), HasSubstr("samtools faidx"));
  folder_.write("g.fa.fai", "chr1\t105\t6\t105\t106\n");
  // A is major, G minor, C is G on the other strand, N and T (which is A there) ...
  EXPECT_EQ(calls(block, {.reference = fasta}), "011-0");
  ASSERT_EQ(warnings_.size(), 1u);  // of positions alone; nothing was assumed
}

TEST_F(Harmonise, AllelesAreSeenByTheirDepths) {
  const auto seen = [&](const std::string& depths, DepthRule rule) {
    return calls({"1 101 rs1 A G . . . GT:AD 0/0:" + depths, "1 102 rs2 A G . . . GT:AD 0/0:100,0"},
                 {.depths = rule})
        .substr(0, 1);
  };
  EXPECT_EQ(seen("98,2", {10, 0.02}), "1");
  EXPECT_EQ(seen("99,1", {10, 0.02}), "0");
  EXPECT_EQ(seen("9,0", {10, 0.02}), "-");
  EXPECT_EQ(seen("10,0", {10, 0.02}), "0");
  EXPECT_EQ(seen("5,5", {10, 0.5}), "1");
  EXPECT_EQ(seen("0,0", {0, 0}), "-");
  EXPECT_EQ(seen("1,0", {0, 0}), "0") << "an allele without a read is not seen";
  EXPECT_EQ(seen(".,.", {1, 0.02}), "-");
  EXPECT_EQ(seen(".", {1, 0.02}), "-");
  EXPECT_EQ(seen("20", {1, 0.02}), "0");
}

TEST_F(Harmonise, DepthsOfOtherAllelesArePutAside) {
  EXPECT_EQ(calls({"1 101 rs1 A G,T . . . GT:AD 0/0:50,3,40", "1 102 rs2 A T,G . . . GT:AD 0/0:50,40,0",
                   "1 103 rs3 A G . . . GT:AD 0/1:0,9"},
                  {.depths = DepthRule{}}),
            "10---");
  EXPECT_EQ(counts_.unknown_alleles, 2u);
  EXPECT_EQ(calls({"1 101 . A <NON_REF> . . END=102 GT:MIN_DP 0/0:10",
                   "1 103 . A <NON_REF> . . END=104 GT:MIN_DP 0/0:9", "1 105 rs5 A G . . . GT 0/1"},
                  {.depths = DepthRule{}}),
            "00---");
}

TEST_F(Harmonise, DepthsMustBeThere) {
  const std::string path = folder_.write("c.vcf", vcf_text("P", {"1 101 rs1 A G . . . GT 0/1"}));
  EXPECT_THAT(refusal_to_read(path, panel_, {.depths = DepthRule{}}),
              HasSubstr("holds no allele depths (AD)"));
}

TEST_F(Harmonise, AThirdAlleleInASplitRecordIsNoCall) {
  // bcftools norm -m- makes these of "A G,C" with 0/0, 0/1, 0/2, 1/2, 2/2.
  const std::vector<std::string> records = {"1 101 rs1 A G . . . GT 0/0 0/1 0/0 1/0 0/0",
                                            "1 101 rs1 A C . . . GT 0/0 0/0 0/1 0/1 1/1"};
  for (const auto& order : {records, std::vector{records[1], records[0]}}) {
    const auto people = read_profiles(folder_.write("c.vcf", vcf_text("P Q R S T", order)), panel_, {});
    std::string all;
    for (std::uint64_t p = 0; p < 5; ++p) all += calls_of(people, p)[0];
    EXPECT_EQ(all, "01---");
    EXPECT_EQ(people.counts.third_alleles, 3u);
    EXPECT_THAT(describe(people.counts, 5), HasSubstr("third alleles 3"));
  }
  const auto whole = read_profiles(
      folder_.write("c.vcf", vcf_text("P Q R S T", {"1 101 rs1 A G,C . . . GT 0/0 0/1 0/2 1/2 2/2"})), panel_,
      {});
  std::string all;
  for (std::uint64_t p = 0; p < 5; ++p) all += calls_of(whole, p)[0];
  EXPECT_EQ(all, "01---");
}

TEST_F(Harmonise, AnInsertionBesideASiteIsNoThirdAllele) {
  EXPECT_EQ(calls({"1 101 rs1 A G . . . GT 0/0", "1 101 . A AT . . . GT 0/1"}), "0----");
}

class Palindromic : public Harmonise {
 protected:
  /// A/T sites of which T is the minor allele, at the frequencies given.
  static Panel panel_of(const std::vector<double>& frequencies) {
    std::vector<Site> sites;
    for (std::size_t s = 0; s < frequencies.size(); ++s)
      sites.push_back({"rs" + std::to_string(s + 1), "1", static_cast<std::uint32_t>(101 + s), 'A', 'T'});
    sites.push_back({"snp", "1", 500, 'A', 'G'});
    std::vector<double> all = frequencies;
    all.push_back(0.3);
    return Panel(std::move(sites), {{"cohort", all}}, GenomeBuild::kUnknown, "panel");
  }
  std::string people(const std::vector<std::string>& records, const Panel& panel, PalindromicRule rule) {
    std::vector<std::string> all = records;
    all.push_back("1 500 snp A G . . . GT 0/0 0/0 0/0 0/0 0/0");
    const auto read =
        read_profiles(folder_.write("c.vcf", vcf_text("P Q R S T", all)), panel, {.palindromic = rule});
    counts_ = read.counts;
    return calls_of(read, 0);
  }
};

TEST_F(Palindromic, AreKeptDroppedOrResolved) {
  const Panel panel = panel_of({0.1, 0.1, 0.1, 0.45});
  // Nobody, then everybody has T; then half the letters, which nothing explains; then a frequency that tells
  // nothing.
  const std::vector<std::string> records = {
      "1 101 rs1 A T . . . GT 0/0 0/0 0/0 0/0 0/0", "1 102 rs2 A T . . . GT 1/1 1/1 1/1 1/1 1/1",
      "1 103 rs3 A T . . . GT 0/1 0/1 0/1 0/1 0/1", "1 104 rs4 A T . . . GT 0/0 0/0 0/0 0/0 0/0"};
  EXPECT_EQ(people(records, panel, PalindromicRule::kKeep), "01100");
  EXPECT_EQ(counts_.palindromic, 4u);
  EXPECT_EQ(people(records, panel, PalindromicRule::kDrop), "----0");
  EXPECT_EQ(counts_.palindromic_dropped, 4u);
  EXPECT_EQ(people(records, panel, PalindromicRule::kFrequency), "00--0");
  EXPECT_EQ(counts_.palindromic_dropped, 2u);
  EXPECT_EQ(counts_.flipped, 1u);
}

TEST_F(Palindromic, OnePersonResolvesOnlyWhatIsRare) {
  const Panel panel = panel_of({0.01, 0.01, 0.2});
  const auto text = [&](const std::string& letters) {
    const std::string path =
        folder_.write("t.snp", "rs1\t1\t101\t" + letters + "\nrs2\t1\t102\tAA\nrs3\t1\t103\t" + letters +
                                   "\nsnp\t1\t500\tAA\n");
    return calls_of(read_profiles(path, panel, {.palindromic = PalindromicRule::kFrequency}));
  };
  EXPECT_EQ(text("AA"), "00-0");  // 0.99^2 against 0.01^2; 0.8^2 against 0.2^2 is not enough
  EXPECT_EQ(text("TT"), "00-0") << "on the other strand";
  EXPECT_EQ(text("AT"), "-0-0");
}

TEST_F(Palindromic, NeedFrequenciesToBeResolved) {
  const Panel panel = make_panel({{"rs1", "1", 101, 'A', 'T'}});
  const std::string path = folder_.write("t.snp", "rs1\t1\t101\tAA\n");
  EXPECT_THAT(refusal_to_read(path, panel, {.palindromic = PalindromicRule::kFrequency}),
              HasSubstr("no frequencies"));
  EXPECT_THAT(refusal_to_read(path, panel, {.palindromic = PalindromicRule::kDrop}),
              HasSubstr("palindromic"));
}

TEST_F(Harmonise, TheReportHasTheFateOfEachSite) {
  const Panel panel = make_panel({{"rs1", "1", 101, 'A', 'G'},
                                  {"rs2", "1", 102, 'A', 'G'},
                                  {"rs3", "1", 103, 'A', 'G'},
                                  {"rs4", "1", 104, 'A', 'T'},
                                  {"rs5", "1", 105, 'A', 'G'},
                                  {"rs6", "1", 106, 'A', 'G'},
                                  {"rs7", "1", 107, 'A', 'G'}});
  const std::string vcf = folder_.write(
      "c.vcf", vcf_text("P Q", {"1 101 rs1 A G . . . GT 0/0 0/1", "1 102 . C T . . . GT 0/0 ./.",
                                "1 103 rs3 A C . . . GT 0/0 0/1", "1 104 rs4 A T . . . GT 0/0 0/1",
                                "1 106 . A <NON_REF> . . END=107 GT 0/0 0/0"}));
  ImportOptions options;
  options.report = std::make_shared<SiteReport>(folder_ / "fates.tsv");
  read_profiles(vcf, panel, options);
  EXPECT_FALSE(fs::exists(folder_ / "fates.tsv")) << "it appears whole";
  options.report->commit();
  std::string expected = "file site chrom pos fate by strand order calls record\n";
  for (const char* line :
       {"rs1 1 101 matched id same same 2 1", "rs2 1 102 matched position flipped swapped 1 2",
        "rs3 1 103 other_alleles - - - 0 -", "rs4 1 104 matched id ambiguous same 2 4",
        "rs5 1 105 absent - - - 0 -", "rs6 1 106 block position same same 2 5",
        "rs7 1 107 block position same same 2 5"})
    expected += "FILE " + std::string(line) + "\n";
  for (char& c : expected) c = c == ' ' ? '\t' : c;
  for (std::size_t at = 0; (at = expected.find("FILE", at)) != std::string::npos;)
    expected.replace(at, 4, vcf);
  EXPECT_EQ(read_bytes(folder_ / "fates.tsv"), expected);
}

TEST_F(Harmonise, AHeaderThatItsPositionsBelieIsRefused) {
  const Panel panel = make_panel({{"rs4680", "22", 19951271, 'A', 'G'}}, GenomeBuild::kGRCh37);
  const auto vcf = [&](const std::string& header, const std::string& pos) {
    return folder_.write("c.vcf", vcf_text("P", {"22 " + pos + " rs4680 A G . . . GT 0/1"}, header));
  };
  EXPECT_EQ(refusal_to_read(vcf("##reference=GRCh37\n", "19951271"), panel), "accepted");
  EXPECT_THAT(refusal_to_read(vcf("##reference=GRCh37\n", "19963748"), panel),
              HasSubstr("says build GRCh37, but its positions are those of GRCh38"));
  EXPECT_THAT(refusal_to_read(vcf("", "19963748"), panel), HasSubstr("has the positions of build GRCh38"));
  EXPECT_THAT(refusal_to_read(vcf("", "19963748"), panel), HasSubstr("fastid does not lift positions over"));
  EXPECT_EQ(refusal_to_read(vcf("", "19963748"), panel, {.ignore_build = true}), "accepted");
}

}  // namespace
}  // namespace fastid::imports
