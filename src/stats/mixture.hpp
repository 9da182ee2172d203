/// \file
/// A mixture of several people, in one population: who could have contributed, and how many there are.
#pragma once

#include <vector>

#include "bits/rows.hpp"
#include "stats/poisson_binomial.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// Most contributors that the model tells apart; `--contributors` lies in [1, kMostContributors].
inline constexpr unsigned kMostContributors = 20;

/// \throws UsageError where the number is not in [1, kMostContributors].
void check_contributors(unsigned contributors);

/// Per-site ratios for n contributors.
class MixtureModel {
 public:
  /// \param contributors in [1, kMostContributors] \throws UsageError
  MixtureModel(const PopulationModel& model, unsigned contributors);

  unsigned contributors() const { return contributors_; }

  /// log10 likelihood ratio of "the person is one of n contributors" against "n people unrelated to the
  /// person are", over the sites called in both. -infinity only where the error rate is 0 and a minor allele
  /// of the person is missing.
  double log10_ratio(const RowView& mixture, const RowView& person) const;

 private:
  unsigned contributors_;
  std::vector<MixtureRatios> ratios_;
};

/// P(a random person shows an allele that the mixture lacks) at each site of `compared` that the mixture has
/// called with bit 0: c. For PoissonBinomial, whose P(count <= L) is P(RMNE | L).
std::vector<Event> exclusion_events(const PopulationModel& model, const RowView& mixture,
                                    std::span<const Word> compared);

/// log10 P(RMNE given 0), sum of log10 P(bit 0) over the called sites where the mixture has bit 0.
double log10_p_rmne_0(const PopulationModel& model, const RowView& mixture);

/// True where chance alone brings more than one profile of `n_profiles` that nothing excludes: N * P(RMNE |
/// 0) > 1. The ranking cannot separate contributors from chance then.
bool is_saturated(const PopulationModel& model, const RowView& mixture, std::uint64_t n_profiles);

/// Share of called sites with bit 1; 0 where nothing is called.
double saturation(const RowView& mixture);

/// The saturation to expect of n contributors at the mixture's called sites: mean of t(1-w) + (1-t)w with
/// t = 1 - (1-c)^n. (With theta 0 and w 0 the mean of 1 - p^(2n).)
double expected_saturation(const PopulationModel& model, const RowView& mixture, unsigned n);

/// How many people made the mixture.
struct ContributorEstimate {
  unsigned best = 1;  ///< of greatest likelihood in [1, kMostContributors]
  unsigned low = 1;   ///< the range that the data do not speak against: log likelihood within 1.92 of the
  unsigned high = 1;  ///< best one's (95 %, large samples). kMostContributors stands for "or more".
  bool informative = false;  ///< false where nothing is called: then best 1, low 1, high kMostContributors
};

/// Greatest likelihood of the mixture's bits, each 1 with t(1-w) + (1-t)w, sites independent.
ContributorEstimate estimate_contributors(const PopulationModel& model, const RowView& mixture);

}  // namespace fastid::stats
