#include "import/match/side_lists.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/match/file_alleles.hpp"

namespace fastid::imports {
namespace {

/// The limit on people, because a compressed list could be endless.
constexpr std::size_t kMostPeople = std::size_t{1} << 24;

void check_columns(const Columns& columns, const ColumnRule& rule, const Source& list,
                   const LineReader& lines) {
  if (columns.size() < rule.least || columns.size() > rule.most)
    throw InputError(list.name(), lines.place(),
                     fmt::format("{} columns where {} are expected", columns.size(), rule.least),
                     rule.layout);
}

bool is_number_coded(std::string_view allele) {
  return allele.size() == 1 && allele[0] >= '1' && allele[0] <= '4';
}

/// Some programs write 1 and 2, or 1 to 4, in place of the bases; 0 is an allele that nobody has.
void check_letters(std::string_view first, std::string_view second, const Source& list,
                   const LineReader& lines) {
  const auto fits = [](std::string_view allele) { return allele == "0" || is_number_coded(allele); };
  if (!fits(first) || !fits(second) || !(is_number_coded(first) || is_number_coded(second))) return;
  throw InputError(list.name(), lines.place(),
                   "its alleles are coded as numbers, which do not say what bases they are",
                   "write letters: plink --alleleACGT where 1 to 4 stand for A, C, G and T, else plink "
                   "--update-alleles");
}

}  // namespace

void read_people(const Source& list, const ColumnRule& rule,
                 const std::function<void(const Columns&)>& take) {
  LineReader lines(list);
  std::string_view line;
  std::size_t people = 0;
  while (lines.next(line)) {
    const Columns columns = split_blanks(line);
    if (columns.empty()) continue;
    if (people++ == kMostPeople)
      throw InputError(list.name(), lines.place(), "names more people than fastid takes from one file",
                       "split it");
    check_columns(columns, rule, list, lines);
    take(columns);
  }
  if (people == 0) throw InputError(list.name(), "", "names no people", "restore it from a copy");
}

Columns read_marker(std::string_view line, const Source& list, const LineReader& lines,
                    std::string_view layout, SiteRecord& record) {
  Columns columns = split_blanks(line);
  check_columns(columns, {6, 6, layout}, list, lines);
  const auto pos = parse_number<std::int64_t>(columns[3]);
  if (!pos || *pos > UINT32_MAX)
    throw InputError(list.name(), lines.place(),
                     fmt::format("position '{}' is not a number", printable(columns[3])), layout);
  record.pos = *pos > 0 ? static_cast<std::uint32_t>(*pos) : 0;  // PLINK: negative means unknown
  check_letters(columns[4], columns[5], list, lines);
  record.alleles = {file_allele(columns[4]), file_allele(columns[5])};
  return columns;
}

}  // namespace fastid::imports
