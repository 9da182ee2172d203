/// \file
/// A person's genotypes that do not have two alleles: on X, Y and M one allele is that allele, elsewhere it
/// is no call, as half a call is; more than two alleles are none anywhere.
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

  /// Makes those not called in `calls`, the current record's at a site, who have one allele too few or too
  /// many there.
  void apply(SiteClass site_class, const SiteRecord& record, CallRow& calls);
  /// Who has too few or too many alleles in the current record, called or not; null: nobody.
  const SampleBits* breakers(SiteClass site_class);

  /// What was dropped, as warnings. \param autosomal  a row of bits: those sites \param file  for messages
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
