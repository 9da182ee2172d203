// VCF and BCF: genotypes, multi-allelic and split records, sloppy files, and what is refused.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Vcf : public ::testing::Test {
 protected:
  ImportedProfiles read(std::string_view bytes, const Panel& panel, ImportOptions options = {}) {
    return read_profiles(folder_.write("case.vcf", bytes), panel, options);
  }
  /// Calls of one person whose records are given.
  std::string calls(const std::vector<std::string>& records) {
    return calls_of(read(vcf_text("P", records), panel_));
  }
  std::string refused(std::string_view bytes, ImportOptions options = {}) {
    return refusal_to_read(folder_.write("case.vcf", bytes), panel_, options);
  }
  TempFolder folder_;
  const Panel panel_ = plain_panel(4);
};

const std::vector<std::string> kThreePeople = {
    "1 101 rs1 A G . . . GT 0/0 0/1 1/1",
    "1 102 rs2 G A . . . GT 0|0 0|1 1|1",
    "1 103 rs3 A G . . . GT:DP ./.:3 0/.:. .:4",
    "1 104 rs4 T C . . . DP:GT 1:0/0 2:1/0 3:1/1",
};

TEST_F(Vcf, ReadsManySamples) {
  const auto people = read(vcf_text("P1 P2 P3", kThreePeople), panel_);
  EXPECT_THAT(people.ids, ElementsAre("P1", "P2", "P3"));
  EXPECT_EQ(calls_of(people, 0), "01-0");
  EXPECT_EQ(calls_of(people, 1), "11-1");
  EXPECT_EQ(calls_of(people, 2), "10-1");
  EXPECT_EQ(people.counts.samples, 3u);
  EXPECT_EQ(people.counts.file_sites, 4u);
  EXPECT_EQ(people.counts.matched, 4u);
  EXPECT_EQ(people.counts.flipped, 1u);
  EXPECT_EQ(people.counts.no_calls, 3u);
}

TEST_F(Vcf, EveryPackingReadsTheSame) {
  const std::string plain = vcf_text("P1 P2 P3", kThreePeople, "##contig=<ID=1>\n");
  const auto expected = read(plain, panel_);
  for (const std::string& bytes :
       {pack(folder_, plain, Compression::kGzip), pack(folder_, plain, Compression::kBgzip),
        to_bcf(folder_, plain, "wb"), to_bcf(folder_, plain, "wbu")}) {
    const auto people = read(bytes, panel_);
    EXPECT_EQ(people.ids, expected.ids);
    for (std::uint64_t p = 0; p < 3; ++p) EXPECT_EQ(calls_of(people, p), calls_of(expected, p));
  }
}

/// What a record says of the sites from its first to its last position.
class SpanningRecords : public Vcf {
 protected:
  /// Calls of each of some people, who have rs1 .. rs4 at 1:101 .. 1:104, from text and from BCF.
  std::vector<std::string> people(std::string_view genotypes, const std::vector<std::string>& records,
                                  ImportOptions options = {}) {
    options.encoding = Encoding::kAlleles;
    const std::string text = vcf_text(genotypes, records,
                                      "##contig=<ID=1>\n##ALT=<ID=DEL,Description=\"d\">\n"
                                      "##INFO=<ID=END,Number=1,Type=Integer,Description=\"e\">\n"
                                      "##INFO=<ID=SVLEN,Number=A,Type=Integer,Description=\"l\">\n");
    const ImportedProfiles plain = read(text, panel_, options);
    const ImportedProfiles binary =
        read_profiles(folder_.write("case.bcf", to_bcf(folder_, text, "wb")), panel_, options);
    counts_ = plain.counts;
    std::vector<std::string> all;
    for (std::uint64_t p = 0; p < plain.ids.size(); ++p) {
      all.push_back(letters_of(plain, p));
      EXPECT_EQ(letters_of(binary, p), all.back());
    }
    return all;
  }
  /// A character a site: 'A', 'G', 'H' for both, '-' for none.
  static std::string letters_of(const ImportedProfiles& profiles, std::uint64_t p) {
    std::string text;
    for (std::uint32_t s = 0; s < profiles.blocks.shape().n_sites; ++s) {
      const bool minor = profiles.blocks.bit(p, s);
      const bool major = (profiles.blocks.view().major_word(p, 0) >> s & 1) != 0;
      text += minor && major ? 'H' : minor ? 'G' : major ? 'A' : '-';
    }
    return text;
  }
  ImportOptions absent() const { return {.absent_as_reference = true}; }
  ImportCounts counts_;
};

TEST_F(SpanningRecords, PaddedSnpsAreThatSnp) {
  for (const char* alleles : {"100 . CA CG", "101 . ACT GCT", "99 . TCA TCG", "100 . ca cg", "101 rs1 AC GC"})
    EXPECT_THAT(people("P Q R S", {"1 " + std::string(alleles) + " . . . GT 0/0 0/1 1/1 ./."}),
                ElementsAre("A---", "H---", "G---", "----"))
        << alleles;
  EXPECT_THAT(people("P", {"1 103 rs1 AC GC . . . GT 1/1"}, {.ignore_build = true}), ElementsAre("G---"));
  EXPECT_THAT(people("P Q", {"1 101 . AC GC,<NON_REF> . . . GT 0/1 0/2"}), ElementsAre("H---", "----"));
}

TEST_F(SpanningRecords, AllelesOfOtherLengthsAreSplitOff) {
  EXPECT_THAT(people("P Q R S", {"1 104 . ACT A,GCT . . . GT 0/0 0/2 2/2 0/1"}),
              ElementsAre("---A", "---H", "---G", "----"));
  EXPECT_EQ(counts_.unknown_alleles, 0u);
  EXPECT_THAT(people("P Q", {"1 100 . CA TG,C . . . GT 0/1 1/2"}), ElementsAre("H---", "----"));
}

TEST_F(SpanningRecords, MnpsAreReadBaseByBase) {
  EXPECT_THAT(people("P Q R", {"1 101 . AAA GAG . . . GT 0/1 1/1 0/0"}), ElementsAre("HAH-", "GAG-", "AAA-"));
  EXPECT_THAT(people("P", {"1 101 . TT CC . . . GT 0/1"}), ElementsAre("HH--")) << "on the other strand";
  EXPECT_THAT(people("P Q", {"1 101 . AA GT . . . GT 0/1 0/0"}), ElementsAre("H---", "A---"))
      << "a third base";
  EXPECT_THAT(people("P", {"1 100 . CA TG . . . GT 1/1"}, absent()), ElementsAre("GAAA"));
  EXPECT_THAT(people("P", {"1 100 . CAA . . . . GT 0/0"}), ElementsAre("AA--")) << "reference alone";
}

TEST_F(SpanningRecords, NobodyIsCalledUnderADeletion) {
  for (const char* alleles : {"100 . CAAA C", "100 . CAAACC CCC", "98 . TTCAAA T"}) {
    const std::vector<std::string> records = {"1 " + std::string(alleles) + " . . . GT 0/1 1/1 0/0 ./.",
                                              "1 104 rs4 A G . . . GT 0/1 0/1 0/1 0/1"};
    EXPECT_THAT(people("P Q R S", records), ElementsAre("---H", "---H", "---H", "---H")) << alleles;
    EXPECT_THAT(people("P Q R S", records, absent()), ElementsAre("---H", "---H", "AAAH", "---H")) << alleles;
  }
}

TEST_F(SpanningRecords, DeletionsBySymbolCoverWhatFollowsThem) {
  for (const char* info : {"END=103", "SVLEN=-3", "SVLEN=3"}) {
    const std::vector<std::string> records = {
        "1 100 . N <DEL> . . " + std::string(info) + " GT 0/1 1/1 0/0 ./.",
        "1 104 rs4 A G . . . GT 0/1 0/1 0/1 0/1"};
    EXPECT_THAT(people("P Q R S", records, absent()), ElementsAre("---H", "---H", "AAAH", "---H")) << info;
  }
}

TEST_F(SpanningRecords, ARecordOfTheSiteIsHeldToThem) {
  const std::string own = "1 102 rs2 A G . . . GT 0/0 1/1 0/1 0/0";
  for (const bool own_first : {true, false}) {
    const auto read_both = [&](const std::string& other) {
      return own_first ? people("P Q R S", {own, other}) : people("P Q R S", {other, own});
    };
    EXPECT_THAT(read_both("1 100 . CCA C . . . GT 0/1 1/1 0/0 ./."),
                ElementsAre("----", "----", "-H--", "-A--"));
    EXPECT_EQ(counts_.third_alleles, 2u);
    EXPECT_THAT(read_both("1 100 . CAA TAG . . . GT 0/1 1/1 0/0 0/0"),
                ElementsAre("A---", "AG--", "AH--", "AA--"));
    EXPECT_EQ(counts_.conflicts, 1u);
    EXPECT_THAT(read_both("1 100 . CAA TAT . . . GT 0/1 0/0 0/0 0/0"),
                ElementsAre("A---", "AG--", "AH--", "AA--"));
    EXPECT_THAT(read_both("1 102 . A AT . . . GT 0/1 0/1 0/1 0/1"),
                ElementsAre("-A--", "-G--", "-H--", "-A--"));
    EXPECT_THAT(read_both("1 102 . ACC A . . . GT 0/1 0/1 0/1 0/1"),
                ElementsAre("-A--", "-G--", "-H--", "-A--"))
        << "a deletion keeps the base before it";
  }
}

TEST_F(SpanningRecords, SeveralDisagreeOnlyByTheirAlternatives) {
  const std::vector<std::string> two = {"1 100 . CA TG . . . GT 0/1 0/0 1/1 0/1",
                                        "1 101 . AA GT . . . GT 0/0 0/1 0/1 0/1"};
  EXPECT_THAT(people("P Q R S", two), ElementsAre("H---", "H---", "----", "H---"));
}

TEST_F(Vcf, GenotypesOfALowQualityAreNoCalls) {
  const std::string header =
      "##contig=<ID=1>\n##FORMAT=<ID=GQ,Number=1,Type=Float,Description=\"q\">\n"
      "##FORMAT=<ID=RGQ,Number=1,Type=Integer,Description=\"q\">\n"
      "##FORMAT=<ID=GP,Number=G,Type=Float,Description=\"p\">\n";
  const std::string text =
      vcf_text("P Q R",
               {"1 101 rs1 A G . . . GT:GQ 0/1:29.5 0/0:30 1/1:.",
                "1 102 rs2 A G . . . GT:GP 0/1:0.0005,0.999,0.0005 0/1:0.2,0.8,0 1/1:0.9995,0,0.0005",
                "1 103 rs3 A G . . . GT:GP 0/1:40,0,50 0/0:3,3,50 ./.:0,50,50",
                "1 104 rs4 A G . . . GT:RGQ 0/0:99 0/0:5 0/0:30"},
               header);
  const ImportOptions options{.min_genotype_quality = 30};
  for (const std::string& bytes : {text, to_bcf(folder_, text, "wb")}) {
    const auto people = read(bytes, panel_, options);
    EXPECT_EQ(calls_of(people, 0), "-110");
    EXPECT_EQ(calls_of(people, 1), "0---");
    EXPECT_EQ(calls_of(people, 2), "---0");
    EXPECT_EQ(calls_of(read(bytes, panel_), 1), "0100");
  }
  EXPECT_THAT(refused(vcf_text("P", {"1 101 rs1 A G . . . GT 0/1"}), options),
              HasSubstr("header: holds no qualities of genotypes (GQ, RGQ, GP)"));
  EXPECT_THAT(refusal_to_read(folder_.write("p.snp", "rs1\t1\t101\tAA\n"), panel_, options),
              HasSubstr("states no qualities of genotypes"));
}

TEST_F(Vcf, HaplotypesAreReadWithinOnePhaseSet) {
  const std::string header =
      "##contig=<ID=1>\n##contig=<ID=2>\n##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"s\">\n";
  const std::string first = "1 101 rs1 A G . . . GT:PS 0|1:7", here = "1 103 rs3 A G . . . GT:PS ";
  const ImportOptions phased{.haplotypes = true};
  const auto text = [&](const std::string& third) {
    return vcf_text(
        "P", {first, "1 102 rs2 A G . . . GT:PS 1|1:50", third, "2 104 rs9 A G . . . GT:PS 0|1:9"}, header);
  };
  EXPECT_EQ(calls_of(read(text(here + "1|0:7"), panel_, phased), 0), "011-");
  for (const char* other : {"1|0:8", "1|0:.", "1|0"})
    for (const std::string& bytes : {text(here + other), to_bcf(folder_, text(here + other), "wb")})
      EXPECT_THAT(refused(bytes, phased),
                  HasSubstr("record 3: the genotype of P is of another phase set (PS)"))
          << other;
}

TEST_F(Vcf, HaploidCallsAreCalls) {
  EXPECT_EQ(calls({"1 101 rs1 A G . . . GT 0", "1 102 rs2 A G . . . GT 1", "1 103 rs3 A G . . . GT ."}),
            "01--");
  const auto mixed = read(vcf_text("F M", {"X 101 rs1 A G . . . GT 0/1 1", "X 102 rs2 A G . . . GT 0/0 0"}),
                          make_panel({{"rs1", "X", 101, 'A', 'G'}, {"rs2", "X", 102, 'A', 'G'}}));
  EXPECT_EQ(calls_of(mixed, 0), "10");
  EXPECT_EQ(calls_of(mixed, 1), "10");
}

TEST_F(Vcf, ALeadingPhaseMarkIsRead) {  // VCF 4.4
  EXPECT_EQ(calls({"1 101 rs1 A G . . . GT |0|1", "1 102 rs2 A G . . . GT /0/0", "1 103 rs3 A G . . . GT |1",
                   "1 104 rs4 A G . . . GT /."}),
            "101-");
  EXPECT_THAT(refused(vcf_text("P", {"1 101 rs1 A G . . . GT ||1"})), HasSubstr("cannot be understood"));
}

TEST_F(Vcf, MultiAllelicRecordsAreSplit) {
  EXPECT_EQ(calls({"1 101 rs1 A G,T . . . GT 0/1"}), "1---");
  EXPECT_EQ(calls({"1 101 rs1 A T,G . . . GT 0/2"}), "1---");
  EXPECT_EQ(calls({"1 101 rs1 A T,G . . . GT 0/1", "1 102 rs2 A G . . . GT 0/0"}), "-0--");
  EXPECT_EQ(calls({"1 101 rs1 A T,G . . . GT 1/2", "1 102 rs2 A G . . . GT 0/0"}), "-0--");
  EXPECT_EQ(calls({"1 101 rs1 A G,<NON_REF> . . . GT 0/0"}), "0---");
  EXPECT_EQ(calls({"1 101 rs1 A G,* . . . GT 1/2", "1 102 rs2 A G . . . GT 0/0"}), "-0--");
  EXPECT_EQ(calls({"1 101 rs1 A AT,G . . . GT 0/2"}), "1---");
}

TEST_F(Vcf, AReferenceAloneIsMatched) {
  for (const char* alt : {".", "<NON_REF>", "<*>"}) {
    EXPECT_EQ(calls({std::string("1 101 rs1 A ") + alt + " . . . GT 0/0"}), "0---") << alt;
    EXPECT_EQ(calls({std::string("1 101 rs1 G ") + alt + " . . . GT 0/0"}), "1---") << alt;
    EXPECT_EQ(calls({std::string("1 101 rs1 C ") + alt + " . . . GT 0/0"}), "1---") << alt;
  }
}

TEST_F(Vcf, OfSplitRecordsOnlyTheOneThatFitsIsUsed) {
  for (const char* id : {"rs1", "."}) {
    const std::vector<std::string> records = {std::string("1 101 ") + id + " A C . . . GT 0/0",
                                              std::string("1 101 ") + id + " A G . . . GT 0/1",
                                              std::string("1 101 ") + id + " A AT . . . GT 0/0"};
    const auto person = read(vcf_text("P", records), panel_);
    EXPECT_EQ(calls_of(person), "1---");
    EXPECT_EQ(person.counts.unknown_alleles, 2u);
    EXPECT_EQ(person.counts.matched, 1u);
  }
}

TEST_F(Vcf, OtherAllelesAreUnknown) {
  const auto person = read(vcf_text("P", {"1 101 rs1 A C . . . GT 0/0", "1 102 rs2 AT A . . . GT 0/0",
                                          "1 103 rs3 A <DEL> . . . GT 0/0", "1 104 rs4 A G . . . GT 0/0"}),
                           panel_);
  EXPECT_EQ(calls_of(person), "---0");
  EXPECT_EQ(person.counts.unknown_alleles, 3u);
}

TEST_F(Vcf, SeveralIdsInOneRecord) {
  EXPECT_EQ(calls({"1 101 rs1;other A G . . . GT 0/1"}), "1---");
  EXPECT_EQ(calls({"1 101 other;rs1 A G . . . GT 0/1"}), "1---");
  EXPECT_EQ(calls({"1 101 other A G . . . GT 0/1"}), "1---") << "by position";
}

TEST_F(Vcf, SloppyReferencesDoNotCrash) {
  EXPECT_EQ(calls({"1 101 rs1 . G . . . GT 1/1", "1 102 rs2 N A . . . GT 1/1", "1 103 rs3 . G . . . GT 0/1",
                   "1 104 rs4 A A . . . GT 0/1"}),
            "10-0");
}

TEST_F(Vcf, RecordsWithoutGenotypesAreNotCalled) {
  EXPECT_EQ(calls({"1 101 rs1 A G . . . GT 0/1", "1 102 rs2 A G . . . DP 3"}), "1---");
}

TEST_F(Vcf, GenotypesThatAColumnEndsBeforeAreNotCalled) {
  const auto people = read(vcf_text("P Q", {"1 101 rs1 A G . . . DP:GT 3 3:0/1"}), panel_);
  EXPECT_EQ(calls_of(people, 0), "----");
  EXPECT_EQ(calls_of(people, 1), "1---");
  EXPECT_EQ(derive_panel(folder_ / "case.vcf").populations()[0].minor_freq[0], 0.5);
}

TEST_F(Vcf, RefusesFilesWithoutGenotypes) {
  EXPECT_THAT(refused("##fileformat=VCFv4.2\n#"
                      "CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t101\trs1\tA\tG\t.\t.\t.\n"),
              HasSubstr("no samples"));
  EXPECT_THAT(refused("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tP\n"
                      "1\t101\trs1\tA\tG\t.\t.\t.\tDP\t3\n"),
              HasSubstr("no genotypes (GT)"));
  EXPECT_THAT(refused(vcf_text("P", {"1 101 rs1 A G . . . DP 3"})), HasSubstr("no genotypes (GT)"));
  EXPECT_THAT(refused(vcf_text("P", {})), HasSubstr("holds no sites"));
}

TEST_F(Vcf, GenotypesThatTheHeaderDoesNotDeclareAreReadWithAWarning) {
  const std::string text =
      "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tP\tQ\n"
      "1\t101\trs1\tA\tG\t.\t.\t.\tGT\t0/0\t0/1\n1\t102\trs2\tA\tG\t.\t.\t.\tGT\t1/1\t0/0\n";
  const auto warning = HasSubstr("does not declare the genotypes (GT)");
  const auto people = import_profiles(folder_.write("case.vcf", text), panel_, {});
  EXPECT_EQ(calls_of(people, 0), "01--");
  EXPECT_THAT(people.warnings, ElementsAre(warning));
  const auto derived = derive_panel_and_profiles(folder_ / "case.vcf", {});
  ASSERT_TRUE(derived.profiles);
  EXPECT_THAT(derived.profiles->warnings, ElementsAre(warning));
  EXPECT_THAT(
      import_profiles(folder_.write("case.vcf", vcf_text("P", {"1 101 rs1 A G . . . GT 0/0"})), panel_, {})
          .warnings,
      ::testing::IsEmpty());
}

TEST_F(Vcf, RefusesMalformedRecordsWithTheirPlace) {
  EXPECT_THAT(
      refused(vcf_text("P", {"1 101 rs1 A G . . . GT 0/0", "1 102 rs2 A G . . . GT 0/7"})),
      HasSubstr(
          "case.vcf, record 2 (1:102): a genotype of 'P' names an allele that the record does not have"));
  EXPECT_THAT(refused(vcf_text("P", {"1 101 rs1 A G . . . GT 0/0", "1 102 rs2 A"})),
              HasSubstr("record 2, after 1:101"));
  EXPECT_THAT(refused(vcf_text("P", {"1 1o1 rs1 A G . . . GT 0/0"})),
              HasSubstr("case.vcf, record 1: is malformed"));
  EXPECT_EQ(refused(vcf_text("P", {"1 101 rs1 A G . . . GT 0/0", "", ""})), "accepted");
  EXPECT_THAT(refused(vcf_text("P Q", {"1 101 rs1 A G . . . GT 0/0"})), HasSubstr("record 1"));
  EXPECT_THAT(refused(vcf_text("P Q P", {"1 101 rs1 A G . . . GT 0/0 0/0 0/0"})),
              HasSubstr("two samples are called 'P'"));
  EXPECT_THAT(refused("##fileformat=VCFv4.2\n##x"), HasSubstr("header"));
  std::string with_zero = vcf_text("P", {"1 101 rs1 A G . . . GT 0/0", "1 102 rs2 A G . . X GT 0/1"});
  with_zero[with_zero.rfind('X')] = '\0';  // C strings end here: the genotype would be lost without a word
  EXPECT_THAT(refused(with_zero), HasSubstr("record 2, after 1:101: is malformed"));
}

TEST_F(Vcf, RefusesATruncatedBgzipFile) {
  const std::string whole = pack(folder_, vcf_text("P", {"1 101 rs1 A G . . . GT 0/0"}), Compression::kBgzip);
  EXPECT_THAT(refused(whole.substr(0, whole.size() - 28)), HasSubstr("end-of-file block is missing"));
}

TEST_F(Vcf, KnowsItsBuildFromTheHeader) {
  const auto with = [&](std::string_view header) {
    const Panel panel = make_panel({{"rs1", "1", 101, 'A', 'G'}}, GenomeBuild::kGRCh37);
    const std::string text = vcf_text("P", {"1 101 rs1 A G . . . GT 0/0"}, header);
    return refusal_to_read(folder_.write("case.vcf", text), panel);
  };
  EXPECT_EQ(with(""), "accepted");
  EXPECT_EQ(with("##contig=<ID=1,length=249250621>\n"), "accepted");
  EXPECT_EQ(with("##contig=<ID=chr2,length=248956422>\n"), "accepted");
  EXPECT_THAT(with("##contig=<ID=chr1,length=248956422>\n"),
              HasSubstr("is of build GRCh38, the panel of GRCh37"));
  EXPECT_THAT(with("##contig=<ID=1,length=247249719>\n"), HasSubstr("NCBI36"));
  EXPECT_THAT(with("##contig=<ID=2,assembly=b36>\n"), HasSubstr("NCBI36"));
  EXPECT_THAT(with("##reference=file:///ref/GRCh38_full_analysis_set.fa\n"), HasSubstr("GRCh38"));
  EXPECT_THAT(with("##reference=hs37d5.fa\n##contig=<ID=1,length=248956422>\n"), HasSubstr("GRCh38"));
  EXPECT_THAT(with("##reference=hg38\n"), HasSubstr("--ignore-build"));
}

}  // namespace
}  // namespace fastid::imports
