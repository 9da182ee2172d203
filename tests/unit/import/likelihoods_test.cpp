// Genotype likelihoods of VCF files: which samples go by them, and what they say at each site.
#include <array>
#include <limits>

#include "import/formats/stated_likelihoods.hpp"
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;

constexpr std::string_view kFields =
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"l\">\n"
    "##FORMAT=<ID=GL,Number=G,Type=Float,Description=\"l\">\n"
    "##FORMAT=<ID=GP,Number=G,Type=Float,Description=\"l\">\n";

ImportOptions by(LikelihoodRule rule) {
  return {.encoding = Encoding::kAlleles, .individuals = true, .likelihoods = rule};
}

class LikelihoodsTest : public ::testing::Test {
 protected:
  std::string vcf(std::string_view samples, const std::vector<std::string>& records) const {
    return folder_.write("x.vcf", vcf_text(samples, records, kFields));
  }

  ImportedProfiles read(const std::string& path, std::uint32_t n_sites,
                        LikelihoodRule rule = LikelihoodRule::kAuto) const {
    return read_profiles(path, plain_panel(n_sites), by(rule));
  }

  /// Of the first sample, the greatest as 1; "-" where nothing is said.
  static std::vector<std::string> said(const ImportedProfiles& file, std::size_t sample = 0) {
    std::vector<std::string> texts(file.blocks.shape().n_sites, "-");
    if (file.likelihoods.empty() || !file.likelihoods[sample]) return {};
    const SampleLikelihoods& of = *file.likelihoods[sample];
    for (std::size_t i = 0; i < of.sites().size(); ++i) {
      char text[64];
      const auto& [a, b, c] = of.values()[i];
      std::snprintf(text, sizeof text, "%.3g %.3g %.3g", a, b, c);
      texts[of.sites()[i]] = text;
    }
    return texts;
  }

  TempFolder folder_;
};
using Texts = std::vector<std::string>;

TEST_F(LikelihoodsTest, AreByCopiesOfThePanelsMinorAllele) {
  const std::string path = vcf("s", {
                                        "1 101 rs1 A G . . . GT:PL ./.:0,10,20",
                                        "1 102 rs2 G A . . . GT:PL ./.:0,10,20",  // REF is the minor allele
                                        "1 103 rs3 T C . . . GT:PL ./.:0,10,20",  // the other strand
                                        "1 104 rs4 A T,G . . . GT:PL ./.:5,90,90,15,90,25",  // A/A, A/G, G/G
                                        "1 105 rs5 G T,A . . . GT:PL ./.:5,90,90,15,90,25",
                                        "1 106 rs6 A G . . . GT:GL ./.:-1,-2,-3",
                                        "1 107 rs7 A G . . . GT:PL:GL ./.:0,10,20:0,-5,-9",  // PL comes first
                                        "1 108 rs8 A G . . . GT:PL:GL ./.:.:0,-1,-2",
                                        "1 109 rs9 A G . . . GT:PL ./.:20,30,40",
                                    });
  EXPECT_EQ(said(read(path, 9)), (Texts{"1 0.1 0.01", "0.01 0.1 1", "1 0.1 0.01", "1 0.1 0.01", "0.01 0.1 1",
                                        "1 0.1 0.01", "1 0.1 0.01", "1 0.1 0.01", "1 0.1 0.01"}));
  EXPECT_EQ(said(read(path, 9, LikelihoodRule::kGl)),
            (Texts{"-", "-", "-", "-", "-", "1 0.1 0.01", "1 1e-05 1e-09", "1 0.1 0.01", "-"}));
}

TEST_F(LikelihoodsTest, SayNothingWhereTheyAreNotOfThreeGenotypes) {
  const std::string path = vcf("s", {
                                        "1 101 rs1 A G . . . GT:PL ./.:0,3,40",
                                        "1 102 rs2 A G . . . GT:PL 0/1:0,30",  // one copy
                                        "1 103 rs3 A G . . . GT:PL ./.:.",     // no calls either
                                        "1 104 rs4 A G . . . GT:PL 0/1:7,7,7",
                                        "1 105 rs5 A G . . . GT:PL ./.:0,.,40",
                                        "1 106 rs6 A G . . . GT:PL ./.:0,5,9,40",  // three copies
                                        "1 107 rs7 A . . . . GT:PL 0/0:0",  // nothing of the minor allele
                                        "1 108 rs8 A T,G . . . GT:PL ./.:0,3,40",  // short
                                        "1 109 rs9 A G . . . GT:GL ./.:-inf,-inf,-inf",
                                    });
  EXPECT_EQ(said(read(path, 9)), (Texts{"1 0.501 0.0001", "-", "-", "-", "-", "-", "-", "-", "-"}));
}

TEST_F(LikelihoodsTest, OfASiteWithoutThemAreItsCall) {
  const std::string path =
      vcf("s", {"1 101 rs1 A G . . . GT:PL ./.:0,10,20", "1 102 rs2 A G . . . GT:PL ./.:0,10,20",
                "1 103 rs3 A G . . . GT:PL ./.:0,10,20", "1 104 rs4 A G . . . GT 0/1",
                "1 105 rs5 A G . . . GT 1/1", "1 106 rs6 A G . . . GT:PL 0/0:.",
                "1 107 rs7 A G . . . GT:PL 1/1:0,10,20"});  // PL comes first
  EXPECT_EQ(said(read(path, 7)),
            (Texts{"1 0.1 0.01", "1 0.1 0.01", "1 0.1 0.01", "0 1 0", "0 0 1", "1 0 0", "1 0.1 0.01"}));
}

TEST_F(LikelihoodsTest, ASampleIsReadByThemWhereItIsCalledAtLessThanHalfOfTheirSites) {
  const std::string path = vcf("few half none", {"1 101 rs1 A G . . . GT:PL ./.:0,9,9 0/0:0,9,9 ./.",
                                                 "1 102 rs2 A G . . . GT:PL 0/0:0,9,9 ./.:0,9,9 ./.",
                                                 "1 103 rs3 A G . . . GT:PL ./.:0,9,9 ./.:. 0/0"});
  const ImportedProfiles file = read(path, 3);
  ASSERT_EQ(file.likelihoods.size(), 3u);
  EXPECT_TRUE(file.likelihoods[0]);
  EXPECT_FALSE(file.likelihoods[1]);
  EXPECT_FALSE(file.likelihoods[2]);
  EXPECT_EQ(calls_of(file, 1), "0--");
  const ImportedProfiles named = read(path, 3, LikelihoodRule::kPl);
  EXPECT_TRUE(named.likelihoods[1]);
  EXPECT_FALSE(named.likelihoods[2]);  // has none
  EXPECT_TRUE(read(path, 3, LikelihoodRule::kOff).likelihoods.empty());
  ImportOptions sure = by(LikelihoodRule::kAuto);
  sure.min_genotype_quality = 20;
  const std::string with_quality = folder_.write(
      "q.vcf",
      vcf_text("s",
               {"1 101 rs1 A G . . . GT:GQ:PL ./.:.:0,9,9", "1 102 rs2 A G . . . GT:GQ:PL 0/1:30:9,0,9",
                "1 103 rs3 A G . . . GT:GQ:PL ./.:.:0,9,9"},
               "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"q\">\n"));
  EXPECT_EQ(read(with_quality, 3).likelihoods.size(), 1u);
  EXPECT_TRUE(read_profiles(with_quality, plain_panel(3), sure).likelihoods.empty());
}

TEST_F(LikelihoodsTest, FilesWithoutGenotypesAreRead) {
  EXPECT_EQ(said(read(vcf("s", {"1 101 rs1 A G . . . PL 0,10,20"}), 1)), Texts{"1 0.1 0.01"});
  EXPECT_THAT(refusal_to_read(vcf("s", {"1 101 rs1 A G . . . PL 0,10,20"}), plain_panel(1)),
              HasSubstr("holds no genotypes"));
}

TEST_F(LikelihoodsTest, AFileOfHardlyAnyCallsIsNotOneOfVariantsOnly) {
  std::vector<std::string> records;
  for (int i = 1; i <= 600; ++i)
    records.push_back("1 " + std::to_string(100 + i) + " rs" + std::to_string(i) + " A G . . . GT:PL " +
                      (i % 4 == 0 ? "0/1:40,0,40" : "./.:0,3,40"));
  const std::string path = vcf("s", records);
  EXPECT_THAT(refusal_to_read(path, plain_panel(600), by(LikelihoodRule::kOff)), HasSubstr("variants only"));
  EXPECT_EQ(read(path, 600).likelihoods[0]->sites().size(), 600u);
}

TEST_F(LikelihoodsTest, OfTwoRecordsOfASiteMustAgree) {
  EXPECT_EQ(
      said(read(vcf("s", {"1 101 . A G . . . GT:PL ./.:0,10,20", "1 101 . A G . . . GT:PL ./.:0,10,20",
                          "1 102 . A G . . . GT:PL ./.:0,10,20", "1 102 . A G . . . GT:PL ./.:0,20,40",
                          "1 103 . A G . . . GT:PL ./.:.", "1 103 . A G . . . GT:PL ./.:0,10,20",
                          "1 104 . A G . . . GT:PL ./.:0,30,60", "1 104 rs4 A G . . . GT:PL ./.:0,10,20"}),
                4)),
      (Texts{"1 0.1 0.01", "-", "1 0.1 0.01", "1 0.1 0.01"}));
}

TEST_F(LikelihoodsTest, ACarrierOfAThirdAlleleSaysNothing) {
  EXPECT_EQ(said(read(vcf("s", {"1 101 . A G . . . GT:PL ./.:0,10,20", "1 101 . A T . . . GT 0/1",
                                "1 102 . A G . . . GT:PL ./.:0,10,20"}),
                      2)),
            (Texts{"-", "1 0.1 0.01"}));
}

TEST_F(LikelihoodsTest, ProbabilitiesAreReadByNameWithAWarning) {
  const std::string path = vcf("s", {"1 101 rs1 A G . . . GT:GP 0/0:0.9,0.09,0.01",
                                     "1 102 rs2 A G . . . GT:GP ./.:0,10,20",  // phred
                                     "1 103 rs3 G A . . . GT:GP ./.:0,0.2,0.8"});
  EXPECT_TRUE(read(path, 3).likelihoods.empty());
  ::testing::internal::CaptureStderr();
  const ImportedProfiles file = read(path, 3, LikelihoodRule::kGp);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("(GP) are taken for likelihoods"));
  EXPECT_EQ(said(file), (Texts{"0.9 0.09 0.01", "0.901 0.0901 0.00901", "0.8 0.2 0"}));
}

TEST_F(LikelihoodsTest, ImpossibleNumbersAreRefusedWithTheirPlace) {
  const std::string refused = refusal_to_read(
      vcf("s", {"1 101 rs1 A G . . . GT:PL ./.:0,10,20", "1 102 rs2 A G . . . GT:PL ./.:0,-3,40"}),
      plain_panel(2), by(LikelihoodRule::kAuto));
  EXPECT_THAT(refused, HasSubstr("record 2 (1:102)"));
  EXPECT_THAT(refused, HasSubstr("sample 's' has a PL that is no likelihood"));
  EXPECT_THAT(refused, HasSubstr("--likelihoods off"));
  EXPECT_THAT(refusal_to_read(vcf("s", {"1 101 rs1 A G . . . GT:GP ./.:0,-1,2"}), plain_panel(1),
                              by(LikelihoodRule::kGp)),
              HasSubstr("has a GP that is no likelihood"));
}

TEST(StatedLikelihoods, InfinitelyUnlikelyIsImpossible) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array<std::size_t, 3> kPlaces{0, 1, 2};
  const auto said = [&](std::string_view tag, std::vector<float> numbers) {
    return likelihoods_of(tag, numbers, 3, kPlaces);
  };
  EXPECT_EQ(said("GL", {0, -1, -kInfinity}), (GenotypeLikelihoods{1, .1, 0}));
  EXPECT_EQ(said("PL", {0, 10, kInfinity}), (GenotypeLikelihoods{1, .1, 0}));
  EXPECT_FALSE(informative(*said("GL", {-kInfinity, -kInfinity, -kInfinity})));
  EXPECT_FALSE(said("GL", {0, kInfinity, -1}));
  EXPECT_FALSE(said("PL", {-1, 0, 3}));
}

TEST_F(LikelihoodsTest, AFieldAskedForByNameHasToBeThere) {
  const std::string path = vcf("s", {"1 101 rs1 A G . . . GT:PL 0/0:0,10,20"});
  EXPECT_THAT(refusal_to_read(path, plain_panel(1), by(LikelihoodRule::kGl)),
              HasSubstr("holds no likelihoods (GL)"));
  EXPECT_EQ(said(read(path, 1, LikelihoodRule::kPl)), Texts{"1 0.1 0.01"});
}

TEST_F(LikelihoodsTest, OfXAndYAreLeftToCalls) {
  const Panel panel = make_panel({{"a", "1", 101, 'A', 'G'}, {"x", "X", 5000000, 'A', 'G'}});
  const std::string path =
      vcf("s", {"1 101 a A G . . . GT:PL ./.:0,10,20", "X 5000000 x A G . . . GT:PL ./.:0,10,20"});
  EXPECT_EQ(said(read_profiles(path, panel, by(LikelihoodRule::kAuto))), (Texts{"1 0.1 0.01", "-"}));
}

TEST_F(LikelihoodsTest, BcfSaysTheSame) {
  const std::string text = vcf_text("s t",
                                    {"1 101 rs1 A G . . . GT:PL:GL ./.:0,10,20:. ./.:.:-1,-2,-3",
                                     "1 102 rs2 A T,G . . . GT:PL ./.:5,90,90,15,90,25 ./.:0,30",
                                     "1 103 rs3 G A . . . GT:PL ./.:0,3,999 ./.:0,.,9"},
                                    "##contig=<ID=1>\n" + std::string(kFields));
  const ImportedProfiles as_text = read(folder_.write("x.vcf", text), 3),
                         as_bcf = read(folder_.write("x.bcf", to_bcf(folder_, text, "wb")), 3);
  ASSERT_EQ(as_text.likelihoods.size(), 2u);
  EXPECT_EQ(as_text.likelihoods, as_bcf.likelihoods);
  EXPECT_EQ(said(as_bcf, 1), (Texts{"1 0.1 0.01", "-", "-"}));
}

}  // namespace
}  // namespace fastid::imports
