// One allele, two and more on autosomes, X, Y and M; sexes that files state; absent sites; frequencies by
// copies.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// One character a site: P major alone, A minor alone, H both, '-' not called.
std::string seen_of(const ImportedProfiles& people, std::uint64_t profile = 0) {
  const BlocksView view = people.blocks.view();
  std::string text;
  for (std::uint32_t s = 0; s < view.shape.n_sites; ++s) {
    const Word bit = Word{1} << s % kWordBits;
    const bool minor = (view.bits_word(profile, s / kWordBits) & bit) != 0;
    const bool major = (view.major_word(profile, s / kWordBits) & bit) != 0;
    text += minor && major ? 'H' : minor ? 'A' : major ? 'P' : '-';
  }
  return text;
}

std::string all_warnings(const ImportedProfiles& people) {
  std::string text;
  for (const std::string& warning : people.warnings) text += warning + '\n';
  return text;
}

class Ploidies : public ::testing::Test {
 protected:
  /// a1..a7 on chromosome 1, p1 in PAR by position, x1, y1, m1.
  static std::vector<Site> sites() {
    std::vector<Site> all;
    for (std::uint32_t i = 1; i <= 7; ++i) all.push_back({"a" + std::to_string(i), "1", 1000 * i, 'A', 'G'});
    all.push_back({"p1", "X", 2'000'000, 'A', 'G'});
    all.push_back({"x1", "X", 50'000'000, 'A', 'G'});
    all.push_back({"y1", "Y", 20'000'000, 'A', 'G'});
    all.push_back({"m1", "M", 100, 'A', 'G'});
    return all;
  }
  static std::string place_of(const std::string& id) {
    for (const Site& site : sites())
      if (site.id == id) return site.chrom + " " + std::to_string(site.pos) + " " + id;
    return {};
  }
  static std::string record(const std::string& id, const std::string& genotypes) {
    return place_of(id) + " A G . . . GT " + genotypes;
  }
  ImportedProfiles read(const std::string& path) { return import_profiles(path, panel_, person_); }
  ImportedProfiles read_vcf(const std::string& samples, const std::vector<std::string>& records) {
    return read(folder_.write("c.vcf", vcf_text(samples, records)));
  }

  TempFolder folder_;
  const Panel panel_ = make_panel(sites(), GenomeBuild::kGRCh37);
  ImportOptions person_{.encoding = Encoding::kAlleles, .individuals = true};
};

const std::vector<std::string> kOddRecords = {"a1 0/1", "a2 1/1", "a3 0", "a4 1/.", "a5 0/0/1", "a6 0/0",
                                              "a7 0/1", "p1 1",   "x1 1", "y1 0",   "m1 1"};

TEST_F(Ploidies, OneAlleleIsACallOnXYAndMAlone) {
  std::vector<std::string> records;
  for (const std::string& text : kOddRecords) records.push_back(record(text.substr(0, 2), text.substr(3)));
  const std::string vcf =
      vcf_text("P", records, "##contig=<ID=1>\n##contig=<ID=X>\n##contig=<ID=Y>\n##contig=<ID=M>\n");
  for (const std::string& path :
       {folder_.write("c.vcf", vcf), folder_.write("c.bcf", to_bcf(folder_, vcf, "wb"))}) {
    const auto people = read(path);
    EXPECT_EQ(seen_of(people), "HA---PH-APA") << path;
    EXPECT_THAT(all_warnings(people), HasSubstr("2 genotypes of one allele at autosomal sites"));
    EXPECT_THAT(all_warnings(people), HasSubstr("(the first: record 3)"));
    EXPECT_THAT(all_warnings(people), HasSubstr("1 genotype of more than two alleles"));
    EXPECT_THAT(all_warnings(people), HasSubstr("(the first: 3 alleles, record 5)"));
  }
}

TEST_F(Ploidies, MixturesKeepEveryAllele) {
  person_.individuals = false;
  const auto people = read_vcf("P", {record("a1", "0/0/1"), record("a2", "1"), record("x1", "0/1/1")});
  EXPECT_EQ(seen_of(people), "HA------H--");
  EXPECT_THAT(people.warnings, Not(::testing::Contains(HasSubstr("alleles"))));
}

TEST_F(Ploidies, LettersAreJudgedAlike) {
  const auto people = read(
      folder_.write("p.txt",
                    "#build GRCh37\nrsid\tchromosome\tposition\tgenotype\na1\t1\t1000\tAG\na2\t1\t2000\tGG\n"
                    "a3\t1\t3000\tA\na5\t1\t5000\tAAG\na6\t1\t6000\tAA\na7\t1\t7000\tAG\np1\tX\t2000000\tG\nx"
                    "1\t23\t50000000\tG\n"
                    "y1\tY\t20000000\tA\nm1\tMT\t100\tG\n"));
  EXPECT_EQ(seen_of(people), "HA---PH-APA");
  EXPECT_THAT(all_warnings(people), HasSubstr("(the first: line 5)"));
  EXPECT_THAT(all_warnings(people), HasSubstr("(the first: 3 alleles, line 6)"));
}

TEST_F(Ploidies, ABlankAlleleOfATableIsTheOtherOne) {
  const auto people =
      read(folder_.write("t.tsv", "Marker\tAllele.1\tAllele.2\na1\tA\tG\na2\tG\t\nx1\tG\t\n"));
  EXPECT_EQ(seen_of(people), "HA------A--");
  EXPECT_THAT(people.warnings, IsEmpty());
}

TEST_F(Ploidies, AProfileOfMostlyOtherPloidiesIsRefused) {
  const std::string haploid = folder_.write(
      "h.vcf", vcf_text("P Q", {record("a1", "0/1 0"), record("a2", "0/0 1"), record("a3", "1/1 0/1")}));
  EXPECT_THAT(
      refusal_to_read(haploid, panel_, person_),
      HasSubstr("h.vcf, sample 'Q': 2 of its 3 autosomal genotypes have one allele, where a person has two"));
  const std::string tetraploid =
      folder_.write("t.vcf", vcf_text("P", {record("a1", "0/0/0/1"), record("a2", "0/1/1/1")}));
  EXPECT_THAT(refusal_to_read(tetraploid, panel_, person_),
              HasSubstr("2 of its 2 autosomal genotypes have up to 4 alleles, where"));
  person_.individuals = false;
  EXPECT_NO_THROW(read(haploid));
}

TEST_F(Ploidies, BlocksOfOneAlleleAreNoCallsOnAutosomes) {
  const auto people =
      read_vcf("P", {"1 900 . A <NON_REF> . . END=2500 GT 0", "1 2900 . A <NON_REF> . . END=6000 GT 0/0",
                     "X 49000000 . A <NON_REF> . . END=51000000 GT 0"});
  EXPECT_EQ(seen_of(people), "--PPPP--P--");
}

TEST_F(Ploidies, XAndParMatchByPosition) {
  const Panel panel = make_panel({{"s1", "X", 2'000'000, 'A', 'G'},
                                  {"s2", "PAR", 2'100'000, 'A', 'G'},
                                  {"s3", "PAR2", 154'950'000, 'A', 'G'},
                                  {"s4", "X", 50'000'000, 'A', 'G'},
                                  {"s5", "1", 1000, 'A', 'G'}},
                                 GenomeBuild::kGRCh37);
  const std::vector<std::string> places = {"2000000", "2100000", "154950000", "50000000"};
  for (const char* chrom : {"X", "chrX", "23", "XY", "25", "PAR1", "PAR"}) {
    std::vector<std::string> records = {"1 1000 . A G . . . GT 0/1"};
    for (const std::string& pos : places)
      records.push_back(std::string(chrom) + " " + pos + " . A G . . . GT 0/1");
    const auto people = read_profiles(folder_.write("c.vcf", vcf_text("P", records)), panel, person_);
    EXPECT_EQ(seen_of(people), "HHHHH") << chrom;
  }
}

/// Many sites of each class, so that X and Y speak.
class Sexes : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kAutosomal = 60, kX = 60, kY = 30, kM = 5;

  static Panel many_sites() {
    std::vector<Site> all;
    const auto add = [&all](const char* chrom, std::uint32_t n, std::uint32_t first) {
      for (std::uint32_t i = 0; i < n; ++i)
        all.push_back({chrom + ("_" + std::to_string(i)), chrom, first + 1000 * i, 'A', 'G'});
    };
    add("1", kAutosomal, 1'000'000);
    add("X", kX, 50'000'000);
    add("Y", kY, 15'000'000);
    add("M", kM, 100);
    return make_panel(std::move(all), GenomeBuild::kGRCh37);
  }
  /// A VCF record for each site but those whose genotypes are "".
  template <class Genotypes>
  std::string write(const std::string& name, const std::string& samples, const Genotypes& genotypes) {
    std::vector<std::string> records;
    for (std::uint32_t s = 0; s < panel_.n_sites(); ++s)
      if (const std::string text = genotypes(panel_.sites()[s].chrom, s); !text.empty())
        records.push_back(panel_.sites()[s].chrom + " " + std::to_string(panel_.sites()[s].pos) + " " +
                          panel_.sites()[s].id + " A G . . . GT " + text);
    return folder_.write(name, vcf_text(samples, records));
  }
  std::uint32_t called(const ImportedProfiles& people, const std::string& chrom,
                       std::uint64_t profile = 0) const {
    std::uint32_t n = 0;
    for (std::uint32_t s = 0; s < panel_.n_sites(); ++s)
      n += panel_.sites()[s].chrom == chrom && people.blocks.called(profile, s);
    return n;
  }

  TempFolder folder_;
  const Panel panel_ = many_sites();
  const ImportOptions person_{.encoding = Encoding::kAlleles, .individuals = true};
};

TEST_F(Sexes, HeterozygotesOfOneCopyAreCounted) {
  const std::string path =
      write("c.vcf", "Man Woman", [](const std::string& chrom, std::uint32_t s) -> std::string {
        if (chrom == "X") return s == kAutosomal ? "0/1 0/1" : s % 2 == 0 ? "1/1 0/1" : "0/0 0/0";
        if (chrom == "Y") return s == kAutosomal + kX ? "0/1 ./." : "0/0 ./.";
        if (chrom == "M") return s == kAutosomal + kX + kY + kM - 1 ? "0/0 0/1" : "1/1 0/0";
        return s % 3 == 0 ? "0/1 0/0" : "1/1 0/1";
      });
  const auto people = read_profiles(path, panel_, person_);
  EXPECT_EQ(people.counts.one_copy_hets, 3u);  // the man's X and Y, the woman's M
  EXPECT_THAT(describe(people.counts, panel_.n_sites()), HasSubstr("heterozygous where there is one copy 3"));
}

TEST_F(Sexes, AbsentSitesAreFilledByClassAndSex) {
  ImportOptions absent = person_;
  absent.absent_as_reference = true;
  const auto listed = [](bool man) {
    return [man](const std::string& chrom, std::uint32_t s) -> std::string {
      if (s % 3 != 0 || (chrom == "Y" && !man)) return "";
      if (chrom == "X") return man ? "1" : "0/1";
      return chrom == "Y" ? "1" : chrom == "M" ? "1" : "0/1";
    };
  };
  const auto man = read_profiles(write("m.vcf", "M", listed(true)), panel_, absent);
  EXPECT_EQ(called(man, "1"), kAutosomal);
  EXPECT_EQ(called(man, "X"), kX);
  EXPECT_EQ(called(man, "Y"), kY);
  EXPECT_EQ(called(man, "M"), kM);
  const auto woman = read_profiles(write("f.vcf", "F", listed(false)), panel_, absent);
  EXPECT_EQ(called(woman, "X"), kX);
  EXPECT_EQ(called(woman, "Y"), 0u);
  EXPECT_EQ(called(woman, "M"), kM);
}

TEST_F(Sexes, AStatedSexIsCompared) {
  std::vector<std::string> bim, genotypes;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    const Site& site = panel_.sites()[s];
    bim.push_back(site.chrom + " " + site.id + " 0 " + std::to_string(site.pos) + " G A");
    genotypes.push_back(site.chrom == "X" ? (s % 2 == 0 ? "1h" : "22") : site.chrom == "Y" ? "2." : "h2");
  }
  const std::string right = write_plink(folder_, "r", {"F M 0 0 1 -9", "F W 0 0 2 -9"}, bim, genotypes);
  EXPECT_THAT(all_warnings(import_profiles(right, panel_, person_)), Not(HasSubstr("contradict")));
  const std::string unknown = write_plink(folder_, "u", {"F M 0 0 0 -9", "F W 0 0 0 -9"}, bim, genotypes);
  EXPECT_THAT(all_warnings(import_profiles(unknown, panel_, person_)), Not(HasSubstr("contradict")));
  const std::string wrong = write_plink(folder_, "w", {"F M 0 0 2 -9", "F W 0 0 2 -9"}, bim, genotypes);
  EXPECT_THAT(import_profiles(wrong, panel_, person_).warnings,
              ElementsAre(HasSubstr(
                  "w.bed: X and Y contradict the stated sex of 1 person: 'M' (female, by X and Y male)")));
}

TEST_F(Sexes, CohortFrequenciesCountCopies) {
  // Two men and a woman; of X sites the woman is heterozygous, man 1 shows G, man 2 A.
  const std::string path =
      write("c.vcf", "M1 M2 W", [](const std::string& chrom, std::uint32_t s) -> std::string {
        if (chrom == "X") return s == kAutosomal ? "0/1 0/0 1/1" : "1/1 0/0 0/1";
        if (chrom == "Y") return "1/1 0/0 ./.";
        if (chrom == "M") return "1/1 0/0 0/0";
        return "0/1 0/0 0/1";
      });
  const PanelAndProfiles made = derive_panel_and_profiles(path, person_);
  const std::vector<double>& freq = made.panel.populations().front().minor_freq;
  EXPECT_DOUBLE_EQ(freq[0], 2.0 / 6);                       // autosomal: as it was
  EXPECT_DOUBLE_EQ(freq[kAutosomal], (2.0 + 1) / (3 + 2));  // without man 1, who is heterozygous; G is 2 of 3
  EXPECT_DOUBLE_EQ(freq[kAutosomal + 1], (2.0 + 1) / (4 + 2));  // 1 of man 1, 1 of the woman's two
  EXPECT_DOUBLE_EQ(freq[kAutosomal + kX], (1.0 + 1) / (2 + 2));
  EXPECT_DOUBLE_EQ(freq[kAutosomal + kX + kY], (1.0 + 1) / (3 + 2));
  ASSERT_TRUE(made.profiles);
  EXPECT_EQ(made.profiles->blocks.shape().n_sites, made.panel.n_sites());
}

}  // namespace
}  // namespace fastid::imports
