/// \file
/// A person's genotypes that do not have two alleles. A single allele is a call on X, Y and M, and no call
/// elsewhere, like a half call. More than two alleles are no call anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "import/formats/genotype_reader.hpp"
#include "panel/site_class.hpp"

namespace fastid::imports {

class PloidyRule {
 public:
  /// \param reader  must outlive this
  explicit PloidyRule(GenotypeReader& reader);

  /// Makes samples with too few or too many alleles not called in `calls`, which are the current record's
  /// calls at a site.
  void apply(SiteClass site_class, const SiteRecord& record, CallRow& calls);
  /// Who has too few or too many alleles in the current record, called or not; null: nobody.
  const SampleBits* breakers(SiteClass site_class);

  /// What was dropped, as warnings. \param autosomal  the autosomal sites, as a row of bits \param file  for
  /// messages
  /// \throws InputError where somebody has lost most of the calls at autosomal sites
  std::vector<std::string> finish(const BitBlocks& blocks, std::span<const Word> autosomal,
                                  const std::string& file) const;

 private:
  struct Place {
    std::uint64_t record = 0;
    std::size_t n_alleles = 0;
    bool autosomal = false;
  };
  struct Dropped {
    std::uint64_t total = 0;  ///< genotypes
    Place first;
    std::size_t most = 0;                  ///< alleles
    std::vector<std::uint32_t> autosomal;  ///< of each sample; empty while there are none
    std::uint32_t of(std::size_t sample) const { return autosomal.empty() ? 0 : autosomal[sample]; }
  };

  void drop(const SampleBits& who, const Place& place, Dropped& kind, CallRow& calls);
  void refuse_most(const BitBlocks& blocks, std::span<const Word> autosomal, const std::string& file) const;

  GenotypeReader& reader_;
  Dropped one_, many_;
  SampleBits breakers_;
};

}  // namespace fastid::imports
