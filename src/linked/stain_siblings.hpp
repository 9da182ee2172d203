/// \file
/// Siblings of a stain's contributor, by the stretches that they inherit.
///
/// A sibling shares whole stretches with the contributor, so that sites are not independent. Along each
/// chromosome the alleles that the two have identical by descent are a hidden Markov chain, as in `fastid
/// kin` (linked_model.hpp). Its emissions are sums over the slot of the contributor in question
/// (stats/stain.hpp), for each support: how much more probable the stain and what the person shows are if one
/// or two alleles are identical by descent than if none is. A ratio is the weighted mean of the supports'
/// ratios.
///
/// All called sites count, as they do for the person's own ratio: a relative's smaller number of sites would
/// make the person stand apart. Sites without a place on the map are taken as unlinked; linkage blocks weigh
/// as one site in both.
#pragma once

#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "panel/genetic_map.hpp"
#include "stats/stain.hpp"

namespace fastid::linked {

/// log10 of the ratio of "a contributor has this relation to the person" to "nobody related to the person
/// contributed".
struct SiblingRatios {
  double sibling = 0, half_sibling = 0;
};

/// The ratios of each of some people; eight people take little longer than one. \param sites  in the order of
/// mapped_sites() \param supports  one or more, of the stain in the model's population
std::vector<SiblingRatios> siblings_of_contributor(const stats::StainModel& model,
                                                   std::span<const MappedSite> sites,
                                                   const stats::Stain& stain,
                                                   std::span<const stats::StainSupport> supports,
                                                   std::span<const RowView> people);

}  // namespace fastid::linked
