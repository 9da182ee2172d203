// Files that leave out where a person is homozygous reference: told by the panel's frequencies.
#include <cmath>

#include "import/match/chance.hpp"
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;

constexpr const char* kHeader = "##INFO=<ID=END,Number=1,Type=Integer,Description=\"E\">\n";
const ImportOptions kPeople = {.individuals = true};

class VariantsOnly : public ::testing::Test {
 protected:
  /// `sites` sites of minor-allele frequency `q`; none where it is 0.
  static Panel panel_of(std::uint32_t sites, double q) {
    Panel plain = plain_panel(sites);
    if (q == 0) return plain;
    return Panel(plain.sites(), {{"cohort", std::vector<double>(sites, q)}}, GenomeBuild::kUnknown, "panel");
  }
  static std::string record(int number, const std::string& alleles, const std::string& genotypes) {
    return "1 " + std::to_string(100 + number) + " rs" + std::to_string(number) + " " + alleles +
           " . . . GT " + genotypes;
  }
  /// A person's file: so many records 0/0, then 0/1 up to `sites`.
  static std::vector<std::string> records_of(int reference, int sites) {
    std::vector<std::string> records;
    for (int i = 1; i <= sites; ++i) records.push_back(record(i, "A G", i <= reference ? "0/0" : "0/1"));
    return records;
  }
  std::string refused(const std::vector<std::string>& records, const Panel& panel,
                      const ImportOptions& options = kPeople, std::string_view people = "P") {
    return refusal_to_read(folder_.write("c.vcf", vcf_text(people, records, kHeader)), panel, options);
  }
  TempFolder folder_;
};

TEST_F(VariantsOnly, AFewReferencesDoNotHideIt) {
  const Panel panel = panel_of(1000, 0.3);
  for (const int reference : {0, 1, 50, 120}) {
    const std::string message = refused(records_of(reference, 1000), panel);
    EXPECT_THAT(message, HasSubstr("holds variants only")) << reference;
    EXPECT_THAT(message, HasSubstr("let expect 49.0 %"));
    EXPECT_THAT(message, HasSubstr("gVCF"));
    EXPECT_THAT(message, HasSubstr("--absent-as-reference"));
  }
  EXPECT_THAT(refused(records_of(1, 1000), panel), HasSubstr("1 of 1,000 calls (0.1 %)"));
  EXPECT_EQ(refused(records_of(490, 1000), panel), "accepted");
  EXPECT_EQ(refused(records_of(260, 1000), panel), "accepted") << "other people than the panel's";
  EXPECT_EQ(refused(records_of(1, 1000), panel, {.individuals = true, .absent_as_reference = true}),
            "accepted");
}

TEST_F(VariantsOnly, IsToldFromAnyNumberOfRecordsThatIsEnough) {
  EXPECT_THAT(refused(records_of(0, 50), panel_of(60, 0.3)), HasSubstr("variants only"));
  EXPECT_EQ(refused(records_of(0, 49), panel_of(60, 0.3)), "accepted") << "once in a million";
  EXPECT_THAT(refused(records_of(0, 30), panel_of(60, 0.1)), HasSubstr("variants only"));
  EXPECT_EQ(refused(records_of(30, 30), panel_of(60, 0.1)), "accepted");
}

TEST_F(VariantsOnly, WithoutFrequenciesAMinorAlleleIsAtMostHalfOfAll) {
  EXPECT_THAT(refused(records_of(0, 104), panel_of(104, 0)), HasSubstr("let expect 25.0 %"));
  EXPECT_EQ(refused(records_of(0, 103), panel_of(104, 0)), "accepted");
  EXPECT_EQ(refused(records_of(26, 104), panel_of(104, 0)), "accepted");
}

TEST_F(VariantsOnly, ThePopulationThatExpectsLeastDecides) {
  const Panel plain = plain_panel(200);
  const Panel panel(plain.sites(),
                    {{"near", std::vector<double>(200, 0.1)}, {"far", std::vector<double>(200, 0.7)}},
                    GenomeBuild::kUnknown, "panel");
  EXPECT_EQ(refused(records_of(12, 200), panel), "accepted");
  EXPECT_THAT(refused(records_of(12, 200), panel_of(200, 0.1)), HasSubstr("variants only"));
}

TEST_F(VariantsOnly, WhereTheReferenceIsMinorNothingIsSaid) {
  std::vector<std::string> records;  // A is major: that a person has two of it is listed, as a variant of G
  for (int i = 1; i <= 400; ++i) records.push_back(record(i, "G A", "1/1"));
  for (int i = 401; i <= 600; ++i) records.push_back(record(i, "A G", "0/1"));
  EXPECT_THAT(refused(records, panel_of(600, 0.3)), HasSubstr("0 of 200 calls"));
}

TEST_F(VariantsOnly, BlocksAndRecordsOfTheReferenceAloneCount) {
  auto records = records_of(0, 100);
  EXPECT_THAT(refused(records, panel_of(300, 0.3)), HasSubstr("variants only"));
  records.push_back("1 201 . A <NON_REF> . . END=300 GT 0/0");
  EXPECT_EQ(refused(records, panel_of(300, 0.3)), "accepted");
  records = records_of(0, 100);
  for (int i = 101; i <= 200; ++i) records.push_back(record(i, "A .", "0/0"));
  EXPECT_EQ(refused(records, panel_of(300, 0.3)), "accepted");
}

TEST_F(VariantsOnly, StainsAreJudgedAsOfManyPeople) {
  EXPECT_EQ(refused(records_of(0, 100), panel_of(100, 0.3), {}), "accepted") << "ten people have all alleles";
  EXPECT_THAT(refused(records_of(0, 300), panel_of(300, 0.1), {}), HasSubstr("let expect 12.2 %"));
}

TEST_F(VariantsOnly, PeopleOfOneFileAreJudgedTogether) {
  std::vector<std::string> merged;  // of two files of variants only: each has what the other lacks as ./.
  for (int i = 1; i <= 200; ++i) merged.push_back(record(i, "A G", i % 2 == 0 ? "0/1 ./." : "./. 1/1"));
  EXPECT_THAT(refused(merged, panel_of(200, 0.3), kPeople, "P Q"), HasSubstr("0 of 200 calls"));
  std::vector<std::string> hets;
  for (int i = 1; i <= 200; ++i) hets.push_back(record(i, "A G", i % 2 == 0 ? "0/1 ./." : "./. 0/1"));
  const std::string path = folder_.write("c.vcf", vcf_text("P Q", hets));
  EXPECT_THAT(refusal([&] { derive_panel_and_profiles(path, kPeople); }), HasSubstr("variants only"));
}

TEST_F(VariantsOnly, IsNoMatterOfTexts) {
  std::string text;
  for (int i = 1; i <= 200; ++i)
    text += "rs" + std::to_string(i) + "\t1\t" + std::to_string(100 + i) + "\tAG\n";
  EXPECT_EQ(refusal_to_read(folder_.write("c.txt", text), panel_of(200, 0.3), kPeople), "accepted");
}

TEST(Chance, IsHoeffdingsBound) {
  EXPECT_EQ(log10_chance(0.5, 100, 0.5), 0);
  EXPECT_EQ(log10_chance(0.6, 100, 0.5), 0);
  EXPECT_DOUBLE_EQ(log10_chance(0, 20, 0.5), 20 * std::log10(0.5));  // is then the probability itself
  EXPECT_NEAR(log10_chance(0, 3, 0.9), -3, 1e-12);
  EXPECT_NEAR(log10_chance(32.0 / 74, 74, 0.95), -33.374, 0.001);
  // 30 or fewer of 100 at p = 0.5: 3.925e-5 (binomial); the bound is above it.
  EXPECT_GT(log10_chance(0.3, 100, 0.5), std::log10(3.925e-5));
  EXPECT_LT(log10_chance(0.3, 100, 0.5), -3.5);
}

}  // namespace
}  // namespace fastid::imports
