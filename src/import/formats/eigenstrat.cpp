#include "import/formats/eigenstrat.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/match/side_lists.hpp"
#include "import/sibling.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kEigenstratNeeds = "an EIGENSTRAT .geno needs its .snp and .ind beside it";
constexpr std::string_view kOneCopy = "restore .geno, .snp and .ind from one copy";
constexpr std::size_t kLeastRow = 48;

Source beside_geno(const Source& geno, std::string_view suffix) {
  return sibling_of(geno, {".geno", ".eigenstratgeno", ".packedancestrymapgeno", ".ancestrymapgeno"}, suffix,
                    kEigenstratNeeds);
}

/// EIGENSOFT's hash of one name, and of a list of them: a check that three files belong together.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) hash = hash * 23 + static_cast<std::uint32_t>(static_cast<std::int32_t>(c));
  return hash;
}

std::uint32_t add_name(std::uint32_t hash, std::string_view name) {
  return hash * 17 ^ hash_of(name);
}

NamedPeople read_ind(const Source& ind) {
  NamedPeople people;
  read_people(ind, {3, SIZE_MAX, "an .ind has id, sex, population"},
              [&](const Columns& columns) { people.add(std::string(columns[0]), parse_sex(columns[1])); });
  return people;
}

/// EIGENSOFT numbers two chromosomes in its own way.
std::string chromosome_of(std::string_view name) {
  if (name == "90") return "M";
  if (name == "91") return "PAR";
  return normal_chromosome(name);
}

}  // namespace

EigenstratReader::EigenstratReader(const Source& geno, bool packed)
    : name_(geno.name()),
      snp_source_(beside_geno(geno, ".snp")),
      ind_source_(beside_geno(geno, ".ind")),
      people_(read_ind(ind_source_)),
      markers_(scan_markers()),
      snp_(snp_source_),
      row_(people_.ids.size()) {
  if (packed) {
    open_packed(geno);
    return;
  }
  lines_.emplace(geno);
  lines_->set_longest_line(std::max(lines_->longest_line(), people_.ids.size() + 2));
}

std::vector<std::string> EigenstratReader::files_of(const Source& geno) {
  return {geno.path(), beside_geno(geno, ".snp").path(), beside_geno(geno, ".ind").path()};
}

EigenstratReader::Markers EigenstratReader::scan_markers() const {
  LineReader lines(snp_source_);
  std::string_view line;
  Markers markers;
  while (lines.next(line)) {
    const auto fields = split_blanks(line);
    if (fields.empty() || fields[0].starts_with('#')) continue;
    ++markers.count;
    markers.hash = add_name(markers.hash, fields[0]);
  }
  return markers;
}

void EigenstratReader::open_packed(const Source& geno) {
  const std::size_t row_bytes = std::max(kLeastRow, ceil_div<std::size_t>(people_.ids.size(), 4));
  rows_.emplace(geno, row_bytes, row_bytes, markers_.count,
                fmt::format("{} markers of {} people", markers_.count, people_.ids.size()));
  check_packed_header(rows_->header());
}

void EigenstratReader::check_packed_header(std::span<const char> header) const {
  std::string_view text(header.data(), header.size());
  text = text.substr(0, text.find('\0'));
  const auto words = split_blanks(text);
  const auto refuse = [&](std::string_view problem) { throw InputError(name_, "header", problem, kOneCopy); };
  const auto number = [&](std::size_t i) { return parse_number<std::uint64_t>(words[i]); };
  if (words.size() < 5 || !number(1) || !number(2)) refuse("is not that of a packed .geno");
  if (*number(1) != people_.ids.size() || *number(2) != markers_.count)
    refuse(fmt::format("is of {} people and {} markers, but the .ind names {} and the .snp {}", *number(1),
                       *number(2), people_.ids.size(), markers_.count));
  std::uint32_t people = 0;
  for (const std::string& id : people_.ids) people = add_name(people, id);
  const auto differs = [](std::string_view written, std::uint32_t hash) {
    return written != "0" && written != fmt::format("{:x}", hash);  // 0: a program that writes none
  };
  if (differs(words[3], people)) refuse("says that the people of the .ind are not those of the .geno");
  if (differs(words[4], markers_.hash))
    refuse("says that the markers of the .snp are not those of the .geno");
}

std::string EigenstratReader::place(std::uint64_t number) const {
  return fmt::format("marker {} of {}", number, snp_source_.name());
}

void EigenstratReader::parse_marker(std::string_view line) {
  const Columns columns =
      read_marker(line, snp_source_, snp_,
                  "a .snp has id, chromosome, morgans, position, reference allele, variant allele", record_);
  record_.ids = columns[0];
  record_.chrom = chromosome_of(columns[1]);
}

const SiteRecord* EigenstratReader::next() {
  std::string_view line;
  do {
    if (!snp_.next(line)) {
      if (rows_) rows_->finish();
      std::string_view more;
      while (lines_ && lines_->next(more))
        if (!trim(more).empty())
          throw InputError(name_, lines_->place(), "has more lines than the .snp has markers", kOneCopy);
      return nullptr;
    }
  } while (trim(line).empty() || trim(line).starts_with('#'));
  check_interrupt();
  parse_marker(line);
  if (++record_.number > markers_.count)
    throw InputError(snp_source_.name(), snp_.place(), "it grew while it was read", "try again");
  if (lines_) take_text_row();
  return &record_;
}

void EigenstratReader::take_text_row() {
  if (!lines_->next(text_row_))
    throw InputError(name_, "end", fmt::format("is truncated: no line for {}", place(record_.number)),
                     kOneCopy);
  if (text_row_.size() != people_.ids.size())
    throw InputError(
        name_, lines_->place(),
        fmt::format("has {} characters, but the .ind names {} people", text_row_.size(), people_.ids.size()),
        kOneCopy);
  if (text_row_.find_first_not_of("0129") != std::string_view::npos)
    throw InputError(name_, lines_->place(), "has a character that is not 0, 1, 2 or 9", kOneCopy);
}

/// The codes count copies of the reference allele, which is the first.
void EigenstratReader::unpack() {
  row_.first.clear();
  row_.second.clear();
  const auto bytes = rows_ ? rows_->row(record_.number - 1) : std::span<const std::uint8_t>();
  for (std::size_t i = 0; i < people_.ids.size(); ++i) {
    const unsigned copies =
        rows_ ? bytes[i / 4] >> (6 - 2 * (i % 4)) & 3u : static_cast<unsigned>(text_row_[i] - '0');
    if (copies > 2) continue;
    if (copies > 0) row_.first.set(i);
    if (copies < 2) row_.second.set(i);
  }
}

const AlleleRow* EigenstratReader::allele_row() {
  if (decoded_ != record_.number) unpack();
  decoded_ = record_.number;
  return &row_;
}

}  // namespace fastid::imports
