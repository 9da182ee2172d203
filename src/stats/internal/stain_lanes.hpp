/// \file
/// What takes most of the time of a mixture: sums over sites and their logarithms, several side by side.
///
/// Additions have one order, whatever the processor: those over sites are eight sums, of each eighth site,
/// which are added up as a tree. Logarithms are made of additions, multiplications and a division, too.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/stain_terms.hpp"

namespace fastid::stats {

struct DropOutGroup;

/// A site's means of products of p (stats/internal/allele_moments.hpp), and what each of them weighs.
struct SiteOfStain {
  std::span<const double> moments;
  std::span<const JointTerms> terms;  ///< as many
};

/// [y]: of a person who shows y.
using RatiosOfSite = std::array<RelationRatios, kGenotypes>;

/// relation_ratios() of the joint probabilities of each site, but for rounding.
/// \param ratios  one for each site
void ratios_of_sites(std::span<const SiteOfStain> sites, std::span<RatiosOfSite> ratios);

/// The logarithms of numbers from 0 on, with an error of one unit in the last place; for tests.
void natural_logs(std::span<double> values);

/// The sites that drop-outs are fitted to, padded to a multiple of kFitLanes with sites without weight.
inline constexpr std::size_t kFitLanes = 8;
struct FitSites {
  std::size_t size = 0;   ///< padded
  bool weighted = false;  ///< not all weigh 1; else those of the padding have a probability of 1
  std::vector<double> weights;
  std::vector<double> signs;   ///< [minor, major, both, all hidden (ShownSigns)][site]
  std::vector<double> copies;  ///< [person][minor copies][site]; person 0 is anybody
};

/// A stain's log likelihood, natural, without the condition that a site shows something, and its derivatives
/// by the drop-outs of groups from `fixed` on.
struct FitSums {
  double value = 0;
  std::vector<double> first, second;  ///< [group]; [group][group], of second groups up to the first
};

/// \param slopes  whether derivatives are asked for
FitSums sum_of_fit(const FitSites& sites, std::span<const DropOutGroup> groups, std::size_t fixed,
                   double drop_in, bool slopes);

}  // namespace fastid::stats
