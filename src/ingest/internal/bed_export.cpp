// Sites are rows of a .bed and profiles are rows of a block, so parts of the profiles are turned, and each
// gives a piece of every row.
#include "ingest/internal/bed_export.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"

namespace fastid::ingest {
namespace {

constexpr std::string_view kBedMagic("\x6c\x1b\x01", 3);
constexpr std::uint64_t kProfilesInByte = 4;
static_assert(std::endian::native == std::endian::little, "codes are written as the .bed has their bytes");

/// The codes of one site of the profiles of a block.
using Codes = std::uint64_t;
static_assert(sizeof(Codes) == kLanes / kProfilesInByte);

/// Bit i of `x` as bit 2i.
Codes spread(Word x) {
  Codes bits = x;
  bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
  bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
  bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

class Target {
 public:
  explicit Target(const std::string& path) : path_(path), file_(path) {}

  void write(const void* from, std::size_t bytes) {
    if (!write_all(file_.descriptor(), from, bytes)) refuse();
  }
  void write(std::string_view text) { write(text.data(), text.size()); }
  void go_to(std::uint64_t at) {
    if (::lseek(file_.descriptor(), static_cast<off_t>(at), SEEK_SET) < 0) refuse();
  }
  StagedFile& file() { return file_; }

 private:
  [[noreturn]] void refuse() const {
    throw Failure(fmt::format("{}: cannot write: {}", path_, errno_text(errno)));
  }

  std::string path_;
  StagedFile file_;
};

/// The name that PLINK gives a chromosome.
std::string_view plink_chromosome(const std::string& chrom) {
  if (chrom == "M") return "MT";
  if (chrom == "PAR") return "XY";
  return chrom;
}

std::string bim_text(const Panel& panel) {
  std::string text;
  for (const Site& site : panel.sites())
    text += fmt::format("{}\t{}\t0\t{}\t{}\t{}\n", plink_chromosome(site.chrom), site.id, site.pos,
                        site.minor, site.major);
  return text;
}

std::string fam_line(const std::string& id, const std::string& database) {
  if (id == "0" || id.front() == '#' || id.find_first_of(" \t") != std::string::npos)
    throw InputError(database, fmt::format("profile '{}'", printable(id)),
                     "its id cannot stand in a .fam: a blank ends it, '#' begins a header, and 0 means none",
                     "leave it out by --profile, or say --format vcf");
  return fmt::format("0\t{}\t0\t0\t0\t-9\n", id);
}

/// The codes of a part: [site][block].
class CodeTable {
 public:
  explicit CodeTable(const BlocksView& part)
      : blocks_(part.shape.n_blocks()), codes_(rows_of(part) * blocks_) {
    for (std::size_t block = 0; block < blocks_; ++block)
      for (std::size_t word = 0; word < part.shape.n_words(); ++word) turn(part, block, word);
  }

  const Codes* row(std::size_t site) const { return codes_.data() + site * blocks_; }

 private:
  static std::size_t rows_of(const BlocksView& part) { return part.shape.n_words() * kWordBits; }

  void turn(const BlocksView& part, std::size_t block, std::size_t word) {
    const std::size_t first = block * kLanes,
                      lanes = std::min<std::size_t>(kLanes, part.shape.n_profiles - first);
    std::array<Word, kLanes> minor{}, major{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      minor[lane] = part.bits_word(first + lane, word);
      major[lane] = part.major_word(first + lane, word);
    }
    transpose32(minor.data());
    transpose32(major.data());
    const Word used = sites_mask(static_cast<std::uint32_t>(lanes), 0);
    for (std::size_t s = 0; s < kWordBits; ++s)
      codes_[(word * kWordBits + s) * blocks_ + block] = spread(~minor[s] & used) | spread(major[s]) << 1;
  }

  std::size_t blocks_;
  std::vector<Codes> codes_;
};

void write_codes(const BitBlocks& part, std::uint64_t first, std::uint64_t row_bytes, Target& bed) {
  const CodeTable table(part.view());
  const auto bytes = static_cast<std::size_t>(ceil_div(part.shape().n_profiles, kProfilesInByte));
  for (std::uint32_t site = 0; site < part.shape().n_sites; ++site) {
    bed.go_to(kBedMagic.size() + site * row_bytes + first / kProfilesInByte);
    bed.write(table.row(site), bytes);
    check_interrupt();
  }
}

}  // namespace

std::vector<std::string> bed_files(const std::string& output) {
  std::string prefix = output;
  if (prefix.ends_with(".bed")) prefix.resize(prefix.size() - 4);
  return {prefix + ".fam", prefix + ".bim", prefix + ".bed"};
}

void export_bed(const std::string& name, const Panel& panel, const Selection& selection,
                const std::string& output) {
  if (selection.shape().encoding == Encoding::kMinor)
    throw InputError(
        name, "", "does not hold the number of copies of an allele, and a .bed has no place to say so",
        "say --format vcf, or build the database from its inputs once more: `fastid db convert`");
  const std::vector<std::string> paths = bed_files(output);
  Target fam(paths[0]), bim(paths[1]), bed(paths[2]);
  bim.write(bim_text(panel));
  bed.write(kBedMagic);
  const std::uint64_t row_bytes = ceil_div(selection.shape().n_profiles, kProfilesInByte);
  selection.for_each_part([&](std::uint64_t first, const BitBlocks& part) {
    std::string lines;
    for (const std::string& id : selection.ids(first, part.shape().n_profiles)) lines += fam_line(id, name);
    fam.write(lines);
    write_codes(part, first, row_bytes, bed);
  });
  StagedFile* const files[] = {&fam.file(), &bim.file(), &bed.file()};
  StagedFile::commit_together(files);
}

}  // namespace fastid::ingest
