/// \file
/// A site of the panel on the reference genome: its alleles there, and the haplotypes that reads are compared
/// with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/match/reference_genome.hpp"
#include "import/reads/known_variants.hpp"
#include "panel/panel.hpp"

namespace fastid::imports {

/// Bases of a read on either side of a site that are compared; haplotypes are longer by kMoreFlank, so that a
/// read with insertions or deletions fits.
inline constexpr std::uint32_t kReadFlank = 50, kMoreFlank = 10;

struct SiteWindow {
  std::uint32_t pos = 0;             ///< of the site, 1-based
  std::uint32_t first = 0;           ///< position of the first base of `bases`
  std::string bases;                 ///< the reference genome around the site
  std::array<char, 2> alleles{};     ///< major, minor, on the strand of the reference genome
  bool flipped = false;              ///< the panel's alleles are on the other strand
  std::vector<KnownVariant> beside;  ///< the site

  char reference() const { return bases[pos - first]; }
  /// The reference genome's base at a position; 0 outside.
  char base(std::int64_t at) const {
    return at < first || at >= first + static_cast<std::int64_t>(bases.size())
               ? char{0}
               : bases[static_cast<std::size_t>(at - first)];
  }
  /// The haplotypes with `allele` at the site: one for each set of the variants beside it, as hmm::base_set()
  /// of each base.
  std::vector<std::vector<std::uint8_t>> haplotypes(char allele) const;
};

/// The window of a site; no value where the genome does not have the site, or has neither allele there on
/// either strand.
std::optional<SiteWindow> window_of(const Site& site, ReferenceGenome& genome, const KnownVariants& known);

}  // namespace fastid::imports
