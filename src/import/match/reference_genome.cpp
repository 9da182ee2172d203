#include "import/match/reference_genome.hpp"

#include <fmt/format.h>
#include <htslib/faidx.h>
#include <htslib/hts.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "import/io/hts_handle.hpp"
#include "panel/panel.hpp"

namespace fastid::imports {
namespace {

struct CloseIndex {
  void operator()(faidx_t* index) const { fai_destroy(index); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

/// Whether a sequence begins after a line's end, has lines as long as the index says, and ends where another
/// sequence or the file ends. \param numbers  of the index's line: from place 1 on the number of bases, the
/// offset, and the bases and bytes of a line
bool fits(std::ifstream& fasta, const std::array<std::uint64_t, 5>& numbers) {
  const auto [unused, bases, offset, in_line, line] = numbers;
  const auto at = [&fasta](std::uint64_t place) {
    fasta.clear();
    fasta.seekg(static_cast<std::streamoff>(place));
    return fasta.get();
  };
  const auto is_end = [](int c) { return c == '\n' || c == '\r'; };
  constexpr int kNothing = std::ifstream::traits_type::eof();
  if (bases == 0) return true;
  if (offset == 0 || at(offset - 1) != '\n') return false;
  const std::uint64_t last = offset + (bases - 1) / in_line * line + (bases - 1) % in_line;
  if (last < offset || last > INT64_MAX - 1 || at(last) == kNothing || is_end(at(last))) return false;
  if (bases > in_line && (is_end(at(offset + in_line - 1)) || !is_end(at(offset + in_line)))) return false;
  int next = at(last + 1);
  while (is_end(next)) next = fasta.get();
  return next == kNothing || next == '>';
}

/// Checks the index before htslib uses it, which divides by its line lengths. \throws InputError
void check_index(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
  constexpr std::size_t kColumns = 5;  // name, bases, where they begin, bases and bytes of a line
  std::error_code none;                // htslib says that there is no index
  const std::string index = path + ".fai";
  if (!std::filesystem::exists(index, none)) return;
  const std::string text = read_regular_file(index, kMostBytes);
  std::ifstream fasta(path, std::ios::binary);
  const bool plain = fasta.peek() == '>';  // else compressed
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    std::array<std::uint64_t, kColumns> numbers{};
    bool sound = columns.size() >= kColumns;
    for (std::size_t i = 1; sound && i < kColumns; ++i) {
      const auto value = parse_number<std::uint64_t>(trim(columns[i]));
      sound = value && *value <= INT64_MAX;
      if (sound) numbers[i] = *value;
    }
    if (!sound || (numbers[1] > 0 && numbers[3] == 0) || numbers[4] < numbers[3])
      throw InputError(index, fmt::format("line {}", number), "is not what samtools writes",
                       "make it anew: samtools faidx " + path);
    if (plain && !fits(fasta, numbers))
      throw InputError(index, fmt::format("line {}", number),
                       "is not of this file as it is now: the FASTA has changed since",
                       "make it anew: samtools faidx " + path);
  }
}

}  // namespace

struct ReferenceGenome::Impl {
  std::string path;
  std::unique_ptr<faidx_t, CloseIndex> index;
  std::map<std::string, std::string, std::less<>> names;  ///< normal_chromosome() -> as the file has it
};

ReferenceGenome::ReferenceGenome(const std::string& path) : impl_(std::make_unique<Impl>()) {
  hts::silence();
  open_regular(path);  // reports why it cannot be read
  check_regular(path + ".gzi");
  impl_->path = path;
  check_index(path);
  const std::string absolute = std::filesystem::absolute(path);  // never taken for a network address
  impl_->index.reset(fai_load3(absolute.c_str(), nullptr, nullptr, 0));
  if (!impl_->index)
    throw InputError(path, "", "is no FASTA file with an index beside it",
                     "make one: samtools faidx " + path);
  for (int i = 0; i < faidx_nseq(impl_->index.get()); ++i) {
    const char* name = faidx_iseq(impl_->index.get(), i);
    impl_->names.try_emplace(normal_chromosome(name), name);
  }
}

ReferenceGenome::~ReferenceGenome() = default;

std::string ReferenceGenome::bases(std::string_view chrom, std::uint32_t first, std::uint32_t last) {
  const auto name = impl_->names.find(place_chromosome(chrom));
  if (name == impl_->names.end() || first == 0 || last < first) return {};
  hts_pos_t length = 0;
  const std::unique_ptr<char, FreeText> text(faidx_fetch_seq64(
      impl_->index.get(), name->second.c_str(), hts_pos_t{first} - 1, hts_pos_t{last} - 1, &length));
  if (length == -1)
    throw InputError(impl_->path, name->second, "cannot be read", "restore it and its index from one copy");
  if (!text || length < 0) return {};
  std::string bases = ascii_upper({text.get(), static_cast<std::size_t>(length)});
  for (char& base : bases)
    if (complement(base) == 0) base = 'N';
  return bases;
}

std::string ReferenceGenome::name(std::string_view chrom) const {
  const auto name = impl_->names.find(place_chromosome(chrom));
  return name == impl_->names.end() ? "" : name->second;
}

std::string ReferenceGenome::md5(std::string_view chrom) const {
  const std::string name = this->name(chrom);
  if (name.empty()) return {};
  hts_pos_t length = 0;
  const std::unique_ptr<char, FreeText> text(
      faidx_fetch_seq64(impl_->index.get(), name.c_str(), 0, HTS_POS_MAX, &length));
  if (!text || length < 0)
    throw InputError(impl_->path, name, "cannot be read", "restore it and its index from one copy");
  const std::string bases = ascii_upper({text.get(), static_cast<std::size_t>(length)});
  const std::unique_ptr<hts_md5_context, decltype(&hts_md5_destroy)> md5(hts_md5_init(), hts_md5_destroy);
  if (!md5) throw std::bad_alloc();
  hts_md5_update(md5.get(), bases.data(), bases.size());
  constexpr std::size_t kBytes = 16, kDigits = 2 * kBytes;
  std::array<unsigned char, kBytes> digest{};
  std::array<char, kDigits + 1> hex{};
  hts_md5_final(digest.data(), md5.get());
  hts_md5_hex(hex.data(), digest.data());
  return {hex.data(), kDigits};
}

std::uint64_t ReferenceGenome::length(std::string_view chrom) const {
  const auto name = impl_->names.find(place_chromosome(chrom));
  if (name == impl_->names.end()) return 0;
  const int length = faidx_seq_len(impl_->index.get(), name->second.c_str());
  return length < 0 ? 0 : static_cast<std::uint64_t>(length);
}

char ReferenceGenome::base(std::string_view chrom, std::uint32_t pos) {
  const std::string bases = this->bases(chrom, pos, pos);
  return bases.size() != 1 || bases[0] == 'N' ? char{0} : bases[0];
}

}  // namespace fastid::imports
