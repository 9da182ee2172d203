// Reads and heights of alleles, beside the alleles that a file shows.
#include <string>
#include <vector>

#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::ElementsAre;

constexpr std::string_view kDepths =
    "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"d\">\n"
    "##FORMAT=<ID=MIN_DP,Number=1,Type=Integer,Description=\"d\">\n";

class SignalsTest : public ::testing::Test {
 protected:
  ImportedProfiles read(const char* name, std::string_view text, std::uint32_t n_sites) const {
    ImportOptions options{.encoding = Encoding::kAlleles, .signals = true};
    return read_profiles(folder_.write(name, text), plain_panel(n_sites), options);
  }

  /// Of a sample "major/minor" at each site; "-": nothing.
  static std::vector<std::string> said(const ImportedProfiles& file, std::size_t sample = 0) {
    std::vector<std::string> texts;
    if (file.signals.empty() || !file.signals[sample]) return texts;
    for (const AlleleSignal& at : *file.signals[sample]) {
      char text[64];
      std::snprintf(text, sizeof text, "%g/%g", at.major, at.minor);
      texts.push_back(at.total() == 0 ? "-" : text);
    }
    return texts;
  }

  TempFolder folder_;
};

TEST_F(SignalsTest, OfAVcfAreItsDepthsOnEitherStrandAndOrder) {
  const ImportedProfiles file =
      read("x.vcf",
           vcf_text("one two",
                    {"1 101 rs1 A G . . . GT:AD 0/1:30,12 0/0:40,.",
                     "1 102 rs2 G A . . . GT:AD 0/1:3,50 ./.:.", "1 103 rs3 T C . . . GT:AD 0/0:9,1 0/0:0,0",
                     "1 104 rs4 A C,G . . . GT:AD 0/2:20,5,7 0/0:1,0,0"},
                    kDepths),
           5);
  EXPECT_THAT(said(file), ElementsAre("30/12", "50/3", "9/1", "20/7", "-"));
  EXPECT_THAT(said(file, 1), ElementsAre("40/0", "-", "-", "1/0", "-"));
}

TEST_F(SignalsTest, OfAGvcfsBlockAreItsLeastDepth) {
  const ImportedProfiles file =
      read("x.vcf",
           vcf_text("one",
                    {"1 100 . A <NON_REF> . . END=102 GT:MIN_DP 0/0:17",
                     "1 103 rs3 A G,<NON_REF> . . . GT:AD 0/1:10,11,0"},
                    std::string(kDepths) + "##INFO=<ID=END,Number=1,Type=Integer,Description=\"e\">\n"),
           3);
  EXPECT_THAT(said(file), ElementsAre("17/0", "17/0", "10/11"));
}

TEST_F(SignalsTest, OfTwoRecordsOfAPositionMustAgree) {
  const ImportedProfiles file =
      read("x.vcf",
           vcf_text("one",
                    {"1 101 . A G . . . GT:AD 0/1:30,12", "1 101 . A G . . . GT:AD 0/1:30,12",
                     "1 102 . A G . . . GT:AD 0/1:30,12", "1 102 . A G . . . GT:AD 0/1:30,11"},
                    kDepths),
           2);
  EXPECT_THAT(said(file), ElementsAre("30/12", "-"));
}

TEST_F(SignalsTest, OfTablesAreHeightsOfEachSample) {
  constexpr const char* kText =
      "Sample.Name\tMarker\tAllele.1\tAllele.2\tHeight.1\tHeight.2\n"
      "one\trs1\tG\tA\t35\t29\none\trs2\tT\tC\t5.5\t0\ntwo\trs1\tA\t\t12\t\ntwo\trs3\tC\tT\t7\t8\n";
  const ImportedProfiles file = read("x.tsv", kText, 3);
  EXPECT_THAT(said(file), ElementsAre("29/35", "5.5/0", "-"));
  EXPECT_THAT(said(file, 1), ElementsAre("12/0", "-", "8/7"));
}

TEST_F(SignalsTest, AreNotThereWhereAFileHasNone) {
  const ImportedProfiles file = read("x.snp", "rs1\t1\t101\tAG\n", 1);
  ASSERT_EQ(file.signals.size(), 1u);
  EXPECT_FALSE(file.signals[0]);
  EXPECT_TRUE(read_profiles(folder_.write("y.snp", "rs1\t1\t101\tAG\n"), plain_panel(1), {}).signals.empty());
}

}  // namespace
}  // namespace fastid::imports
