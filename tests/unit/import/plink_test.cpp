// PLINK filesets: bits, names, sizes, and what is refused.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Plink : public ::testing::Test {
 protected:
  std::string write(const std::vector<std::string>& bim, const std::vector<std::string>& genotypes) {
    std::vector<std::string> fam;
    for (std::size_t i = 0; i < genotypes.front().size(); ++i)
      fam.push_back("F" + std::to_string(i) + " P" + std::to_string(i) + " 0 0 1 -9");
    return write_plink(folder_, "set", fam, bim, genotypes);
  }
  std::string refused(const std::string& path) { return refusal_to_read(path, panel_); }
  TempFolder folder_;
  const Panel panel_ = plain_panel(4);
};

TEST_F(Plink, ReadsGenotypesWhicheverAlleleIsFirst) {
  const std::string path =
      write({"1 rs1 0 101 A G", "1 rs2 0 102 G A", "1\trs3\t0.1\t103\tT\tC", "chr1 rs4 0 104 C T"},
            {"1h2.1", "1h2.h", "1h2.2", "1h2.."});
  const auto people = read_profiles(path, panel_, {});
  EXPECT_THAT(people.ids, ElementsAre("P0", "P1", "P2", "P3", "P4"));
  EXPECT_EQ(calls_of(people, 0), "0101");
  EXPECT_EQ(calls_of(people, 1), "1111");
  EXPECT_EQ(calls_of(people, 2), "1010");
  EXPECT_EQ(calls_of(people, 3), "----");
  EXPECT_EQ(calls_of(people, 4), "011-");
  EXPECT_EQ(people.counts.flipped, 2u);
  EXPECT_EQ(people.counts.no_calls, 5u);
}

TEST_F(Plink, AllelesThatAreNotKnownLeaveTheOtherAlone) {
  const std::string path = write({"1 rs1 0 101 0 A", "1 rs2 0 102 0 G", "1 rs3 0 103 0 0", "1 rs4 0 104 0 C"},
                                 {"2.2", "2.2", "...", "2.2"});
  const auto people = read_profiles(path, panel_, {});
  EXPECT_EQ(calls_of(people, 0), "01-1");
  EXPECT_EQ(calls_of(people, 1), "----");
  EXPECT_EQ(people.counts.matched, 4u);
}

TEST_F(Plink, OtherAllelesAreUnknown) {
  const std::string path =
      write({"1 rs1 0 101 A G", "1 rs2 0 102 A C", "1 rs3 0 103 AT A", "1 rs4 0 104 I D"},
            {"11", "11", "11", "11"});
  const auto people = read_profiles(path, panel_, {});
  EXPECT_EQ(calls_of(people, 0), "0---");
  EXPECT_EQ(people.counts.unknown_alleles, 3u);
}

TEST_F(Plink, ChromosomeCodesAreNames) {
  const Panel panel =
      make_panel({{"a", "X", 5, 'A', 'G'}, {"b", "M", 6, 'A', 'G'}, {"c", "PAR", 7, 'A', 'G'}});
  const std::string path = write({"23 . 0 5 A G", "26 . 0 6 A G", "25 . 0 7 A G"}, {"1", "2", "h"});
  EXPECT_EQ(calls_of(read_profiles(path, panel, {})), "011");
}

TEST_F(Plink, APrefixLeadsToTheBed) {
  const std::string path = write({"1 rs1 0 101 A G"}, {"12"});
  EXPECT_EQ(calls_of(read_profiles(folder_ / "set", panel_, {}), 1), "1---");
  EXPECT_EQ(read_profiles(folder_ / "set", panel_, {}).sha256.get(),
            read_profiles(path, panel_, {}).sha256.get());
}

TEST_F(Plink, FamiliesTellPeopleOfOneNameApart) {
  const std::vector<std::string> bim = {"1 rs1 0 101 A G"};
  const auto ids = [&](const std::vector<std::string>& fam) {
    return read_profiles(write_plink(folder_, "fam", fam, bim, {std::string(fam.size(), '1')}), panel_, {})
        .ids;
  };
  EXPECT_THAT(ids({"F1 A 0 0 1 1", "F2\tA\t0\t0\t1\t1", "F3 B 0 0 1 1"}), ElementsAre("F1:A", "F2:A", "B"));
  EXPECT_THAT(refusal([&] { ids({"F1 A 0 0 1 1", "F1 A 0 0 1 1"}); }), HasSubstr("sample 2 ('F1:A')"));
}

TEST_F(Plink, EverySizeOfTheLastByteAndWord) {
  for (const std::size_t people : {1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 64u, 65u})
    for (const std::uint32_t sites : {1u, 31u, 32u, 33u, 65u}) {
      std::vector<std::string> bim, genotypes(sites);
      for (std::uint32_t s = 0; s < sites; ++s) {
        bim.push_back("1 rs" + std::to_string(s + 1) + " 0 " + std::to_string(101 + s) + " A G");
        for (std::size_t p = 0; p < people; ++p) genotypes[s] += "1h2."[(s * 7 + p * 3 + s * p) % 4];
      }
      const auto read = read_profiles(write(bim, genotypes), plain_panel(sites), {});
      for (std::size_t p = 0; p < people; ++p) {
        std::string expected;
        for (std::uint32_t s = 0; s < sites; ++s) {
          const char g = genotypes[s][p];
          expected += g == '1' ? '0' : g == '.' ? '-' : '1';
        }
        ASSERT_EQ(calls_of(read, p), expected) << people << " people, " << sites << " sites, person " << p;
      }
    }
}

TEST_F(Plink, ChecksTheSizeOfTheBed) {
  const std::string path = write({"1 rs1 0 101 A G", "1 rs2 0 102 A G"}, {"12h.1", "12h.1"});
  const std::string bed = read_bytes(path);
  ASSERT_EQ(bed.size(), 7u);
  folder_.write("set.bed", bed.substr(0, 6));
  EXPECT_THAT(refused(path), HasSubstr("is truncated: 6 bytes, but 2 variants of 5 people need 7"));
  folder_.write("set.bed", bed + "x");
  EXPECT_THAT(refused(path), HasSubstr("is too long: 8 bytes"));
}

TEST_F(Plink, RefusesAFamThatNamesFewerPeopleThanTheBedHolds) {
  const std::string path = write({"1 rs1 0 101 A G"}, {"12hh1"});
  folder_.write("set.fam", "F P0 0 0 1 -9\nF P1 0 0 1 -9\nF P2 0 0 1 -9\nF P3 0 0 1 -9\nF P4 0 0");
  EXPECT_THAT(refused(path), HasSubstr("set.fam, line 5: 4 columns where 6 are expected"));
}

TEST_F(Plink, BitsPastTheLastPersonAreIgnored) {
  for (const std::size_t people : {1u, 2u, 3u, 5u, 33u, 66u}) {
    std::string genotypes;
    for (std::size_t p = 0; p < people; ++p) genotypes += "1h2."[p % 4];
    const std::string path = write({"1 rs1 0 101 A G", "1 rs2 0 102 A G"}, {genotypes, genotypes});
    const auto clean = read_profiles(path, panel_, {});
    const std::string panel = people > 1 ? derive_panel(path).sha256() : "";
    std::string bed = read_bytes(path);
    bed.back() = static_cast<char>(static_cast<unsigned>(bed.back()) | 0xFFu << (2 * (people % 4)));
    folder_.write("set.bed", bed);
    const auto padded = read_profiles(path, panel_, {});
    for (std::size_t p = 0; p < people; ++p) EXPECT_EQ(calls_of(padded, p), calls_of(clean, p));
    if (people > 1) {
      EXPECT_EQ(derive_panel(path).sha256(), panel);
      const auto once = derive_panel_and_profiles(path, {});
      ASSERT_TRUE(once.profiles);
      EXPECT_EQ(calls_of(*once.profiles, people - 1),
                calls_of(read_profiles(path, once.panel, {}), people - 1));
    }
  }
}

TEST_F(Plink, RefusesWhatIsNoFileset) {
  const std::string path = write({"1 rs1 0 101 A G"}, {"12"});
  const std::string bed = read_bytes(path);
  EXPECT_THAT(refused(folder_ / "set.bim"), HasSubstr("give the .bed"));
  EXPECT_THAT(refused(folder_ / "set.fam"), HasSubstr("give the .bed"));
  folder_.write("set.bed", std::string("\x6C\x1B\x00\xFF", 4));
  EXPECT_THAT(refused(path), HasSubstr("plink --make-bed"));
  folder_.write("set.bed", bed);
  folder_.write("set.fam", "");
  EXPECT_THAT(refused(path), HasSubstr("set.fam: names no people"));
  folder_.write("set.fam", "F1\n");
  EXPECT_THAT(refused(path), HasSubstr("set.fam, line 1: 1 columns where 6 are expected"));
  fs::remove(folder_ / "set.fam");
  EXPECT_THAT(refused(path), HasSubstr("set.fam: cannot open"));
  fs::remove(folder_ / "set.bim");
  EXPECT_THAT(refused(path), HasSubstr("set.bim: cannot open"));
}

TEST_F(Plink, NamesTheLineOfEachMistakeInTheBim) {
  const auto bim = [&](const std::string& line) { return refused(write({line}, {"12"})); };
  EXPECT_EQ(bim("1 rs1 0 101 A G"), "accepted");
  EXPECT_EQ(bim("1 rs1 0 -101 A G"), "accepted");
  EXPECT_THAT(bim("1 rs1 0 101 A"), HasSubstr("set.bim, line 1: 5 columns where 6"));
  EXPECT_THAT(bim("1 rs1 0 1e2 A G"), HasSubstr("line 1: position '1e2'"));
  EXPECT_THAT(bim("1 rs1 0 99999999999 A G"), HasSubstr("position"));
  for (const char* alleles : {"1 2", "2 1", "0 2", "4 3"})
    EXPECT_THAT(bim(std::string("1 rs1 0 101 ") + alleles),
                HasSubstr("line 1: its alleles are coded as numbers"));
  EXPECT_EQ(refused(write({"1 rs1 0 101 A G", "1 rs2 0 102 0 0"}, {"12", ".."})), "accepted");
}

TEST_F(Plink, CannotComeThroughAPipe) {
  const std::string path = write({"1 rs1 0 101 A G"}, {"12"});
  const std::string fifo = folder_ / "pipe";
  ASSERT_EQ(std::system(("mkfifo " + fifo + " && (cat " + path + " > " + fifo + " &)").c_str()), 0);
  EXPECT_THAT(refused(fifo), HasSubstr("give the path of the .bed"));
}

}  // namespace
}  // namespace fastid::imports
