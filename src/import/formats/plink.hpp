/// \file
/// PLINK 1: .bed (genotypes), .bim (variants), .fam (people), side by side, each possibly compressed.
///
///   .bed   6c 1b 01, then for each variant ceil(n / 4) bytes: two bits per person, the first in the low bits
///          00 two copies of allele 1   01 missing   10 heterozygous   11 two copies of allele 2;
///          bits past the last person are ignored
///   .bim   chromosome, id, centimorgans, position, allele 1, allele 2
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "import/formats/genotype_reader.hpp"
#include "import/io/line_reader.hpp"
#include "import/io/source.hpp"
#include "import/match/row_stream.hpp"
#include "import/match/side_lists.hpp"

namespace fastid::imports {

class PlinkReader final : public GenotypeReader {
 public:
  /// \param bed  the other two files have ".bim" and ".fam" in its path in place of ".bed"
  explicit PlinkReader(const Source& bed);
  /// The .bed, the .bim and the .fam.
  static std::vector<std::string> files_of(const Source& bed);

  const std::vector<std::string>& samples() const override { return people_.ids; }
  GenomeBuild build() const override { return GenomeBuild::kUnknown; }
  std::uint64_t n_records() const override { return n_variants_; }
  const SiteRecord* next() override;
  AlleleCounts count_alleles() override;
  std::span<const std::uint8_t> codes() override;
  std::size_t minor_at_tie() const override { return 0; }  ///< allele 1
  std::size_t reference_allele() const override { return 1; }
  std::span<const std::optional<Sex>> stated_sexes() const override { return people_.sexes; }
  std::string place(std::uint64_t number) const override;

 protected:
  const SiteRecord& record() const override { return record_; }
  const AlleleRow* allele_row() override;

 private:
  void parse_variant(std::string_view line);

  std::string name_;
  Source bim_source_, fam_source_;
  NamedPeople people_;
  LineReader bim_;
  std::uint64_t n_variants_;
  RowStream rows_;
  SiteRecord record_;
  std::string chromosome_;    ///< of record_, as the .bim has it
  std::uint64_t loaded_ = 0;  ///< number of the variant in codes_
  std::span<const std::uint8_t> codes_;
  std::vector<std::uint8_t> unpadded_;  ///< a row whose last byte had bits past the last person
  std::uint64_t decoded_ = 0;           ///< number of the variant in row_
  AlleleRow row_;
};

}  // namespace fastid::imports
