/// \file
/// PLINK 1: .bed (genotypes), .bim (variants), .fam (people), side by side.
///
///   .bed   6c 1b 01, then for each variant ceil(n / 4) bytes: two bits a person, the first in the low bits
///          00 two copies of allele 1   01 missing   10 one of each   11 two copies of allele 2
///   .bim   chromosome, id, centimorgans, position, allele 1, allele 2
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "import/genotype_reader.hpp"
#include "import/line_reader.hpp"
#include "import/source.hpp"
#include "panel/allele_code.hpp"

namespace fastid {

class PlinkReader final : public GenotypeReader {
 public:
  /// \param bed  whose path less ".bed", with ".bim" and ".fam", leads to the other two
  explicit PlinkReader(const Source& bed);

  const std::vector<std::string>& samples() const override { return samples_; }
  GenomeBuild build() const override { return GenomeBuild::kUnknown; }
  const SiteRecord* next() override;
  std::optional<Fit> read_onto(const Site& site, std::span<std::uint8_t> calls) override;
  AlleleCounts count_alleles() override;
  std::size_t minor_at_tie() const override { return 0; }  ///< allele 1
  std::string place(std::uint64_t number) const override;

 private:
  /// What each byte of the .bed says of its four people.
  using ByteCalls = std::array<std::array<std::uint8_t, 4>, 256>;

  void check_size() const;
  void parse_variant(std::string_view line);
  std::span<const std::uint8_t> variant_bytes();
  const ByteCalls& byte_calls(AlleleCode first, AlleleCode second);

  std::string name_;
  Source bim_source_;
  std::vector<std::string> samples_;
  std::size_t variant_size_;
  LineReader bim_;
  FileDescriptor bed_;
  SiteRecord record_;
  std::vector<std::uint8_t> chunk_;  ///< of the .bed, whole variants
  std::uint64_t chunk_first_ = 0;    ///< number of its first variant
  std::uint64_t n_variants_ = 0;
  std::array<std::unique_ptr<ByteCalls>, 9> tables_;
};

}  // namespace fastid
