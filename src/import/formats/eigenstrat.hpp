/// \file
/// EIGENSTRAT and PACKEDANCESTRYMAP: .geno (genotypes), .snp (markers), .ind (people), side by side.
///
///   EIGENSTRAT .geno         a line per marker, a character per person: copies of the reference allele,
///                            9 missing
///   PACKEDANCESTRYMAP .geno  rows of max(48, ceil(n / 4)) bytes; the first is
///                            "GENO people markers hash hash", then a row per marker, two bits per person,
///                            the first in the high bits; 3 missing
///   .snp                     id, chromosome, morgans, position, reference allele, variant allele
///   .ind                     id, sex, population
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "import/formats/genotype_reader.hpp"
#include "import/io/line_reader.hpp"
#include "import/io/source.hpp"
#include "import/match/row_stream.hpp"
#include "import/match/side_lists.hpp"

namespace fastid::imports {

class EigenstratReader final : public GenotypeReader {
 public:
  EigenstratReader(const Source& geno, bool packed);
  /// The .geno, the .snp and the .ind.
  static std::vector<std::string> files_of(const Source& geno);

  const std::vector<std::string>& samples() const override { return people_.ids; }
  GenomeBuild build() const override { return GenomeBuild::kUnknown; }
  std::uint64_t n_records() const override { return markers_.count; }
  const SiteRecord* next() override;
  AlleleCounts count_alleles() override { return count_diploid(*allele_row()); }
  std::size_t minor_at_tie() const override { return 1; }  ///< the variant allele
  std::span<const std::optional<Sex>> stated_sexes() const override { return people_.sexes; }
  std::string place(std::uint64_t number) const override;

 protected:
  const SiteRecord& record() const override { return record_; }
  const AlleleRow* allele_row() override;

 private:
  struct Markers {
    std::uint64_t count = 0;
    std::uint32_t hash = 0;  ///< hash of the markers' ids, as the packed .geno has it
  };

  Markers scan_markers() const;
  void open_packed(const Source& geno);
  void check_packed_header(std::span<const char> header) const;
  void parse_marker(std::string_view line);
  void take_text_row();
  void unpack();

  std::string name_;
  Source snp_source_, ind_source_;
  NamedPeople people_;
  Markers markers_;
  LineReader snp_;
  std::optional<LineReader> lines_;  ///< of a text
  std::optional<RowStream> rows_;    ///< of a packed file
  std::string_view text_row_;
  SiteRecord record_;
  std::uint64_t decoded_ = 0;  ///< number of the marker in row_
  AlleleRow row_;
};

}  // namespace fastid::imports
