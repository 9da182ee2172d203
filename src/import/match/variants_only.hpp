/// \file
/// Files that leave out sites where a person is homozygous reference. Such sites would be read as not called,
/// and a search would compare only sites where the person has a minor allele.
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
  std::uint32_t major = 0;   ///< called samples with the major allele only
};

/// Refuses a file whose calls are homozygous reference so rarely that it must leave such sites out.
///
/// At minor-allele frequency q a person is homozygous for the major allele with probability (1 - q)^2, a
/// stain of k people with (1 - q)^2k. The mean over the file's sites is the expected share: the lowest of the
/// panel's populations, or, where the panel has none, with the highest possible q, 1/2. A file is refused
/// where, at half of that share, so few homozygotes have a probability below one in a million; each site
/// counts once, however many samples there are. Half, because a file's people need not be of the panel's
/// populations.
/// \param tallies  one for each site
/// \param people  k: 1, or the most contributors of a stain.
/// \throws InputError
void refuse_variants_only(const Panel& panel, std::span<const ReferenceTally> tallies, unsigned people,
                          const std::string& file);

}  // namespace fastid::imports
