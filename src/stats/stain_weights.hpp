/// \file
/// What a mixture's sites weigh by what a person shows there, in whole numbers, for an engine that ranks a
/// database by the ratio of a contributor.
#pragma once

#include "stats/evidence.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::stats {

/// Two sets of weights for each support that weighs 0.01 or more in some population, or else for the
/// heaviest: one set for a contributor and one for a contributor's sibling, since relatives are looked for
/// too. A set is the mean over the populations that have the support. A support is left out where a weightier
/// one's set ranks its contributor nearly as well, and beyond kMostSupports. The sets cover all sites that
/// the mixture calls. \param question  of mixtures \param explained  explanations_of() the mixture
/// \param against_stains  the database holds mixtures
WholeWeights stain_weights(const Question& question, const Stain& stain, const StainExplanations& explained,
                           bool against_stains = false);
inline constexpr std::size_t kMostSupports = 4;

}  // namespace fastid::stats
