/// \file
/// VCF and BCF, plain or compressed, record by record; gVCF, whose blocks of reference calls cover many
/// sites; genotypes as called (GT), or the alleles that were seen by their depths (AD).
#pragma once

#include <cstdint>
#include <memory>

#include "import/formats/format.hpp"
#include "import/formats/genotype_reader.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

class VcfReader final : public GenotypeReader {
 public:
  VcfReader(const Source& source, bool binary, const ReaderOptions& options);
  ~VcfReader() override;

  const std::vector<std::string>& samples() const override;
  GenomeBuild build() const override;
  const SiteRecord* next() override;
  bool says_alleles() const override;
  std::optional<Fit> read_onto(const Site& site, CallRow& calls) override;
  bool read_likelihoods(const Site& site, std::vector<StatedLikelihoods>& into) override;
  bool read_span(const Site& site, SpanCalls& into) override;
  bool read_block(const Site& site, char base, CallRow& calls) override;
  const Ploidy* odd_ploidy() override;
  bool carriers_of_third(const Site& site, SampleBits& carriers) override;
  AlleleCounts count_alleles() override;
  AlleleCounts count_alleles_without(const SampleBits& who) override;
  std::size_t minor_at_tie() const override { return 1; }  ///< the alternative allele
  bool read_signals(const Site& site, std::vector<AlleleSignal>& into) override;
  bool read_block_signals(const Site& site, char base, std::vector<AlleleSignal>& into) override;
  bool may_hold_variants_only()
      const override;  ///< where genotypes are read, not depths; not of `fastid call`
  bool deconvolved() const override;
  std::vector<std::string> warnings() const override;
  std::string place(std::uint64_t number) const override;

 protected:
  const SiteRecord& record() const override;
  const AlleleRow* allele_row() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::imports
