// Bytes that no honest program wrote: cut files, flipped bytes, junk. Each ends well or with an InputError
// that names the file; the sanitizers watch that nothing is read past its end.
#include <functional>
#include <random>

#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;

constexpr std::size_t kCuts = 20;

std::string forty_records() {
  std::vector<std::string> records;
  for (int i = 1; i <= 40; ++i)
    records.push_back("1 " + std::to_string(100 + i) + " rs" + std::to_string(i) + " A G . . . GT:DP 0/0:1" +
                      " 0/1:2");
  return vcf_text("P Q", records, "##contig=<ID=1>\n");
}

std::string forty_lines() {
  std::string text = "# build 37\n";
  for (int i = 1; i <= 40; ++i)
    text += "rs" + std::to_string(i) + "\t1\t" + std::to_string(100 + i) + "\tAG\n";
  return text;
}

class Hostile : public ::testing::Test {
 protected:
  /// What becomes of a file of these bytes: "accepted", or an error that names it.
  std::string outcome(std::string_view bytes) {
    const std::string path = folder_.write("hostile", bytes);
    const std::string said = refusal_to_read(path, panel_);
    if (said != "accepted") {
      EXPECT_THAT(said, HasSubstr("hostile"));
    }
    refusal([&] { derive_panel(path); });
    return said;
  }
  /// Cuts at 20 places; none but those that `may_pass` allows is accepted.
  void cut(const std::string& whole, const std::function<bool(std::string_view)>& may_pass) {
    EXPECT_EQ(outcome(whole), "accepted");
    for (std::size_t i = 0; i < kCuts; ++i) {
      const std::string part = whole.substr(0, whole.size() * i / kCuts);
      if (!may_pass(part)) {
        EXPECT_NE(outcome(part), "accepted") << "cut at byte " << part.size() << " of " << whole.size();
      } else {
        outcome(part);
      }
    }
  }
  void flip_bytes(const std::string& whole) {
    std::mt19937 random(20190520);
    for (int i = 0; i < 80; ++i) {
      std::string damaged = whole;
      for (int flips = 0; flips < 3; ++flips)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      outcome(damaged);
    }
  }
  TempFolder folder_;
  const Panel panel_ = plain_panel(40);
};

bool never(std::string_view) {
  return false;
}
bool always(std::string_view) {
  return true;
}

TEST_F(Hostile, CutPackedFilesAreAlwaysNoticed) {
  cut(pack(folder_, forty_records(), Compression::kBgzip), never);
  cut(pack(folder_, forty_records(), Compression::kGzip), never);
  cut(to_bcf(folder_, forty_records(), "wb"), never);
  cut(pack(folder_, forty_lines(), Compression::kBgzip), never);
  cut(pack(folder_, forty_lines(), Compression::kGzip), never);
}

TEST_F(Hostile, CutPlainFilesNeverCrash) {
  cut(forty_records(),
      always);  // a plain text cut between lines, or within the last genotype, is whole to any reader
  cut(forty_lines(), always);
  cut(to_bcf(folder_, forty_records(), "wbu"), always);
}

TEST_F(Hostile, CutPlinkFilesAreAlwaysNoticed) {
  std::vector<std::string> bim;
  for (int i = 1; i <= 40; ++i)
    bim.push_back("1 rs" + std::to_string(i) + " 0 " + std::to_string(100 + i) + " A G");
  const std::string path =
      write_plink(folder_, "p", {"F P 0 0 1 1", "F Q 0 0 1 1", "F R 0 0 1 1", "F S 0 0 1 1", "F T 0 0 1 1"},
                  bim, std::vector<std::string>(40, "12h.1"));
  EXPECT_EQ(refusal_to_read(path, panel_), "accepted");
  for (const char* suffix : {".bed", ".bim", ".fam"}) {
    const std::string whole = read_bytes(folder_ / ("p" + std::string(suffix)));
    for (std::size_t i = 0; i < kCuts; ++i) {
      folder_.write("p" + std::string(suffix), whole.substr(0, whole.size() * i / kCuts));
      const std::string said = refusal_to_read(path, panel_);
      // A .fam that loses the end of its last line, or one person of five (two bytes a variant still), is not
      // noticed.
      if (std::string_view(suffix) != ".fam") {
        EXPECT_THAT(said, HasSubstr("/p.b")) << suffix << " cut at " << i;
      }
    }
    folder_.write("p" + std::string(suffix), whole);
  }
}

TEST_F(Hostile, DamagedBytesNeverCrash) {
  flip_bytes(forty_records());
  flip_bytes(forty_lines());
  flip_bytes(pack(folder_, forty_records(), Compression::kBgzip));
  flip_bytes(pack(folder_, forty_lines(), Compression::kGzip));
  flip_bytes(to_bcf(folder_, forty_records(), "wb"));
  flip_bytes(to_bcf(folder_, forty_records(), "wbu"));
}

TEST_F(Hostile, SizesThatAHeaderNamesAreNotBelieved) {
  const std::string header = vcf_text("P", {}, "##contig=<ID=1>\n");
  const auto number = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), 4);
  };
  const std::string bcf =
      std::string("BCF\2\2", 5) + number(static_cast<std::uint32_t>(header.size())) + header;
  EXPECT_THAT(outcome(std::string("BCF\2\2", 5) + number(0xFFFFFFFF) + header), HasSubstr("header"));
  EXPECT_THAT(outcome(std::string("BCF\2\2", 5) + number(0x0FFFFFFF) + header), HasSubstr("header"));
  EXPECT_THAT(outcome(bcf + number(0xFFFFFFFF) + number(0xFFFFFFFF) + "x"), HasSubstr("record 1"));
  EXPECT_THAT(outcome(bcf + number(24) + number(0) + std::string(24, '\xFF')), HasSubstr("record 1"));
  const std::string far = vcf_text("P", {"1 101 rs1 A G . . . GT 0/0"}, "##contig=<ID=1,IDX=2000000000>\n");
  EXPECT_THAT(outcome(far), HasSubstr("header"));
  EXPECT_THAT(outcome(std::string("\x6C\x1B\x01", 3)), HasSubstr("needs its .bim and .fam"));
}

TEST_F(Hostile, JunkIsRefused) {
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    std::string junk(1 + random() % 3000, '\0');
    for (char& c : junk) c = static_cast<char>(random());
    EXPECT_NE(outcome(junk), "accepted");
    EXPECT_NE(outcome("##fileformat=VCFv4.2\n" + junk), "accepted");
    EXPECT_NE(outcome(std::string("\x6C\x1B\x01", 3) + junk), "accepted");
    EXPECT_NE(outcome(std::string("BCF\2\2", 5) + junk), "accepted");
    EXPECT_NE(outcome("\x1F\x8B\x08" + junk), "accepted");
  }
  EXPECT_THAT(outcome(std::string("\0\1\2\3", 4)), HasSubstr("binary junk"));
}

}  // namespace
}  // namespace fastid::imports
