/// \file
/// Files that leave out sites where a person is homozygous reference: these would be read as not called, and
/// a search would compare at the person's own minor alleles only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "panel/panel.hpp"

namespace fastid::imports {

/// Counts of a file at a site of the panel whose major allele is the file's reference; 0 elsewhere.
struct ReferenceTally {
  std::uint32_t called = 0;  ///< samples
  std::uint32_t major = 0;   ///< of those, with the major allele only
};

/// Refuses a file whose calls are homozygous reference so rarely that it must leave such sites out.
///
/// At minor-allele frequency q a person is homozygous for the major allele with probability (1 - q)^2, a
/// stain of k people with (1 - q)^2k. The mean of this over the sites that the file has is the share to
/// expect: that of the population with the least, or with q = 1/2, the most that it can be, where the panel
/// has no populations. A file is refused where, at half of that share, so few or fewer would be seen less
/// than once in a million times; each site counts once, however many samples there are. Half, because a
/// file's people need not be of the panel's populations.
/// \param tallies  one for each site
/// \param people   k: 1, or as many as a stain may be of. \throws InputError
void refuse_variants_only(const Panel& panel, std::span<const ReferenceTally> tallies, unsigned people,
                          const std::string& file);

}  // namespace fastid::imports
