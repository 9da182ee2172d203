/// \file
/// A mixture of several people, in one population: who could have contributed, and how many there are.
///
/// At a site where the contributors have c minor copies together, the stain shows no minor allele with
/// probability d^c (1 - e): each copy drops out with probability d, and a minor allele drops in with e. The
/// contributors' alleles are conditional on the alleles already seen (stats/internal/genotype.hpp).
///
/// Source. D. J. Balding, J. Buckleton, Interpreting low template DNA profiles, Forensic Science
/// International: Genetics 4 (2009), for drop-out of copies and drop-in; here with bits instead of alleles.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/poisson_binomial.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// The highest number of contributors that the model considers; `--contributors` lies in [1,
/// kMostContributors].
inline constexpr unsigned kMostContributors = 20;

/// Difference in log likelihood between the best value and the ends of a 95 % interval: half of chi-squared's
/// 0.95 quantile at one degree of freedom.
inline constexpr double kLikelihoodInterval = 1.920729410347062;

struct MixtureParameters {
  std::optional<unsigned> contributors;  ///< in [1, kMostContributors]; not set: estimated
  std::optional<double> drop_out;        ///< d, in [0, 1); not set: each hypothesis at its own best value
  double drop_in = 0.005;                ///< e, in [0, 0.5]
};

/// \throws UsageError where a parameter is out of its range, or `known` people leave no room for another
/// contributor; names the option and the range.
void check_parameters(const MixtureParameters& parameters, std::size_t known);

/// Where no drop-out is given, the best one is searched for in this range.
inline constexpr double kLeastDropOut = 1e-4, kMostDropOut = 0.99;
/// The drop-out with which the number of contributors is estimated where no drop-out is given: bits hardly
/// distinguish more people with drop-out from fewer people without it.
inline constexpr double kUsualDropOut = 0.005;
/// The lowest number of contributors where neither the number nor the drop-out is given: two people with
/// drop-out look like one person without it, and neither of the two would match as the only contributor.
inline constexpr unsigned kFewestWithDropOut = 2;

/// The likelihood of a hypothesis given the bits of a mixture and of one person.
struct Likelihood {
  double log10 = 0;     ///< log10 P(the mixture's bits | the person's bits, the hypothesis)
  double drop_out = 0;  ///< the drop-out that log10 was computed with
};

/// One hypothesis about mixtures: one of n contributors is the person (kSame) or a relative of the person, or
/// all are unrelated to the person. Known people are always among the contributors.
class Contribution {
 public:
  /// \param known  rows with the model's sites; fewer than n \param n  in [1, kMostContributors]
  Contribution(const PopulationModel& model, std::span<const RowView> known, unsigned n, Relation contributor,
               const MixtureParameters& parameters);

  /// The likelihood over the sites called in both.
  Likelihood of(const RowView& mixture, const RowView& person) const;

  /// log10 P(the mixture's bit | the person's bit) at one site.
  double log10_at(std::size_t site, bool mixture, bool person, double drop_out) const;

 private:
  struct Slope;
  /// A site of a mixture and a person, with their bits.
  struct Pair {
    std::uint32_t site;
    bool mixture, person;
  };
  std::span<const double> copies(std::size_t site, bool person) const;
  double shown(const Pair& pair, double drop_out) const;
  std::vector<double> log10_tried(std::span<const Pair> pairs) const;
  double log10_sum(std::span<const Pair> pairs, double drop_out) const;
  Slope slope(std::span<const Pair> pairs, double logit) const;
  double best_drop_out(std::span<const Pair> pairs, std::span<const double> log10_tried) const;

  double no_drop_in_;           ///< 1 - e
  std::size_t terms_;           ///< 2 n + 1
  std::vector<double> copies_;  ///< [site][person's bit][c]: P(c minor copies among all n | the person's bit)
  /// The given drop-out, else a grid from kLeastDropOut to kMostDropOut, evenly spaced in log(d / (1 - d)),
  /// between whose values the best one is searched for.
  std::vector<double> tried_;
  std::vector<double> log10_tried_;  ///< [site][mixture's bit][person's bit][tried]: log10_at()
};

/// P(a random person carries an allele that the mixture lacks), given that its n contributors do not carry
/// it, at each site of `compared` that the mixture has called with bit 0: the events for a PoissonBinomial,
/// whose P(count <= L) is P(RMNE | L).
std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n);

/// Share of called sites with bit 1; 0 where nothing is called.
double saturation(const RowView& mixture);

/// An estimate of the number of people in a mixture.
struct ContributorEstimate {
  unsigned best = 1;  ///< the number with the greatest likelihood
  unsigned low = 1;   ///< the range that is compatible with the data: log likelihood within 1.92 of the
  unsigned high = 1;  ///< best one's (95 %, large samples). kMostContributors stands for "or more".
  /// False where no site is called; then best is 1, low 1 and high kMostContributors.
  bool informative = false;
  double log10_likelihood = 0;  ///< log10 P(the mixture's bits), with the best number
};

/// The probabilities of the bits of a mixture of 1 .. kMostContributors unrelated people, at each site.
class ContributorTable {
 public:
  ContributorTable(const PopulationModel& model, const MixtureParameters& parameters);

  /// The maximum likelihood estimate from the mixture's bits; sites are taken as independent.
  ContributorEstimate estimate(const RowView& mixture) const;

  /// The expected saturation of n people at the mixture's called sites. (Without drop-out and drop-in, and
  /// with theta 0, it is the mean of 1 - p^(2n).)
  double expected_saturation(const RowView& mixture, unsigned n) const;

 private:
  using ByNumber = std::array<double, kMostContributors>;  ///< [n - 1]
  std::vector<ByNumber> shown_;                            ///< P(bit 1)
  std::vector<std::array<ByNumber, 2>> log_;               ///< [site][bit] natural logarithms
};

/// What all mixtures of a search share in one population.
class MixtureModel {
 public:
  /// \param model, known  must outlive this object \throws UsageError (check_parameters())
  MixtureModel(const PopulationModel& model, std::span<const RowView> known,
               const MixtureParameters& parameters);

  const MixtureParameters& parameters() const { return parameters_; }
  const ContributorTable& table() const { return table_; }
  std::size_t known() const { return known_.size(); }

  /// Computed at the first call. Thread-safe.
  const Contribution& contribution(unsigned n, Relation contributor) const;

 private:
  const PopulationModel* model_;
  std::vector<RowView> known_;
  MixtureParameters parameters_;
  ContributorTable table_;
  mutable std::mutex guard_;
  mutable std::map<std::pair<unsigned, Relation>, Contribution> contributions_;
};

}  // namespace fastid::stats
