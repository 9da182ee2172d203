/// \file
/// A mixture of several people, in one population: who could have contributed, and how many there are.
///
/// At a site where the contributors have c minor copies together, the stain shows no minor allele with
/// probability d^c (1 - e): each copy drops out with probability d, and a minor allele drops in with e. What
/// the contributors carry is conditional on the alleles already seen (stats/internal/genotype.hpp).
///
/// Source. D. J. Balding, J. Buckleton, Interpreting low template DNA profiles, Forensic Science
/// International: Genetics 4 (2009), for drop-out of copies and drop-in; bits in place of alleles.
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

/// Most contributors that the model tells apart; `--contributors` lies in [1, kMostContributors].
inline constexpr unsigned kMostContributors = 20;

/// Log likelihood lost at the ends of a 95 % interval: half of chi-squared's 0.95 quantile at one degree of
/// freedom.
inline constexpr double kLikelihoodInterval = 1.920729410347062;

struct MixtureParameters {
  std::optional<unsigned> contributors;  ///< in [1, kMostContributors]; nothing: estimated
  std::optional<double> drop_out;        ///< d, in [0, 1); nothing: each hypothesis at its own best value
  double drop_in = 0.005;                ///< e, in [0, 0.5]
};

/// \throws UsageError where a parameter is out of its range, or `known` people leave no room for another
/// contributor; names the option and the range.
void check_parameters(const MixtureParameters& parameters, std::size_t known);

/// Where a drop-out that is not given is looked for.
inline constexpr double kLeastDropOut = 1e-4, kMostDropOut = 0.99;
/// With which the number of contributors is estimated where none is given: bits hardly tell more people of
/// whom alleles dropped out from fewer people of whom none did.
inline constexpr double kUsualDropOut = 0.005;
/// Fewest contributors where neither their number nor the drop-out is given: two people of whom alleles
/// dropped out look like one of whom none did, and to weigh one of the two as the only contributor would
/// clear everybody.
inline constexpr unsigned kFewestWithDropOut = 2;

/// What the bits of a mixture and of one person say of a hypothesis.
struct Likelihood {
  double log10 = 0;     ///< log10 P(the mixture's bits | the person's bits, the hypothesis)
  double drop_out = 0;  ///< that it was computed with
};

/// One hypothesis about mixtures: of n contributors one is the person (kSame) or a relative of the person, or
/// all are unrelated to the person. Known people are among them in any case.
class Contribution {
 public:
  /// \param known  rows with the model's sites; fewer than n \param n  in [1, kMostContributors]
  Contribution(const PopulationModel& model, std::span<const RowView> known, unsigned n, Relation contributor,
               const MixtureParameters& parameters);

  /// Over the sites called in both.
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
  /// Drop-outs: the one that is given, else some from the least to the most, evenly spaced by log(d / (1 -
  /// d)), between which the best one is looked for.
  std::vector<double> tried_;
  std::vector<double> log10_tried_;  ///< [site][mixture's bit][person's bit][tried]: log10_at()
};

/// P(a random person shows an allele that the mixture lacks), given that its n contributors show none, at
/// each site of `compared` that the mixture has called with bit 0. For PoissonBinomial, whose P(count <= L)
/// is P(RMNE | L).
std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n);

/// Share of called sites with bit 1; 0 where nothing is called.
double saturation(const RowView& mixture);

/// How many people made a mixture.
struct ContributorEstimate {
  unsigned best = 1;  ///< of greatest likelihood
  unsigned low = 1;   ///< the range that the data do not speak against: log likelihood within 1.92 of the
  unsigned high = 1;  ///< best one's (95 %, large samples). kMostContributors stands for "or more".
  bool informative = false;     ///< false where nothing is called: then best 1, low 1, high kMostContributors
  double log10_likelihood = 0;  ///< log10 P(the mixture's bits), with the best number
};

/// What a mixture of 1 .. kMostContributors unrelated people shows at each site of a population.
class ContributorTable {
 public:
  ContributorTable(const PopulationModel& model, const MixtureParameters& parameters);

  /// Greatest likelihood of the mixture's bits, sites independent.
  ContributorEstimate estimate(const RowView& mixture) const;

  /// The saturation to expect of n people at the mixture's called sites. (Without drop-out and drop-in and
  /// with theta 0 the mean of 1 - p^(2n).)
  double expected_saturation(const RowView& mixture, unsigned n) const;

 private:
  using ByNumber = std::array<double, kMostContributors>;  ///< [n - 1]
  std::vector<ByNumber> shown_;                            ///< P(bit 1)
  std::vector<std::array<ByNumber, 2>> log_;               ///< [site][bit] natural logarithms
};

/// Mixtures in one population: what all mixtures of a search share.
class MixtureModel {
 public:
  /// \param model, known  must outlive it \throws UsageError (check_parameters())
  MixtureModel(const PopulationModel& model, std::span<const RowView> known,
               const MixtureParameters& parameters);

  const PopulationModel& population() const { return *model_; }
  const MixtureParameters& parameters() const { return parameters_; }
  const ContributorTable& table() const { return table_; }
  std::size_t known() const { return known_.size(); }

  /// Made when it is first asked for. Thread-safe.
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
