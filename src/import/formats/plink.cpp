#include "import/formats/plink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/formats/bed_codes.hpp"
#include "import/match/side_lists.hpp"
#include "import/sibling.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kHeaderBytes = 3;
constexpr std::string_view kPlinkNeeds = "a PLINK .bed needs its .bim and .fam beside it";
static_assert(std::endian::native == std::endian::little, "words are read as the .bed has their bytes");

Source beside_bed(const Source& bed, std::string_view suffix) {
  return sibling_of(bed, {".bed"}, suffix, kPlinkNeeds);
}

struct Person {
  std::string family, id;
  std::optional<Sex> sex;
};

/// The individuals' ids, with the family's before it where an id alone is not unique.
NamedPeople read_fam(const Source& fam) {
  std::vector<Person> people;
  read_people(fam, {6, 6, "a .fam has family, individual, father, mother, sex, phenotype"},
              [&](const Columns& columns) {
                people.push_back({std::string(columns[0]), std::string(columns[1]), parse_sex(columns[4])});
              });
  std::unordered_map<std::string_view, std::size_t> times;
  for (const Person& person : people) ++times[person.id];
  NamedPeople named;
  for (const auto& [family, id, sex] : people) named.add(times[id] == 1 ? id : family + ":" + id, sex);
  return named;
}

bool is_blank(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

std::uint64_t count_lines(const Source& source) {
  LineReader lines(source);
  std::string_view line;
  std::uint64_t count = 0;
  while (lines.next(line)) count += !is_blank(line);
  return count;
}

/// Bits 0, 2, 4 ... of `x` as bits 0, 1, 2 ...
std::uint64_t even_bits(std::uint64_t x) {
  x &= 0x5555555555555555;
  x = (x | x >> 1) & 0x3333333333333333;
  x = (x | x >> 2) & 0x0F0F0F0F0F0F0F0F;
  x = (x | x >> 4) & 0x00FF00FF00FF00FF;
  x = (x | x >> 8) & 0x0000FFFF0000FFFF;
  return (x | x >> 16) & 0x00000000FFFFFFFF;
}

/// A low bit of 0 means a copy of allele 1, a high bit of 1 a copy of allele 2; 01 (missing) means neither.
void unpack(std::span<const std::uint8_t> codes, std::size_t n_people, AlleleRow& row) {
  const auto first = row.first.words(), second = row.second.words();
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::uint64_t both[2] = {};
    const auto some = codes.subspan(i * sizeof both);
    std::memcpy(both, some.data(), std::min(sizeof both, some.size()));
    const auto [low, high] = both;
    const std::size_t people = std::min<std::size_t>(64, n_people - 64 * i);
    const std::uint64_t used = ~std::uint64_t{0} >> (64 - people);
    first[i] = ~(even_bits(low) | even_bits(high) << 32) & used;
    second[i] = (even_bits(low >> 1) | even_bits(high >> 1) << 32) & used;
  }
}

}  // namespace

PlinkReader::PlinkReader(const Source& bed)
    : name_(bed.name()),
      bim_source_(beside_bed(bed, ".bim")),
      fam_source_(beside_bed(bed, ".fam")),
      people_(read_fam(fam_source_)),
      bim_(bim_source_),
      n_variants_(count_lines(bim_source_)),
      rows_(bed, kHeaderBytes, ceil_div<std::size_t>(people_.ids.size(), 4), n_variants_,
            fmt::format("{} variants of {} people", n_variants_, people_.ids.size())),
      row_(people_.ids.size()) {}

std::vector<std::string> PlinkReader::files_of(const Source& bed) {
  return {bed.path(), beside_bed(bed, ".bim").path(), beside_bed(bed, ".fam").path()};
}

std::string PlinkReader::place(std::uint64_t number) const {
  return fmt::format("variant {} of {}", number, bim_source_.name());
}

void PlinkReader::parse_variant(std::string_view line) {
  const Columns columns =
      read_marker(line, bim_source_, bim_,
                  "a .bim has chromosome, id, centimorgans, position, allele 1, allele 2", record_);
  if (columns[0] != chromosome_) {  // most lines have the chromosome of the line before
    chromosome_ = columns[0];
    record_.chrom = normal_chromosome(chromosome_);
  }
  record_.ids = columns[1];
}

const SiteRecord* PlinkReader::next() {
  std::string_view line;
  do {
    if (!bim_.next(line)) {
      rows_.finish();
      return nullptr;
    }
  } while (is_blank(line));
  check_interrupt();
  parse_variant(line);
  if (++record_.number > n_variants_)
    throw InputError(bim_source_.name(), bim_.place(), "it grew while it was read", "try again");
  return &record_;
}

std::span<const std::uint8_t> PlinkReader::codes() {
  if (loaded_ == record_.number) return codes_;
  codes_ = rows_.row(record_.number - 1);
  const std::size_t in_last = people_.ids.size() % 4;         // people in the last byte, 0: all four
  if (in_last != 0 && codes_.back() >> (2 * in_last) != 0) {  // some programs do not clear the rest
    unpadded_.assign(codes_.begin(), codes_.end());
    unpadded_.back() &= static_cast<std::uint8_t>((1u << (2 * in_last)) - 1);
    codes_ = unpadded_;
  }
  loaded_ = record_.number;
  return codes_;
}

const AlleleRow* PlinkReader::allele_row() {
  if (decoded_ == record_.number) return &row_;
  unpack(codes(), people_.ids.size(), row_);
  decoded_ = record_.number;
  return &row_;
}

GenotypeReader::AlleleCounts PlinkReader::count_alleles() {
  return count_codes(codes(), people_.ids.size());
}

}  // namespace fastid::imports
