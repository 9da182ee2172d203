/// \file
/// Records of a VCF that speak for several positions: MNPs, padded SNPs, indels and deletions by symbol.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "import/formats/genotype_reader.hpp"

namespace fastid::imports {

/// Whether alleles of these texts can speak for more positions than the record's own.
bool may_span(std::string_view reference, std::string_view alternatives);

/// Notes in `record`, whose other fields are set, which positions its alleles speak for. Bases that all
/// alleles share are put aside where a single one is left: CA to CG at 99 becomes A to G at 100.
/// \param texts        reference, alternatives; valid as long as the record
/// \param deleted_end  last position of a deletion by symbol (END); 0: not known
void spell_alleles(std::span<const std::string_view> texts, std::uint32_t deleted_end, SiteRecord& record);

/// The alleles of one record at each of its positions.
class SpelledAlleles {
 public:
  /// \param record  of more than one position; must outlive this
  explicit SpelledAlleles(const SiteRecord& record);

  /// The alleles at the position `pos`, as in SiteRecord::alleles; kDeletedAllele where an allele has no base
  /// there.
  void at(std::uint32_t pos, std::vector<char>& alleles) const;

 private:
  struct Kept {
    std::size_t front = 0, back = 0;  ///< bases of the reference that an allele of another length keeps
  };
  char letter(std::size_t allele, std::size_t offset) const;

  const SiteRecord& record_;
  std::vector<Kept> kept_;
};

}  // namespace fastid::imports
