/// \file
/// What a mixture's sites weigh by what a person shows there, in whole numbers, for an engine that ranks a
/// database by the ratio of a contributor.
#pragma once

#include "stats/evidence.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::stats {

/// Two sets for each support of a weight of 0.01 or more in some population, or for the heaviest: of a
/// contributor, and of a contributor's sibling, since relatives are looked for too. They have the mean of the
/// populations that know the support. A support is left out where a weightier one's set ranks its contributor
/// nearly as well, and beyond kMostSupports. Of all sites that the mixture calls. \param question  of
/// mixtures \param explained  explanations_of() the mixture \param against_stains  the database holds
/// mixtures
WholeWeights stain_weights(const Question& question, const Stain& stain, const StainExplanations& explained,
                           bool against_stains = false);
inline constexpr std::size_t kMostSupports = 4;

}  // namespace fastid::stats
