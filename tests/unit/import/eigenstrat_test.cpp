// EIGENSTRAT and PACKEDANCESTRYMAP: genotypes, the three files that belong together, and what is refused.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// EIGENSOFT's hash of a list of names, from its description.
unsigned hash_of(const std::vector<std::string>& names) {
  unsigned all = 0;
  for (const std::string& name : names) {
    unsigned one = 0;
    for (const char c : name) one = one * 23 + static_cast<unsigned>(c);
    all = all * 17 ^ one;
  }
  return all;
}

class Eigenstrat : public ::testing::Test {
 protected:
  void write_lists(const std::vector<std::string>& people) {
    folder_.write("e.snp", "  rs1 1 0.0 101 A G\nrs2\t1\t0\t102\tG\tA\nrs3 1 0 103 T C\nrs4 1 0 104 A C\n");
    std::string ind;
    for (const std::string& id : people) ind += "  " + id + " U Pop\n";
    folder_.write("e.ind", ind);
  }
  std::string text(const std::string& rows) { return folder_.write("e.geno", rows); }

  /// The same rows packed; `header` replaces what belongs there.
  std::string packed(const std::vector<std::string>& rows, const std::vector<std::string>& people,
                     std::string header = "") {
    if (header.empty()) {
      char line[100];
      std::snprintf(line, sizeof line, "GENO %7zu %7zu %x %x", people.size(), rows.size(), hash_of(people),
                    hash_of({"rs1", "rs2", "rs3", "rs4"}));
      header = line;
    }
    const std::size_t size = std::max<std::size_t>(48, (people.size() + 3) / 4);
    header.resize(size);
    for (const std::string& row : rows) {
      std::string bytes(size, '\0');
      for (std::size_t i = 0; i < row.size(); ++i) {
        const unsigned code = row[i] == '9' ? 3u : static_cast<unsigned>(row[i] - '0');
        bytes[i / 4] =
            static_cast<char>(static_cast<unsigned char>(bytes[i / 4]) | code << (6 - 2 * (i % 4)));
      }
      header += bytes;
    }
    return folder_.write("p.geno", header);
  }
  std::string refused(const std::string& path) { return refusal_to_read(path, panel_); }

  TempFolder folder_;
  const Panel panel_ = plain_panel(4);
};

TEST_F(Eigenstrat, CountsCopiesOfTheReferenceAllele) {
  write_lists({"P", "Q", "R", "S"});
  const auto people = read_profiles(text("2109\n2109\n2109\n2109\n"), panel_, {});
  EXPECT_THAT(people.ids, ElementsAre("P", "Q", "R", "S"));
  // rs1: A is the reference; rs2: G; rs3: T, on the other strand A; rs4: A and C are not the panel's.
  EXPECT_EQ(calls_of(people, 0), "010-");
  EXPECT_EQ(calls_of(people, 1), "111-");
  EXPECT_EQ(calls_of(people, 2), "101-");
  EXPECT_EQ(calls_of(people, 3), "----");
  EXPECT_EQ(people.counts.flipped, 1u);
  EXPECT_EQ(people.counts.unknown_alleles, 1u);
  EXPECT_EQ(people.counts.swapped, 1u);
}

TEST_F(Eigenstrat, PackedIsTheSameWhateverTheNumberOfPeople) {
  for (const std::size_t n : {1u, 3u, 4u, 5u, 31u, 32u, 33u, 64u, 65u, 191u, 192u, 193u, 197u}) {
    std::vector<std::string> people, rows(4);
    std::string lines;
    for (std::size_t i = 0; i < n; ++i) people.push_back("P" + std::to_string(i));
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t i = 0; i < n; ++i) rows[s] += "0129"[(i * 7 + s + i * s) % 4];
      lines += rows[s] + "\n";
    }
    write_lists(people);
    const auto plain = read_profiles(text(lines), panel_, {});
    fs::copy_file(folder_ / "e.snp", folder_ / "p.snp", fs::copy_options::overwrite_existing);
    fs::copy_file(folder_ / "e.ind", folder_ / "p.ind", fs::copy_options::overwrite_existing);
    const auto bits = read_profiles(packed(rows, people), panel_, {});
    ASSERT_EQ(bits.ids, plain.ids);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(calls_of(bits, i), calls_of(plain, i)) << i << " of " << n;
  }
}

TEST_F(Eigenstrat, ChromosomesOfItsOwn) {
  folder_.write("e.snp", "a 23 0 101 A G\nb 24 0 102 A G\nc 90 0 103 A G\nd 91 0 104 A G\n");
  folder_.write("e.ind", "P M x\n");
  const Panel panel = make_panel({{"w", "X", 101, 'A', 'G'},
                                  {"x", "Y", 102, 'A', 'G'},
                                  {"y", "M", 103, 'A', 'G'},
                                  {"z", "PAR", 104, 'A', 'G'}});
  EXPECT_EQ(calls_of(read_profiles(text("0\n2\n1\n9\n"), panel, {})), "101-");
}

TEST_F(Eigenstrat, FilesOfDifferentCopiesAreNoticed) {
  const std::vector<std::string> people = {"P", "Q"};
  write_lists(people);
  EXPECT_THAT(refused(text("21\n21\n21\n2\n")),
              HasSubstr("e.geno, line 4: has 1 characters, but the .ind names 2"));
  EXPECT_THAT(refused(text("21\n21\n21\n")), HasSubstr("is truncated: no line for marker 4"));
  EXPECT_THAT(refused(text("21\n21\n21\n21\n21\n")),
              HasSubstr("line 5: has more lines than the .snp has markers"));
  EXPECT_THAT(refused(text("21\n2x\n21\n21\n")),
              HasSubstr("line 2: has a character that is not 0, 1, 2 or 9"));
  for (const char* name : {".snp", ".ind"})
    fs::copy_file(folder_ / ("e" + std::string(name)), folder_ / ("p" + std::string(name)));
  const std::vector<std::string> rows(4, "21");
  EXPECT_EQ(refused(packed(rows, people)), "accepted");
  EXPECT_EQ(refused(packed(rows, people, "GENO 2 4 0 0")), "accepted") << "a program that writes no hashes";
  EXPECT_THAT(refused(packed(rows, people, "GENO 3 4 0 0")), HasSubstr("is of 3 people and 4 markers"));
  EXPECT_THAT(refused(packed(rows, people, "GENO 2 4 1234 0")),
              HasSubstr("the people of the .ind are not those"));
  EXPECT_THAT(refused(packed(rows, people, "GENO 2 4 0 1234")),
              HasSubstr("the markers of the .snp are not those"));
  EXPECT_THAT(refused(packed(rows, people, "GENO x y")), HasSubstr("is not that of a packed .geno"));
  EXPECT_THAT(refused(packed({"21", "21", "21"}, people)), HasSubstr("is truncated"));
  EXPECT_THAT(refused(packed({"21", "21", "21", "21", "21"}, people)), HasSubstr("is too long"));
}

TEST_F(Eigenstrat, SaysWhatIsMissing) {
  const std::string path = text("21\n");
  EXPECT_THAT(refused(path), HasSubstr("e.snp: cannot open"));
  EXPECT_THAT(refused(path), HasSubstr("needs its .snp and .ind beside it"));
  folder_.write("e.snp", "rs1 1 0 101\n");
  folder_.write("e.ind", "P\n");
  EXPECT_THAT(refused(path), HasSubstr("e.ind, line 1: 1 columns where 3"));
  folder_.write("e.ind", "P U x\nQ U x\n");
  EXPECT_THAT(refused(path), HasSubstr("e.snp, line 1: 4 columns where 6"));
  EXPECT_THAT(refused(folder_ / "e.ind"), HasSubstr("give the .geno"));
  EXPECT_THAT(refused(folder_.write("t.geno", "TGENO 1 1 0 0")), HasSubstr("PACKEDANCESTRYMAP"));
}

TEST_F(Eigenstrat, ThreeFilesHaveOneChecksum) {
  folder_.write("e.snp", "rs1 1 0 101 A G\n");
  folder_.write("e.ind", "P U x\n");
  // printf '1\nrs1 1 0 101 A G\nP U x\n' | sha256sum
  EXPECT_EQ(read_profiles(text("1\n"), panel_, {}).sha256.get(),
            "fe2c8904e3f853e3117acc3e21419c0005087d8aab1aba2c4129aa9c72847135");
}

}  // namespace
}  // namespace fastid::imports
