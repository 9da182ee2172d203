#include "import/plink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "import/file_alleles.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kHeaderBytes = 3;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kPeopleInWord = 32;  ///< two bits each of a 64-bit word
constexpr std::uint64_t kLowBits = 0x5555555555555555;
static_assert(std::endian::native == std::endian::little, "words are read as the .bed has their bytes");
constexpr unsigned kMissing = 1, kHet = 2, kHomSecond = 3;  // of the two bits; 0: two copies of allele 1

/// The file beside the .bed.
Source sibling(const Source& bed, std::string_view suffix) {
  if (bed.from_pipe())
    throw InputError(bed.name(), "", "is a PLINK .bed, whose .bim and .fam are not piped with it",
                     "give the path of the .bed");
  std::string prefix = bed.path();
  if (prefix.ends_with(".bed")) prefix.resize(prefix.size() - 4);
  try {
    Source beside(prefix.append(suffix));
    beside.open();
    return beside;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} (a PLINK .bed needs its .bim and .fam beside it)", error.what()));
  }
}

struct Person {
  std::string family, id;
};

std::vector<Person> read_people(const Source& fam) {
  std::vector<Person> people;
  LineReader lines(fam);
  std::string_view line;
  while (lines.next(line)) {
    const auto fields = split_blanks(line);
    if (fields.empty()) continue;
    if (fields.size() != 6)
      throw InputError(fam.name(), lines.place(),
                       fmt::format("{} columns where 6 are expected", fields.size()),
                       "a .fam has family, individual, father, mother, sex, phenotype");
    people.push_back({std::string(fields[0]), std::string(fields[1])});
  }
  if (people.empty()) throw InputError(fam.name(), "", "names no people", "restore it from a copy");
  return people;
}

/// The individual's id, with the family's before it where it alone is not unique.
std::vector<std::string> names_of(const std::vector<Person>& people) {
  std::unordered_map<std::string_view, std::size_t> times;
  for (const Person& person : people) ++times[person.id];
  std::vector<std::string> names;
  for (const auto& [family, id] : people) names.push_back(times[id] == 1 ? id : family + ":" + id);
  return names;
}

bool is_blank(std::string_view line) {
  return trim(line).empty();
}

std::uint64_t count_lines(const Source& source) {
  LineReader lines(source);
  std::string_view line;
  std::uint64_t count = 0;
  while (lines.next(line)) count += !is_blank(line);
  return count;
}

}  // namespace

PlinkReader::PlinkReader(const Source& bed)
    : name_(bed.name()),
      bim_source_(sibling(bed, ".bim")),
      samples_(names_of(read_people(sibling(bed, ".fam")))),
      variant_size_(ceil_div<std::size_t>(samples_.size(), 4)),
      bim_(bim_source_),
      bed_(bed.open()),
      n_variants_(count_lines(bim_source_)) {
  check_size();
}

void PlinkReader::check_size() const {
  const std::uint64_t expected =
      checked_add(kHeaderBytes, checked_mul<std::uint64_t>(n_variants_, variant_size_));
  const std::uint64_t actual = file_size(bed_.get(), name_);
  if (actual == expected) return;
  throw InputError(name_, "",
                   fmt::format("is {}: {} bytes, but {} variants of {} people need {}",
                               actual < expected ? "truncated" : "too long", actual, n_variants_,
                               samples_.size(), expected),
                   "restore .bed, .bim and .fam from one copy");
}

std::string PlinkReader::place(std::uint64_t number) const {
  return fmt::format("variant {} of {}", number, bim_source_.name());
}

void PlinkReader::parse_variant(std::string_view line) {
  const auto fields = split_blanks(line);
  const auto refuse = [&](std::string_view problem) {
    throw InputError(bim_source_.name(), bim_.place(), problem,
                     "a .bim has chromosome, id, centimorgans, position, allele 1, allele 2");
  };
  if (fields.size() != 6) refuse(fmt::format("{} columns where 6 are expected", fields.size()));
  const auto pos = parse_number<std::int64_t>(fields[3]);
  if (!pos || *pos > UINT32_MAX) refuse(fmt::format("position '{}' is not a number", printable(fields[3])));
  record_.chrom = normal_chromosome(fields[0]);
  record_.ids = fields[1];
  record_.pos = *pos > 0 ? static_cast<std::uint32_t>(*pos) : 0;  // PLINK: negative is not known
  record_.alleles = {file_allele(fields[4]), file_allele(fields[5])};
}

const SiteRecord* PlinkReader::next() {
  std::string_view line;
  do {
    if (!bim_.next(line)) return nullptr;
  } while (is_blank(line));
  check_interrupt();
  parse_variant(line);
  if (++record_.number > n_variants_)
    throw InputError(bim_source_.name(), bim_.place(), "it grew while it was read", "try again");
  return &record_;
}

std::span<const std::uint8_t> PlinkReader::variant_bytes() {
  const std::uint64_t variant = record_.number - 1;
  const std::uint64_t held = chunk_.size() / variant_size_;
  if (variant < chunk_first_ || variant >= chunk_first_ + held) {
    const std::uint64_t most = std::max<std::uint64_t>(1, kChunkBytes / variant_size_);
    chunk_.resize(static_cast<std::size_t>(std::min(most, n_variants_ - variant)) * variant_size_);
    chunk_first_ = variant;
    read_at(bed_.get(), chunk_.data(), chunk_.size(), kHeaderBytes + variant * variant_size_, name_);
  }
  const auto bytes = std::span(chunk_).subspan(
      static_cast<std::size_t>(variant - chunk_first_) * variant_size_, variant_size_);
  const std::size_t in_last = samples_.size() % 4;  // people in the last byte, 0: all four
  if (in_last != 0 && bytes.back() >> (2 * in_last) != 0)
    throw InputError(name_, place(record_.number), "holds more people than the .fam names",
                     "restore .bed, .bim and .fam from one copy");
  return bytes;
}

const PlinkReader::ByteCalls& PlinkReader::byte_calls(AlleleCode first, AlleleCode second) {
  auto& table = tables_[static_cast<std::size_t>(first) * 3 + static_cast<std::size_t>(second)];
  if (table) return *table;
  table = std::make_unique<ByteCalls>();
  std::array<Call, 4> of_code{};
  of_code[0] = call_of(std::array{first, first});
  of_code[kMissing] = Call::kNoCall;
  of_code[kHet] = call_of(std::array{first, second});
  of_code[kHomSecond] = call_of(std::array{second, second});
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned person = 0; person < 4; ++person)
      (*table)[byte][person] = static_cast<std::uint8_t>(of_code[byte >> (2 * person) & 3u]);
  return *table;
}

std::optional<Fit> PlinkReader::read_onto(const Site& site, std::span<std::uint8_t> calls) {
  const auto strand = strand_of_alleles(site, record_.alleles);
  if (!strand) return std::nullopt;
  const ByteCalls& table =
      byte_calls(code_of(site, record_.alleles[0], *strand), code_of(site, record_.alleles[1], *strand));
  const auto bytes = variant_bytes();
  const std::size_t full = calls.size() / 4;
  for (std::size_t i = 0; i < full; ++i) std::memcpy(calls.data() + 4 * i, table[bytes[i]].data(), 4);
  for (std::size_t person = 4 * full; person < calls.size(); ++person)
    calls[person] = table[bytes[full]][person % 4];
  return Fit{*strand == Strand::kFlipped, false};
}

GenotypeReader::AlleleCounts PlinkReader::count_alleles() {
  const auto bytes = variant_bytes();
  std::uint64_t low = 0, high = 0, both = 0;  // people whose low, high, both bits are set
  for (std::size_t first = 0; first < bytes.size(); first += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + first, std::min(sizeof word, bytes.size() - first));
    const std::size_t people = std::min(kPeopleInWord, samples_.size() - 4 * first);
    const std::uint64_t used = kLowBits >> (2 * (kPeopleInWord - people));
    const std::uint64_t lows = word & used, highs = word >> 1 & used;
    low += static_cast<std::uint64_t>(std::popcount(lows));
    high += static_cast<std::uint64_t>(std::popcount(highs));
    both += static_cast<std::uint64_t>(std::popcount(lows & highs));
  }
  const std::uint64_t het = high - both;
  const std::uint64_t hom_first = samples_.size() - low - het;  // low: missing, or two copies of allele 2
  return {2 * hom_first + het, het + 2 * both};
}

}  // namespace fastid
