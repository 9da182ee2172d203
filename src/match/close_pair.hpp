/// \file
/// What `fastid pairs` finds: two profiles of a cohort that are close to each other.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "match/match_table.hpp"

namespace fastid {

/// Two profiles and what they have in common. Counts are over the sites that both have called.
struct ClosePair {
  /// Rows. Within one database first < second; with two databases `first` is of the first one and `second` of
  /// the second one.
  std::uint64_t first = 0, second = 0;
  std::uint32_t compared = 0;   ///< sites that both have called
  std::uint32_t differing = 0;  ///< alleles that differ, in [0, 2 compared]; by bits sites, in [0, compared]
  std::uint32_t both_het = 0, ibs0 = 0;  ///< as KinFigures has them; 0 by bits
  /// KING's coefficient; NaN by bits, and where either has no heterozygous site among those compared.
  double kinship = std::numeric_limits<double>::quiet_NaN();
  /// Each the lowest of all populations. No value where the panel has no allele frequencies, and by bits.
  std::optional<RelationFigures> log10_lr;
  /// As KinFigures has it: a relation's name, "undecided", or "" where the pair is not weighed.
  std::string relation;
};

}  // namespace fastid
