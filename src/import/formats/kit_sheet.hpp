/// \file
/// One sheet of a sample report of ForenSeq's Universal Analysis Software (UAS): what it says of the sample,
/// and its table of alleles. The table's header is found by its names, wherever it stands:
///
///   before 2.5:  Locus | Genotype | Allele Name | Typed Allele? | Reads | QC Indicators
///   2.5:         Locus | Genotype | QC Indicators | | Locus | Allele Name | Typed Allele? | Reads
///
/// (In 2.5 a table of genotypes stands beside the table of alleles.) A locus has a line for each allele that
/// a site may have, and for others with reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/formats/letter_reader.hpp"
#include "import/formats/workbook.hpp"
#include "import/import.hpp"

namespace fastid::imports {

/// A locus as a sheet has it.
struct KitLocus {
  std::string id;
  std::string letters;              ///< of the alleles that are typed, or that have the reads; "" for no call
  std::vector<LetterSignal> reads;  ///< reads of each listed allele
  std::size_t sheet = 0;            ///< its number in the workbook
  std::uint32_t row = 0;            ///< its first row
};

class KitSheet {
 public:
  /// \param file, name  for messages; must outlive this
  /// \param depths  reads alleles by their reads instead of "Typed Allele?"
  KitSheet(const std::string& file, const std::string& name, const std::optional<DepthRule>& depths)
      : file_(file), name_(name), depths_(depths) {}

  /// \throws InputError: a column is missing, or a cell cannot be read
  void take(const SheetRow& row);

  /// The loci, in order. \throws InputError where the sheet is cut short or contradicts itself, or where a
  /// sheet with SNPs has no table that is understood
  std::vector<KitLocus> finish(std::size_t sheet);

  /// What the sheet says of the sample: "samplename" -> "Ref01", by plain_name() of the left column.
  const std::map<std::string, std::string>& facts() const { return facts_; }
  /// Whether the table has the layout of UAS 2.5.
  bool genotypes_beside() const { return table_ && !table_->genotype; }
  /// "sheet 'Identity SNPs', row 7".
  static std::string place(std::string_view sheet, std::uint32_t row);

 private:
  /// Columns of the table of alleles.
  struct Table {
    std::uint32_t locus = 0, allele = 0, typed = 0, reads = 0;
    std::optional<std::uint32_t> genotype;  ///< none: in the table beside it
  };
  struct Allele {
    char letter = 0;
    bool typed = false;
    double reads = 0;
  };
  struct Entry {
    std::string id, genotype;
    std::uint32_t row = 0;
    std::vector<Allele> alleles;
  };

  [[noreturn]] void refuse(std::uint32_t row, std::string_view problem, std::string_view cure) const;
  [[noreturn]] void refuse_cell(const SheetRow& row, std::uint32_t column, std::string_view problem) const;
  bool take_header(const SheetRow& row);
  void take_fact(const SheetRow& row);
  void take_genotype_beside(const SheetRow& row);
  void take_allele(const SheetRow& row);
  Entry& entry_of(const SheetRow& row, std::string_view locus);
  std::string_view value(const SheetRow& row, std::uint32_t column) const;
  void check_counts() const;
  std::string letters_of(const Entry& entry) const;
  std::string shown(const Entry& entry) const;

  const std::string& file_;
  const std::string& name_;
  const std::optional<DepthRule>& depths_;
  std::map<std::string, std::string> facts_;
  std::optional<Table> table_;
  bool of_strs_ = false;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> entry_at_;
  std::unordered_map<std::string, std::string> genotypes_;  ///< of the table beside
};

}  // namespace fastid::imports
