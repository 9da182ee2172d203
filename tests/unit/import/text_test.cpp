// 23andMe-style text: what is read, and what is refused by its name.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Text : public ::testing::Test {
 protected:
  ImportedProfiles read(std::string_view text, const Panel& panel, ImportOptions options = {}) {
    return read_profiles(folder_.write("case.snp", text), panel, options);
  }
  std::string refused(std::string_view text) {
    return refusal_to_read(folder_.write("case.snp", text), panel_);
  }
  TempFolder folder_;
  const Panel panel_ = plain_panel(5);
};

TEST_F(Text, ReadsThePlainForm) {
  const auto person = read(
      "# rsid\tchromosome\tposition\tgenotype\nrs1\t1\t101\tAA\nrs2\t1\t102\tAG\nrs3\t1\t103\t--\n"
      "rs4\t1\t104\tC\n",
      panel_);
  EXPECT_EQ(calls_of(person), "01-1-");
  EXPECT_THAT(person.ids, ElementsAre("case"));
  EXPECT_EQ(person.counts.file_sites, 4u);
  EXPECT_EQ(person.counts.matched, 4u);
  EXPECT_EQ(person.counts.flipped, 1u);
  EXPECT_EQ(person.counts.no_calls, 1u);
  EXPECT_EQ(person.counts.samples, 1u);
}

TEST_F(Text, HasTheChecksumOfItsBytes) {
  // printf 'rs1\t1\t101\tAA\n' | sha256sum
  EXPECT_EQ(read("rs1\t1\t101\tAA\n", panel_).sha256.get(),
            "ef2f14192a917be6b160ee52050c2d5d465553bcceb07a8d01b5ad5ec3b47088");
}

TEST_F(Text, ToleratesWhatEditorsAndVendorsDo) {
  const char* plain = "rs1\t1\t101\tAA\nrs2\t1\t102\tAG\n";
  const std::string expected = calls_of(read(plain, panel_));
  for (const char* text : {
           "\xEF\xBB\xBFrs1\t1\t101\tAA\r\nrs2\t1\t102\tAG\r\n",
           "rs1\t1\t101\tAA\nrs2\t1\t102\tAG",
           "rs1 1 101 AA\nrs2   1 102  AG\n",
           "rsid\tchromosome\tposition\tgenotype\nrs1\tchr1\t101\taa\nrs2\t1\t102\tga\n",
           "RSID Chromosome Position Genotype\nrs1 1 101 AA\nrs2 1 102 AG\n",
           "# c\n\n#c\nrs1\t1\t101\tA/A\n\n# later\nrs2\t1\t102\tA|G\n\n",
           "rs1\t1\t101\tAA\t\nrs2\t1\t102\tAG\t\n",
           " rs1\t1\t101\tAA\nrs2\t1\t102\tAG \n",
       })
    EXPECT_EQ(calls_of(read(text, panel_)), expected) << text;
}

TEST_F(Text, ReadsCompressedText) {
  const char* plain = "rs1\t1\t101\tAA\nrs2\t1\t102\tAG\n";
  EXPECT_EQ(calls_of(read(pack(folder_, plain, Compression::kGzip), panel_)), "01---");
  EXPECT_EQ(calls_of(read(pack(folder_, plain, Compression::kBgzip), panel_)), "01---");
  const std::string gz = folder_.write("someone.txt.gz", pack(folder_, plain, Compression::kGzip));
  EXPECT_THAT(read_profiles(gz, panel_, {}).ids, ElementsAre("someone"));
}

TEST_F(Text, TakesTheNameFromItsSampleLine) {
  EXPECT_THAT(read("#sample Jo Müller\nrs1\t1\t101\tAA\n", panel_).ids, ElementsAre("Jo Müller"));
  EXPECT_THAT(read("#sample\tX\n#sample X\nrs1\t1\t101\tAA\n", panel_).ids, ElementsAre("X"));
  EXPECT_THAT(refused("#sample A\n#sample B\nrs1\t1\t101\tAA\n"), HasSubstr("line 2: names a second person"));
  EXPECT_THAT(refused("rs1\t1\t101\tAA\n#sample B\n"), HasSubstr("line 2: names the person after"));
  EXPECT_THAT(refused("#sample \xFF\nrs1\t1\t101\tAA\n"), HasSubstr("not 1 to 255 printable bytes"));
  EXPECT_THAT(refused("#sample " + std::string(256, 'x') + "\nrs1\t1\t101\tAA\n"), HasSubstr("255"));
  EXPECT_THAT(refused("#sample a\tb\nrs1\t1\t101\tAA\n"), HasSubstr("printable"));
  EXPECT_THAT(refused("#sample \nrs1\t1\t101\tAA\n"), HasSubstr("printable"));
}

TEST_F(Text, APersonsNameIsNoGenomeBuild) {
  const Panel panel = make_panel({{"rs1", "1", 101, 'A', 'G'}}, GenomeBuild::kGRCh37);
  for (const char* name : {"B36", "hg18", "Build 38"}) {
    const std::string text = std::string("#sample ") + name + "\n# build 37\nrs1\t1\t101\tAA\n";
    EXPECT_EQ(refusal_to_read(folder_.write("case.snp", text), panel), "accepted") << name;
  }
}

TEST_F(Text, ALineIsTheOnlyOneOfItsSiteWhateverItsAlleles) {
  EXPECT_THAT(refused("rs1\t1\t101\tDI\nrs1\t1\t101\tAA\n"),
              HasSubstr("line 2: 'rs1' is given a second time"));
  EXPECT_THAT(refused("rs1\t1\t101\tAA\nrs1\t1\t101\tAC\n"), HasSubstr("after line 1"));
}

TEST_F(Text, UnknownPositionsMatchById) {
  EXPECT_EQ(calls_of(read("rs1\t--\t109\tAA\nrs2\t--\t--\tGG\nrs3\t1\t\tAG\n", panel_)), "011--");
}

TEST_F(Text, HaploidLettersAreCalls) {
  EXPECT_EQ(calls_of(read("rs1\t1\t101\tA\nrs2\t1\t102\tG\nrs3\t1\t103\t\n", panel_)), "01---");
}

TEST_F(Text, MixturesCarryEveryAlleleSeen) {
  const auto mixture =
      read("rs1\t1\t101\tAGT\nrs2\t1\t102\tAAC\nrs3\t1\t103\tAAA\nrs4\t1\t104\t---\n", panel_);
  EXPECT_EQ(calls_of(mixture), "100--");
  EXPECT_EQ(mixture.counts.unknown_alleles, 2u);
  EXPECT_EQ(mixture.counts.matched, 4u);
}

/// A table of evidence: its header and its lines, written with blanks for tabs and '_' for a blank field.
std::string table(std::string_view header, const std::vector<std::string>& lines) {
  std::string text(header);
  for (const std::string& line : lines) text += "\n" + line;
  for (char& c : text) c = c == ' ' ? '\t' : c;
  std::erase(text, '_');
  return text + "\n";
}

TEST_F(Text, AnAlleleCountsWhereItsHeightSaysSo) {
  const std::string header = "Sample.Name Marker Allele.1 Allele.2 Height.1 Height.2";
  const auto calls = [&](const std::vector<std::string>& lines) {
    return calls_of(read(table(header, lines), panel_));
  };
  EXPECT_EQ(
      calls({"X rs1 A G 500 0", "X rs2 G A 500 0", "X rs3 A G 500 480", "X rs4 A G 0 0", "X rs5 A G 0 7.5"}),
      "011-1");
  EXPECT_EQ(calls({"X rs1 A _ 500 _", "X rs2 G NA 500 NA", "X rs3 A G _ 480", "X rs4 A G NA NA"}), "011--");
  const std::string reads = "Sample Locus Allele1 Allele2 Allele3 Reads1 Reads2 Reads3";
  const auto mixture =
      read(table(reads, {"X rs1 A G T 90 0 3", "X rs2 A G T 0 12 0", "X rs3 A A NA 9 9 NA"}), panel_);
  EXPECT_EQ(calls_of(mixture), "-10--") << "T is no allele of the site";
  EXPECT_EQ(
      calls_of(read(table("Sample.Name Marker Allele.1 Allele.2 Total_Reads", {"X rs1 A G 0", "X rs2 A G 9"}),
                    panel_)),
      "-1---");
}

TEST_F(Text, HeightsAreNumbersAndOfAllAlleles) {
  EXPECT_THAT(refused(table("Marker Allele.1 Allele.2 Height.1 Height.2", {"rs1 A G tall 0"})),
              HasSubstr("line 2: height 'tall' is not a number"));
  EXPECT_THAT(refused(table("Marker Allele.1 Allele.2 Height.1 Height.2", {"rs1 A G -5 0"})),
              HasSubstr("height '-5'"));
  EXPECT_THAT(refused(table("Marker Allele.1 Allele.2 Height.1", {"rs1 A G 500"})),
              HasSubstr("has heights or reads of some alleles only"));
}

TEST_F(Text, ABlankSecondAlleleIsHomozygousInTablesOfMarkers) {
  EXPECT_EQ(
      calls_of(read(table("Sample.Name Marker Allele1 Allele2", {"X rs1 G _", "X rs2 A NA", "X rs3 _ _"}),
                    panel_)),
      "10---");
  EXPECT_EQ(
      calls_of(read(table("rsid chromosome position allele1 allele2", {"rs1 1 101 G 0", "rs2 1 102 A A"}),
                    panel_)),
      "-0---");
}

TEST_F(Text, ATableOfTheAllelesThatSitesMayHaveIsRefused) {
  const Panel panel = plain_panel(20);
  const auto lines = [](int homozygous) {
    std::vector<std::string> all;
    for (int i = 1; i <= 20; ++i)
      all.push_back("X rs" + std::to_string(i) + (i <= homozygous ? " A A" : " A G"));
    return all;
  };
  const auto refusal_of = [&](const std::vector<std::string>& all) {
    return refusal_to_read(folder_.write("t.tsv", table("Sample.Name Marker Allele.1 Allele.2", all)), panel);
  };
  EXPECT_THAT(refusal_of(lines(0)), HasSubstr("reads as heterozygous at all of its 20 sites"));
  EXPECT_EQ(refusal_of(lines(1)), "accepted");
  auto few = lines(0);
  few.pop_back();
  EXPECT_EQ(refusal_of(few), "accepted");
  std::vector<std::string> seen;
  for (const std::string& line : lines(0)) seen.push_back(line + " 500 480");
  EXPECT_EQ(refusal_to_read(
                folder_.write("t.tsv", table("Sample.Name Marker Allele.1 Allele.2 Height.1 Height.2", seen)),
                panel),
            "accepted")
      << "a stain of many people, whose heights say that they were seen";
}

TEST_F(Text, IndelsAndForeignLettersAreUnknownAlleles) {
  const auto person = read("rs1\t1\t101\tAA\nrs2\t1\t102\tDI\nrs3\t1\t103\tAC\nrs4\t1\t104\tNN\n", panel_);
  EXPECT_EQ(calls_of(person), "0----");
  EXPECT_EQ(person.counts.unknown_alleles, 3u);
  EXPECT_EQ(person.counts.matched, 1u);
  EXPECT_EQ(person.counts.no_calls, 0u);
}

TEST_F(Text, ManyIdsInOneLine) {
  EXPECT_EQ(calls_of(read("x,rs2\t1\t5000\tGG\n", panel_, {.ignore_build = true})), "-1---");
}

TEST_F(Text, NamesTheLineOfEachMistake) {
  EXPECT_THAT(refused("rs1\t1\t101\tAA\nrs2\t1\t102\n"), HasSubstr("case.snp, line 2: 3 columns where 4"));
  EXPECT_THAT(refused("rs1\t1\t101\tAA\tx\n"), HasSubstr("line 1: 5 columns where 4"));
  EXPECT_THAT(refused("rs1\t1\t1o1\tAA\n"), HasSubstr("line 1: position '1o1' is not a number"));
  EXPECT_THAT(refused("rs1\t1\t99999999999\tAA\n"), HasSubstr("position '99999999999'"));
  EXPECT_THAT(refused("rs1\t1\t101\tA?\n"), HasSubstr("line 1: the genotype is not letters"));
  EXPECT_THAT(refused("rs1\t1\t101\t12\n"), HasSubstr("line 1: alleles are coded as numbers"));
  EXPECT_THAT(refused("rs1\t1\t101\tA1\n"), HasSubstr("the genotype is not letters"));
  EXPECT_THAT(refused("rsid\tchromosome\tposition\tallele1\tallele2\nrs1\t1\t101\t1\t2\n"),
              HasSubstr("line 2: alleles are coded as numbers"));
  EXPECT_THAT(refused("rs1\t1\t101\tAAAAAAAAAAAAAAAAAAAA\n"), HasSubstr("genotype"));
  EXPECT_THAT(refused("rsid\tchromosome\tposition\tresult_x\nrs1\t1\t101\tAA\n"),
              HasSubstr("columns are not those"));
  EXPECT_THAT(refused(""), HasSubstr("is empty"));
  EXPECT_THAT(refused("# only a comment\n"), HasSubstr("holds no genotypes"));
  EXPECT_THAT(refused("rsid\tchromosome\tposition\tgenotype\n"), HasSubstr("holds no genotypes"));
  EXPECT_THAT(refused(pack(folder_, "", Compression::kGzip)), HasSubstr("empty"));
  EXPECT_THAT(refused(std::string("rs1\t1\t101\tAA\nrs2\0\t1\t102\tAA\n", 28)),
              HasSubstr("line 2: holds binary junk"));
  EXPECT_THAT(refused(std::string(3 << 20, 'A')), HasSubstr("longer than any line"));
  EXPECT_THAT(refusal_to_read("/nowhere/x.snp", panel_), HasSubstr("/nowhere/x.snp: cannot open"));
  EXPECT_THAT(refusal_to_read(folder_ / "", panel_), HasSubstr("is a folder"));
}

TEST_F(Text, RefusesLookAlikesByName) {
  EXPECT_THAT(refused("id\tchrom\tpos\tmajor\tminor\nrs1\t1\t101\tA\tG\n"), HasSubstr("--panel"));
  EXPECT_THAT(refused("  rs1  1  0.0  101 A G\n"), HasSubstr("EIGENSTRAT list of markers"));
  EXPECT_THAT(refused("rs1\t1\t0.001\t101\tA\tG\n"), HasSubstr("EIGENSTRAT list of markers"));
  EXPECT_THAT(refused("1\trs1\t0\t101\tA\tG\n"), HasSubstr(".bim"));
  EXPECT_THAT(refused("F1 I1 0 0 1 -9\n"), HasSubstr(".fam"));
  EXPECT_THAT(refused("I1 M French\n"), HasSubstr(".ind"));
  EXPECT_THAT(refused("0219\n2209\n"), HasSubstr("needs its .snp and .ind"));
  EXPECT_THAT(refused("#CHROM\tPOS\tID\tREF\tALT\n1\t5\trs1\tA\tG\n"),
              HasSubstr("VCF without its first line"));
  EXPECT_THAT(refused("[Header]\nContent\tx\n"), HasSubstr("Illumina"));
  const std::string report = "[Header]\nContent\tx\n[Data]\nSNP Name\tSample ID\t";
  EXPECT_THAT(refused(report + "Allele1 - Top\tAllele2 - Top\nrs1\tP\tA\tG\n"),
              HasSubstr("line 4: has Top alleles alone"));
  EXPECT_THAT(
      refused(report + "Allele1 - Top\tAllele2 - Top\tAllele1 - AB\tAllele2 - AB\nrs1\tP\tA\tG\tA\tB\n"),
      HasSubstr("has Top and AB alleles alone, and none on the genome's strand"));
  EXPECT_THAT(refused("SNP Name,Sample ID,Allele1 - Design,Allele2 - Design\nrs1,P,A,G\n"),
              HasSubstr("has Design alleles alone"));
  EXPECT_THAT(refused(">chr1\nACGT\n"), HasSubstr("FASTA"));
  EXPECT_THAT(refused("@HD\tVN:1.6\n@SQ\tSN:1\tLN:5\n"), HasSubstr("--reference"));
  EXPECT_THAT(refused("BZh9...."), HasSubstr("bzip2 -d"));
  EXPECT_THAT(refused("Name,Variation,Chromosome,Position,Strand,YourCode\nrs1,A/G,1,101,+,AG\n"),
              HasSubstr("line 1: is a deCODEme export"));
  EXPECT_THAT(refused("rs1 SAMPLE0 1\nrs1 SAMPLE1 2\n"), HasSubstr("is an ANCESTRYMAP .geno"));
  EXPECT_THAT(refused("%PDF-1.7\n%\xE2\xE3\n"), HasSubstr("is a PDF document"));
  EXPECT_THAT(refused("%!PS-Adobe-3.0\n"), HasSubstr("is a PostScript document"));
  EXPECT_THAT(refused("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1...."), HasSubstr("(.xls)"));
  EXPECT_THAT(refused("PK\x03\x04....[Content_Types].xml...."), HasSubstr("zip archive that is damaged"));
  EXPECT_THAT(refused("PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK"),
              HasSubstr("(.ods); save its table as text with tabs"));
  EXPECT_THAT(refused("\x89HDF\r\n\x1A\n...."), HasSubstr("HDF5"));
}

/// EuroForMix's columns, with samples in any order and markers of their own.
TEST_F(Text, ABlankSampleNameLeavesTheSampleId) {
  for (const char* columns : {"Sample ID\tSample Name", "Sample Name\tSample ID"}) {
    const bool id_first = std::string_view(columns).starts_with("Sample ID");
    const auto line = [&](const std::string& id, const std::string& name) {
      return "rs1\t" + (id_first ? id + "\t" + name : name + "\t" + id) + "\tA\tG\n";
    };
    const auto people =
        read("SNP Name\t" + std::string(columns) + "\tAllele1 - Forward\tAllele2 - Forward\n" +
                 line("D05", "") + line("D06", "NA") + line("D07", "Ann") + line("", "Bob"),
             panel_);
    EXPECT_THAT(people.ids, ElementsAre("D05", "D06", "Ann", "Bob"));
  }
}

TEST_F(Text, TablesMayHoldSeveralSamples) {
  const auto people = read(
      "Sample.Name,Marker,Allele.1,Allele.2\n"
      "one,rs1,A,G\ntwo,rs3,G,G\none,rs2,A,A\ntwo,rs1,A,\ntwo,rs2,T,C\none,rs5,C,T\n",
      panel_);
  EXPECT_THAT(people.ids, ElementsAre("one", "two"));
  EXPECT_EQ(calls_of(people, 0), "10--1");
  EXPECT_EQ(calls_of(people, 1), "011--");
  EXPECT_EQ(people.counts.samples, 2u);
  EXPECT_EQ(people.counts.matched, 4u);
  EXPECT_THAT(refused("Sample.Name,Marker,Allele.1,Allele.2\none,rs1,A,G\ntwo,rs1,A,G\none,rs1,A,A\n"),
              HasSubstr("line 4: 'rs1' of sample 'one' is given a second time, after line 2"));
}

TEST_F(Text, ReadsOfATableAreJudgedAsThoseOfAVcf) {
  const std::string_view table =
      "Sample.Name\tMarker\tAllele.1\tAllele.2\tHeight.1\tHeight.2\n"
      "s\trs1\tA\tG\t98\t2\ns\trs2\tA\tG\t99\t1\ns\trs3\tA\tG\t5\t4\ns\trs4\tA\tG\t0\t10\n";
  EXPECT_EQ(calls_of(read(table, panel_)), "1111-");
  EXPECT_EQ(calls_of(read(table, panel_, {.depths = DepthRule{.min_depth = 10, .min_fraction = 0.02}})),
            "10-1-");
  EXPECT_THAT(read("rs1\t1\t101\tAA\n", panel_, {.depths = DepthRule{}}).counts.matched, 1u);
}

TEST_F(Text, APedIsNamedHoweverLongItsLines) {
  for (const std::size_t variants : {1u, 3u, 2'000'000u}) {
    std::string line = "F1 I1 0 0 1 -9";
    for (std::size_t i = 0; i < variants; ++i) line += i % 2 == 0 ? " A G" : " 0 0";
    EXPECT_THAT(
        refusal_to_read(folder_.write("set.ped", line + "\n" + line), panel_),
        HasSubstr(
            "is a PLINK .ped, a text of pedigrees and genotypes; convert it, with its .map: plink --file"));
    EXPECT_THAT(refused("# made by\n" + line + "\n"), HasSubstr("is a PLINK .ped"));
  }
  EXPECT_THAT(refused("F1\tI1\t0\t0\t2\t1\t1\t2\t2\t2\n"), HasSubstr("is a PLINK .ped"));
}

TEST_F(Text, CannotBeAPanelsOrigin) {
  const std::string path = folder_.write("me.txt", "rs1\t1\t101\tAA\n");
  EXPECT_THAT(refusal([&] { derive_panel(path); }), HasSubstr("--panel"));
}

}  // namespace
}  // namespace fastid::imports
