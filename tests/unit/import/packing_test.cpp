// Every format in every compression, whatever the file is called; damaged, cut and hostile streams.
#include <lzma.h>
#include <zstd.h>

#include "import/io/byte_stream.hpp"
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;

enum class Wrap { kNone, kGzip, kBgzip, kXz, kZstd };
constexpr Wrap kWraps[] = {Wrap::kNone, Wrap::kGzip, Wrap::kBgzip, Wrap::kXz, Wrap::kZstd};

std::string xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

class Packed : public ::testing::Test {
 protected:
  std::string wrap(std::string_view bytes, Wrap how) {
    switch (how) {
      case Wrap::kGzip:
        return pack(folder_, bytes, fastid::testing::Compression::kGzip);
      case Wrap::kBgzip:
        return pack(folder_, bytes, fastid::testing::Compression::kBgzip);
      case Wrap::kXz:
        return xz(bytes);
      case Wrap::kZstd:
        return zstd(bytes);
      case Wrap::kNone:
        break;
    }
    return std::string(bytes);
  }
  TempFolder folder_;
  const Panel panel_ = plain_panel(4);
};

TEST_F(Packed, EveryFormatInEveryCompressionReadsTheSame) {
  const std::string vcf = vcf_text(
      "P Q", {"1 101 rs1 A G . . . GT 0/0 0/1", "1 102 rs2 A G . . . GT 1/1 0/0"}, "##contig=<ID=1>\n");
  const std::string bed = read_bytes(write_plink(folder_, "set", {"F P 0 0 1 1", "F Q 0 0 1 1"},
                                                 {"1 rs1 0 101 G A", "1 rs2 0 102 G A"}, {"2h", "12"}));
  folder_.write("set.snp", "rs1 1 0 101 A G\nrs2 1 0 102 A G\n");
  folder_.write("set.ind", "P U x\nQ U x\n");
  for (const Wrap how : kWraps)
    for (const std::string& plain : {vcf, to_bcf(folder_, vcf, "wbu"), bed, std::string("21\n02\n")}) {
      const auto people = read_profiles(
          folder_.write(plain[0] == '2' ? "set.geno" : "set.bed", wrap(plain, how)), panel_, {});
      EXPECT_EQ(calls_of(people, 0), "01--") << static_cast<int>(how);
      EXPECT_EQ(calls_of(people, 1), "10--") << static_cast<int>(how);
    }
}

TEST_F(Packed, FilesThatBelongTogetherMayEachBeCompressed) {
  const std::string bed = write_plink(folder_, "set", {"F P 0 0 1 1"}, {"1 rs1 0 101 G A"}, {"h"});
  const std::string bim = read_bytes(folder_ / "set.bim"), fam = read_bytes(folder_ / "set.fam");
  const std::string packed = folder_.write("set.bed.zst", zstd(read_bytes(bed)));
  folder_.write("set.bim.xz", xz(bim));
  folder_.write("set.fam.gz", pack(folder_, fam, fastid::testing::Compression::kGzip));
  for (const char* name : {"set.bed", "set.bim", "set.fam"}) fs::remove(folder_ / name);
  EXPECT_EQ(calls_of(read_profiles(packed, panel_, {})), "1---");
}

TEST_F(Packed, CutOrDamagedStreamsAreNoticed) {
  std::string text;
  for (int i = 1; i <= 4; ++i)
    text += "rs" + std::to_string(i) + "\t1\t" + std::to_string(100 + i) + "\tAG\n";
  for (const Wrap how : {Wrap::kXz, Wrap::kZstd, Wrap::kGzip, Wrap::kBgzip}) {
    const std::string whole = wrap(text, how);
    ASSERT_EQ(refusal_to_read(folder_.write("t", whole), panel_), "accepted");
    for (std::size_t size = 0; size < whole.size(); ++size)
      ASSERT_NE(refusal_to_read(folder_.write("t", whole.substr(0, size)), panel_), "accepted")
          << static_cast<int>(how) << " cut at " << size;
  }
  std::string damaged = xz(text);
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  EXPECT_THAT(refusal_to_read(folder_.write("t", damaged), panel_), HasSubstr("damaged or truncated"));
}

TEST_F(Packed, ACompressedBedMustEndWhereItsRowsEnd) {
  const std::string bed =
      write_plink(folder_, "set", {"F P 0 0 1 1"}, {"1 rs1 0 101 G A", "1 rs2 0 102 G A"}, {"h", "2"});
  const std::string plain = read_bytes(bed);
  EXPECT_EQ(refusal_to_read(folder_.write("set.bed", xz(plain)), panel_), "accepted");
  EXPECT_THAT(refusal_to_read(folder_.write("set.bed", xz(plain + "x")), panel_), HasSubstr("is too long"));
  EXPECT_THAT(refusal_to_read(folder_.write("set.bed", xz(plain.substr(0, 4))), panel_),
              HasSubstr("is truncated: 4 bytes, but 2 variants of 1 people need 5"));
}

TEST_F(Packed, SeveralStreamsInOneFileAreOneText) {
  const std::string a = "rs1\t1\t101\tAG\n", b = "rs2\t1\t102\tAA\n";
  for (const Wrap how : {Wrap::kXz, Wrap::kZstd, Wrap::kGzip})
    EXPECT_EQ(calls_of(read_profiles(folder_.write("t", wrap(a, how) + wrap(b, how)), panel_, {})), "10--")
        << static_cast<int>(how);
}

TEST_F(Packed, AFileThatExpandsWithoutEndIsRefusedAtItsFirstLine) {
  const std::string bomb = xz(std::string(std::size_t{64} << 20, 'A'));  // 64 MiB from 10 KB
  ASSERT_LT(bomb.size(), 20000u);
  EXPECT_THAT(refusal_to_read(folder_.write("t", bomb), panel_), HasSubstr("longer than any line"));
  EXPECT_THAT(refusal_to_read(folder_.write("t", xz(xz("rs1\t1\t101\tAG\n"))), panel_),
              HasSubstr("is compressed twice"));
}

TEST_F(Packed, TheNameOfThePersonLosesBothSuffixes) {
  const std::string text = "rs1\t1\t101\tAG\n";
  EXPECT_EQ(read_profiles(folder_.write("anna.txt.xz", xz(text)), panel_, {}).ids.front(), "anna");
  EXPECT_EQ(read_profiles(folder_.write("ben.csv.zst", zstd(text)), panel_, {}).ids.front(), "ben");
}

}  // namespace
}  // namespace fastid::imports
