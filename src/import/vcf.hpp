/// \file
/// VCF and BCF, plain, gzip or bgzip, record by record (htslib).
#pragma once

#include <cstdint>
#include <memory>

#include "import/genotype_reader.hpp"
#include "import/source.hpp"

namespace fastid {

class VcfReader final : public GenotypeReader {
 public:
  /// \param refuse_variants_only  raise an error at the end where not one of 1,000 or more records with a
  /// call has a
  ///   homozygous-reference genotype: sites that the file leaves out are then most likely reference, not
  ///   uncalled
  VcfReader(const Source& source, bool refuse_variants_only);
  ~VcfReader() override;

  const std::vector<std::string>& samples() const override;
  GenomeBuild build() const override;
  const SiteRecord* next() override;
  std::optional<Fit> read_onto(const Site& site, std::span<std::uint8_t> calls) override;
  AlleleCounts count_alleles() override;
  std::size_t minor_at_tie() const override { return 1; }  ///< the alternative allele
  std::string place(std::uint64_t number) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid
