#include "import/formats/kit_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/letter_reader.hpp"
#include "import/formats/text_layout.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kExport =
    "export the sample report from UAS in English, with Locus, Allele Name, Typed Allele? and Reads";
constexpr std::string_view kExportAgain = "export the report again";
constexpr std::size_t kMostLoci = 1'000'000;
constexpr std::size_t kMostAlleles = 16;  ///< of a locus
constexpr std::size_t kMostFacts = 100;
constexpr std::string_view kLociTyped = "locityped";

/// The column with a name, the last one before `end`.
std::optional<std::uint32_t> column_of(const SheetRow& row, std::string_view name,
                                       std::uint32_t end = UINT32_MAX) {
  std::optional<std::uint32_t> found;
  for (const SheetCell& cell : row.cells)
    if (cell.column < end && plain_name(cell.text()) == name) found = cell.column;
  return found;
}

bool is_inconclusive(std::string_view genotype) {
  return ascii_upper(genotype) == "INC";
}

}  // namespace

std::string KitSheet::place(std::string_view sheet, std::uint32_t row) {
  return fmt::format("sheet '{}', row {}", printable(sheet), row);
}

void KitSheet::refuse(std::uint32_t row, std::string_view problem, std::string_view cure) const {
  throw InputError(file_, place(name_, row), problem, cure);
}

void KitSheet::refuse_cell(const SheetRow& row, std::uint32_t column, std::string_view problem) const {
  throw InputError(file_, fmt::format("sheet '{}', cell {}", printable(name_), cell_name(column, row.number)),
                   problem, kExportAgain);
}

void KitSheet::take(const SheetRow& row) {
  if (of_strs_) return;
  if (!table_ && take_header(row)) return;
  if (!table_ || plain_name(row.text(0)) == kLociTyped) take_fact(row);
  if (!table_) return;
  if (!table_->genotype) take_genotype_beside(row);
  take_allele(row);
}

/// Whether the row is the header of the table of alleles. Tables of repeats (STRs) have one like it.
bool KitSheet::take_header(const SheetRow& row) {
  const auto typed = column_of(row, "typedallele"), allele = column_of(row, "allelename");
  if (!typed && !allele) return false;
  of_strs_ = column_of(row, "repeatsequence").has_value();
  if (of_strs_) return true;
  const auto locus = column_of(row, "locus", allele.value_or(UINT32_MAX)), reads = column_of(row, "reads");
  const auto need = [&](std::optional<std::uint32_t> column, std::string_view name) {
    if (!column) refuse(row.number, fmt::format("the table of alleles has no column {}", name), kExport);
    return *column;
  };
  table_ = Table{need(locus, "Locus"),
                 need(allele, "Allele Name"),
                 need(typed, "Typed Allele?"),
                 need(reads, "Reads"),
                 {}};
  if (const auto genotype = column_of(row, "genotype", *allele); genotype && *genotype > *locus)
    table_->genotype = genotype;
  return true;
}

void KitSheet::take_fact(const SheetRow& row) {
  const std::string name = plain_name(row.text(0));
  if (!name.empty() && row.cell(1) != nullptr && facts_.size() < kMostFacts)
    facts_.emplace(name, row.text(1));
}

void KitSheet::take_genotype_beside(const SheetRow& row) {
  if (table_->locus < 2 || row.cell(0) == nullptr || row.cell(1) == nullptr) return;
  if (genotypes_.size() < kMostLoci) genotypes_.emplace(row.text(0), value(row, 1));
}

/// The text of a cell of the table. \throws InputError where it is a formula, whose stored value may be out
/// of date
std::string_view KitSheet::value(const SheetRow& row, std::uint32_t column) const {
  const SheetCell* const cell = row.cell(column);
  if (cell == nullptr) return {};
  if (cell->formula) refuse_cell(row, column, "is a formula, and no value that UAS has written");
  return cell->text();
}

KitSheet::Entry& KitSheet::entry_of(const SheetRow& row, std::string_view locus) {
  if (!entries_.empty() && (locus.empty() || entries_.back().id == locus)) return entries_.back();
  if (locus.empty()) refuse(row.number, "has an allele, but no locus", kExportAgain);
  const auto [at, fresh] = entry_at_.emplace(locus, entries_.size());
  if (!fresh)
    refuse(
        row.number,
        fmt::format("'{}' is given a second time, after row {}", printable(locus), entries_[at->second].row),
        "remove one of the two");
  if (entries_.size() == kMostLoci)
    refuse(row.number, fmt::format("there are more than {} loci", with_commas(kMostLoci)), kExportAgain);
  entries_.push_back({.id = std::string(locus), .row = row.number});
  return entries_.back();
}

void KitSheet::take_allele(const SheetRow& row) {
  const std::string_view locus = value(row, table_->locus), allele = value(row, table_->allele),
                         typed = value(row, table_->typed), reads = value(row, table_->reads);
  if (locus.empty() && allele.empty()) return;
  Entry& entry = entry_of(row, locus);
  if (const std::string_view genotype = table_->genotype ? value(row, *table_->genotype) : "";
      !genotype.empty())
    entry.genotype = genotype;
  if (allele.empty()) return;
  const auto letter = letter_of_allele(allele);
  if (!letter) refuse_cell(row, table_->allele, "is not an allele of A, C, G, T");
  const std::string answer = ascii_lower(typed);
  if (answer != "yes" && answer != "no")
    refuse_cell(row, table_->typed, fmt::format("'{}' is neither Yes nor No", printable(typed)));
  const auto number = reads.empty() ? std::optional(0.0) : parse_number<double>(reads);
  if (!number || *number < 0) refuse_cell(row, table_->reads, "is not a number of reads");
  if (entry.alleles.size() == kMostAlleles)
    refuse(row.number, "the locus has too many alleles", kExportAgain);
  entry.alleles.push_back({*letter, answer == "yes", *number});
}

/// The sheet says how many loci it has, and how many of them are typed: "93 / 94".
void KitSheet::check_counts() const {
  const auto said = facts_.find(std::string(kLociTyped));
  if (said == facts_.end()) return;
  const auto numbers = split(said->second, '/');
  const auto of = numbers.size() == 2 ? parse_number<std::size_t>(trim(numbers[1])) : std::nullopt;
  if (!of) refuse(entries_.front().row, "'Loci Typed' is not followed by two numbers", kExportAgain);
  if (*of != entries_.size())
    refuse(entries_.back().row,
           fmt::format("the sheet ends after {} of the {} loci that it says to have",
                       with_commas(entries_.size()), with_commas(*of)),
           kExportAgain);
}

/// The letters of the typed alleles or, by reads, of the alleles with enough reads.
std::string KitSheet::shown(const Entry& entry) const {
  double total = 0;
  for (const Allele& allele : entry.alleles) total += allele.reads;
  const double least = depths_ ? depths_->least_reads(total) : 0;
  std::string letters;
  for (const Allele& allele : entry.alleles)
    if (depths_ ? allele.reads >= least : allele.typed) letters += allele.letter;
  std::ranges::sort(letters);
  return letters;
}

std::string KitSheet::letters_of(const Entry& entry) const {
  std::string letters = shown(entry);
  std::string_view genotype = entry.genotype;
  if (const auto beside = genotypes_.find(entry.id); !table_->genotype && beside != genotypes_.end())
    genotype = beside->second;
  if (!depths_ && is_inconclusive(genotype)) return {};
  if (!depths_ && !genotype.empty()) {
    const auto names = [&](char letter) { return genotype.find(letter) != std::string_view::npos; };
    const auto typed = [&](char c) { return letters.find(c) != std::string::npos || c == ',' || c == ' '; };
    if (!std::ranges::all_of(letters, names) || !std::ranges::all_of(genotype, typed))
      refuse(entry.row,
             fmt::format("the genotype of '{}' contradicts its typed alleles", printable(entry.id)),
             kExportAgain);
  }
  return letters.size() == 1 ? letters + letters : letters;
}

std::vector<KitLocus> KitSheet::finish(std::size_t sheet) {
  const bool of_snps = ascii_lower(name_).find("snp") != std::string::npos;
  if (of_snps && !table_ && !of_strs_)
    throw InputError(file_, fmt::format("sheet '{}'", printable(name_)),
                     "has no table of alleles that fastid knows", kExport);
  std::vector<KitLocus> loci;
  if (entries_.empty()) return loci;
  check_counts();
  for (const Entry& entry : entries_) {
    KitLocus& locus = loci.emplace_back(KitLocus{entry.id, letters_of(entry), {}, sheet, entry.row});
    for (const Allele& allele : entry.alleles) locus.reads.push_back({allele.letter, allele.reads});
  }
  return loci;
}

}  // namespace fastid::imports
