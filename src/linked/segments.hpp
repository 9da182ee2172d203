/// \file
/// Stretches that two people have by descent, and their total length.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linked/linked_model.hpp"
#include "panel/genetic_map.hpp"

namespace fastid::linked {

/// A maximal run of neighbouring sites at which it is at least as probable as not that so many alleles are
/// identical by descent. It ends half way (in cM) to the next site outside, or at the chromosome's last site.
struct Segment {
  unsigned state = 1;                         ///< 1: one allele or two; 2: two
  std::size_t first_site = 0, last_site = 0;  ///< places among the sites of the model
  double start_cm = 0, end_cm = 0;
  double mean_posterior = 0;  ///< of its sites

  double length_cm() const { return end_cm - start_cm; }
  std::size_t sites() const { return last_site - first_site + 1; }
};

/// All segments, by chromosome; on each, first the segments of state 1 and then those of state 2.
/// \param shared  LinkedModel::shared() of `sites`
std::vector<Segment> segments_of(std::span<const MappedSite> sites, std::span<const SharedAlleles> shared);

/// The expected shared length, in cM: the posterior's integral by the trapezium rule, so that no threshold
/// enters.
struct SharedLength {
  double any_cm = 0;  ///< where one allele or two are identical by descent
  double two_cm = 0;
};
SharedLength shared_length(std::span<const MappedSite> sites, std::span<const SharedAlleles> shared);

}  // namespace fastid::linked
