/// \file
/// Files that leave out where a person is homozygous reference: what they do not hold would be read as not
/// called, and a search would compare at nothing but a person's own minor alleles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "panel/panel.hpp"

namespace fastid {

/// What a file says at a site of the panel whose major allele is the file's reference; nothing elsewhere.
struct ReferenceTally {
  std::uint32_t called = 0;  ///< samples
  std::uint32_t major = 0;   ///< of those, with the major allele only
};

/// Refuses a file whose calls are homozygous reference so rarely that it must leave such sites out.
///
/// At minor-allele frequency q a person is homozygous for the major allele with probability (1 - q)^2, a
/// stain of k people with (1 - q)^2k. Over the sites that the file has, the mean of that is the share to
/// expect: by the panel's population where it is least, and with q = 1/2, the most that it can be, where the
/// panel has none. A file is refused where half of that share would give what was seen, or less, less than
/// once in a million times, each site counting once however many samples there are. Half, since a file's
/// people need not be of the panel's populations. \param tallies  one for each site \param people   k: 1, or
/// as many as a stain may be of \throws InputError
void refuse_variants_only(const Panel& panel, std::span<const ReferenceTally> tallies, unsigned people,
                          const std::string& file);

}  // namespace fastid
