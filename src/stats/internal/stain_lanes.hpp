/// \file
/// What takes most of the time of a mixture: sums over sites and their logarithms, several side by side.
///
/// Additions have one order, whatever the processor: eight sums over every eighth site, which are added up as
/// a tree. Logarithms are made of additions, multiplications and a division, too.
#pragma once

#include <algorithm>
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

/// ratios_of_sites() where sites of one key have the same terms, which are made once.
/// \param moments  [site][n_terms] \param n_keys  0: each site has terms of its own
/// \param key_of  key_of(place of the site), below n_keys \param make_terms  make_terms(place, terms to set)
template <class KeyOf, class MakeTerms>
void ratios_by_key(std::span<const double> moments, std::size_t n_terms, std::size_t n_keys,
                   const KeyOf& key_of, const MakeTerms& make_terms, std::span<RatiosOfSite> ratios) {
  constexpr std::size_t kAtOnce = 64;  // sites
  std::vector<JointTerms> terms((n_keys > 0 ? n_keys : kAtOnce) * n_terms);
  std::vector<bool> made(n_keys);
  std::array<SiteOfStain, kAtOnce> some;
  for (std::size_t first = 0; first < ratios.size(); first += kAtOnce) {
    const std::size_t n = std::min(kAtOnce, ratios.size() - first);
    for (std::size_t at = 0; at < n; ++at) {
      const std::size_t i = first + at, key = n_keys > 0 ? key_of(i) : at;
      const auto of_site = std::span(terms).subspan(key * n_terms, n_terms);
      if (n_keys == 0 || !made[key]) make_terms(i, of_site);
      if (n_keys > 0) made[key] = true;
      some[at] = {moments.subspan(i * n_terms, n_terms), of_site};
    }
    ratios_of_sites(std::span(some).first(n), ratios.subspan(first, n));
  }
}

/// The logarithms of numbers from 0 on, with an error of one unit in the last place; for tests.
void natural_logs(std::span<double> values);

/// The sites that drop-outs are fitted to, padded to a multiple of kFitLanes with sites without weight.
inline constexpr std::size_t kFitLanes = 8;
struct FitSites {
  std::size_t size = 0;   ///< padded
  bool weighted = false;  ///< not all sites weigh 1; else the sites of the padding have a probability of 1
  std::vector<double> weights;
  std::vector<double> signs;   ///< [minor, major, both, all hidden (ShownSigns)][site]
  std::vector<double> copies;  ///< [person][minor copies][site]; person 0 is anybody
};

/// A stain's log likelihood, natural, without the condition that a site shows something, and its derivatives
/// by the drop-outs of groups from `fixed` on.
struct FitSums {
  double value = 0;
  std::vector<double> first, second;  ///< [group]; [group][group], a lower triangle
};

/// \param slopes  whether derivatives are asked for
FitSums sum_of_fit(const FitSites& sites, std::span<const DropOutGroup> groups, std::size_t fixed,
                   double drop_in, bool slopes);

}  // namespace fastid::stats
