/// \file
/// What a mixture of several people shows of people at random: by counts of alleles. (stats/stain.hpp weighs
/// the alleles by likelihoods.)
#pragma once

#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/poisson_binomial.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// The highest number of contributors that can be asked for; `--contributors` lies in [1, kMostContributors].
inline constexpr unsigned kMostContributors = 20;

/// P(a random person carries an allele that the mixture lacks), given that its n contributors do not carry
/// it, at each site of `compared` where the mixture lacks one: the events for a PoissonBinomial, whose
/// P(count <= L) is P(RMNE | L).
std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n,
                                   Encoding by = Encoding::kMinor);

/// Share of called sites that show the minor allele (by alleles: both alleles); 0 where nothing is called.
double saturation(const RowView& mixture, Encoding by = Encoding::kMinor);

}  // namespace fastid::stats
