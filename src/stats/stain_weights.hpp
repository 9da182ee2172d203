/// \file
/// What a mixture's sites weigh by what a person shows there, in whole numbers, for an engine that ranks a
/// database by the ratio of a contributor.
#pragma once

#include "stats/evidence.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::stats {

/// One set for each support of a weight above 0.01 in some population, which has the mean of the populations
/// that know this support. A support is left out where a weightier one's set ranks its contributor nearly as
/// well, and beyond kMostSets. Of all sites that the mixture calls. \param question  of mixtures
/// \param explained  explanations_of() the mixture
inline constexpr std::size_t kMostSets = 4;
WholeWeights stain_weights(const Question& question, const Stain& stain, const StainExplanations& explained);

/// A sum of such weights that nobody is below whose ratio, by these supports, is at least this. \param n_sites
/// that have weights
std::int64_t least_sum(const WholeWeights& weights, double log10_lr, std::size_t n_sites);

}  // namespace fastid::stats
