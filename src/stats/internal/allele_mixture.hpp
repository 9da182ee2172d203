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

#include <array>
#include <span>
#include <vector>

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

  /// log10 P(the mixture's alleles | the person's, the mixture shows some at each site), over the sites that
  /// are called in both, with the given drop-out; else with the one that makes it largest. The ratio of two
  /// hypotheses is log10_ratio() of theirs. \param mixture, person  rows like these
  Likelihood of(const RowView& mixture, const RowView& person) const override;
  /// Given that the mixture shows something there.
  double log10_at(std::size_t site, std::size_t mixture, std::size_t person, double drop_out) const override;
  std::vector<double> log10_at_all(double drop_out) const override;

  /// P(the mixture shows `mixture` | the person's genotype) at one site; over the four kinds they add up
  /// to 1. \param person  not kNeither
  double probability(std::size_t site, Shown mixture, Shown person, double drop_out) const;

 private:
  /// [shown][c]: P(shown | c minor copies).
  using Stain = std::array<std::array<double, 2 * kMostContributors + 1>, 4>;
  /// What is seen at one site, in a form that sums run over.
  struct Pair {
    const double* copies = nullptr;  ///< P(c minor copies | the person's genotype), for c = 0 .. 2 n
    Shown mixture{};
    double weight = 1;
  };
  const double* copies(std::size_t site, Shown person) const;
  Stain stain(double drop_out) const;
  double sum(const Pair& pair, const Stain& stain) const;
  double log10_likelihood(std::span<const Pair> pairs, double drop_out) const;
  double log10_at(std::size_t site, std::size_t mixture, std::size_t person, const Stain& stain) const;

  double drop_in_;
  std::size_t terms_;           ///< 2 n + 1
  std::vector<double> copies_;  ///< [site][person][c]
  std::shared_ptr<const LinkageBlocks> blocks_;
  std::vector<double> tried_;  ///< the given drop-out, else drop_outs_to_try()
};

}  // namespace fastid::stats
