/// \file
/// A mixture that shows which alleles it has, in one population, and the likelihood that a person
/// contributed.
///
/// It extends stats/mixture.hpp, where only the minor allele is looked at. Of the 2 n copies of n
/// contributors let c be minor and 2 n - c major. Each copy drops out with probability d, and each of the two
/// alleles drops in with probability e, all independently. An allele with k copies is then not shown with
/// probability d^k (1 - e), and given c the two alleles are shown or not independently of each other:
///
///   minor  major   P(shown | c)
///     0      0     d^c (1 - e)          d^(2n-c) (1 - e)
///     0      1     d^c (1 - e)         (1 - d^(2n-c) (1 - e))
///     1      0    (1 - d^c (1 - e))     d^(2n-c) (1 - e)
///     1      1    (1 - d^c (1 - e))    (1 - d^(2n-c) (1 - e))
///
/// The person's genotype g is taken as it was seen, under both hypotheses. c is distributed as there: the
/// person's copies or those of a relative, those of known people, and the others' by the sampling formula
/// after all of these. Added up over the major allele the table is d^c (1 - e) or 1 minus it, which is what
/// mixture.hpp has.
///
/// A site that shows neither allele is one without a call. Its probability d^(2n) (1 - e)^2 does not depend
/// on c, so it says nothing about who contributed. Likelihoods are conditional on something being shown, so
/// that a drop-out which is estimated from them does not take sites left out for evidence that nothing drops
/// out.
#pragma once

#include <span>

#include "stats/mixture.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// By alleles.
class AlleleContribution final : public Contribution {
 public:
  /// \param known  rows with the model's sites and `major`; fewer than n \param n  in [1, kMostContributors]
  /// \param parameters  drop_out and drop_in, as check_parameters() lets them pass
  AlleleContribution(const PopulationModel& model, std::span<const RowView> known, unsigned n,
                     Relation contributor, const MixtureParameters& parameters);

  /// P(the mixture shows `mixture` | the person's genotype) at one site; over the four kinds they add up
  /// to 1. \param person  not kNeither
  double probability(std::size_t site, Shown mixture, Shown person, double drop_out) const;

 private:
  Stain stain(double drop_out) const override;
};

}  // namespace fastid::stats
