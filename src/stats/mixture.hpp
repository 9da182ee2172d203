/// \file
/// A mixture of several people, in one population: who could have contributed, and how many there are.
///
/// At a site where the contributors have c minor copies together, the stain shows no minor allele with
/// probability d^c (1 - e): each copy drops out with probability d, and a minor allele drops in with e. The
/// contributors' alleles are conditional on the alleles already seen (stats/internal/genotype.hpp). Where
/// both mixture and person say which alleles were seen, stats/internal/allele_mixture.hpp has the same of
/// both alleles. Encoding says which of the two holds; kinds are those of stats/shown.hpp.
///
/// Source. D. J. Balding, J. Buckleton, Interpreting low template DNA profiles, Forensic Science
/// International: Genetics 4 (2009), for drop-out of copies and drop-in; here with bits instead of alleles.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
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

/// The likelihood of a hypothesis given what is seen of a mixture and of one person.
struct Likelihood {
  double log10 = 0;     ///< log10 P(what the mixture shows | what the person shows, the hypothesis)
  double drop_out = 0;  ///< the drop-out that log10 was computed with
};

/// One hypothesis about mixtures: one of n contributors is the person (kSame) or a relative of the person, or
/// all are unrelated to the person. Known people are always among the contributors.
class Contribution {
 public:
  virtual ~Contribution() = default;

  /// The likelihood over the sites called in both, of which those of one linkage block weigh as one; by
  /// alleles conditional on something being shown at each. The drop-out is the given one, else the one that
  /// makes the likelihood largest, which is then exact to 1e-7. The ratio of two hypotheses is log10_ratio()
  /// of theirs.
  Likelihood of(const RowView& mixture, const RowView& person) const;
  /// The same of each of several people, which together takes a fraction of the time.
  std::vector<Likelihood> of(const RowView& mixture, std::span<const RowView> people) const;
  /// The same site by site, which is slow.
  Likelihood site_by_site(const RowView& mixture, const RowView& person) const;

  /// log10 P(the mixture shows the kind `mixture` | the person shows the kind `person`) at one site; by
  /// alleles given that it shows something.
  double log10_at(std::size_t site, std::size_t mixture, std::size_t person, double drop_out) const;

  /// The same for all: [site][mixture][person].
  std::vector<double> log10_at_all(double drop_out) const;

 protected:
  /// [kind][c]: P(a mixture shows the kind | its contributors have c minor copies).
  using Stain = std::array<std::array<double, 2 * kMostContributors + 1>, 4>;

  /// \param n  in [1, kMostContributors]
  Contribution(const PopulationModel& model, Encoding by, unsigned n, const MixtureParameters& parameters);

  /// P(c minor copies among all n | what the person shows), for c = 0 .. 2 n, to be filled in.
  std::span<double> copies(std::size_t site, std::size_t person) {
    return {&copies_[(site * kinds_ + person) * terms_], terms_};
  }
  const double* copies(std::size_t site, std::size_t person) const {
    return &copies_[(site * kinds_ + person) * terms_];
  }
  virtual Stain stain(double drop_out) const = 0;
  double drop_in() const { return drop_in_; }
  std::size_t terms() const { return terms_; }
  double probability(const double* copies, std::size_t mixture, const Stain& stain) const;

 private:
  class Products;
  std::optional<std::vector<Likelihood>> by_products(const RowView& mixture,
                                                     std::span<const RowView> people) const;

  double drop_in_;
  Encoding by_;
  std::size_t kinds_, terms_;   ///< of kinds that a person shows; 2 n + 1
  std::vector<double> copies_;  ///< [site][person][c]
  std::vector<double> tried_;   ///< the given drop-out, else drop_outs_to_try()
  std::shared_ptr<const LinkageBlocks> blocks_;
};

/// By bits.
class BitContribution final : public Contribution {
 public:
  /// \param known  rows with the model's sites; fewer than n \param n  in [1, kMostContributors]
  BitContribution(const PopulationModel& model, std::span<const RowView> known, unsigned n,
                  Relation contributor, const MixtureParameters& parameters);

 private:
  Stain stain(double drop_out) const override;
};

/// P(a random person carries an allele that the mixture lacks), given that its n contributors do not carry
/// it, at each site of `compared` where the mixture lacks one: the events for a PoissonBinomial, whose
/// P(count <= L) is P(RMNE | L).
std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n,
                                   Encoding by = Encoding::kMinor);

/// Share of called sites that show the minor allele (by alleles: both alleles); 0 where nothing is called.
double saturation(const RowView& mixture, Encoding by = Encoding::kMinor);

/// An estimate of the number of people in a mixture.
struct ContributorEstimate {
  unsigned best = 1;  ///< the number with the greatest likelihood
  unsigned low = 1;   ///< the range that is compatible with the data: log likelihood within 1.92 of the
  unsigned high = 1;  ///< best one's (95 %, large samples). kMostContributors stands for "or more".
  /// False where no site is called; then best is 1, low 1 and high kMostContributors.
  bool informative = false;
  double log10_likelihood = 0;  ///< log10 P(what the mixture shows), with the best number
};

/// The probabilities of what a mixture of 1 .. kMostContributors unrelated people shows, at each site. By
/// alleles they are conditional on something being shown.
class ContributorTable {
 public:
  ContributorTable(const PopulationModel& model, const MixtureParameters& parameters,
                   Encoding by = Encoding::kMinor);

  /// The maximum likelihood estimate from what the mixture shows; sites are taken as independent, but for
  /// those of one linkage block, which weigh as one.
  ContributorEstimate estimate(const RowView& mixture) const;

  /// The expected saturation of n people at the mixture's called sites. (Without drop-out and drop-in, and
  /// with theta 0, it is the mean of 1 - p^(2n); by alleles, of 1 - p^(2n) - q^(2n).)
  double expected_saturation(const RowView& mixture, unsigned n) const;

 private:
  using ByNumber = std::array<double, kMostContributors>;  ///< [n - 1]
  Encoding by_;
  std::size_t kinds_;
  std::vector<ByNumber> shown_;  ///< P(the minor allele is shown, or by alleles: both are)
  std::vector<ByNumber> log_;    ///< [site][kind] natural logarithms
  std::shared_ptr<const LinkageBlocks> blocks_;
};

/// The numbers of contributors that are considered for a mixture.
struct ConsideredContributors {
  ContributorEstimate estimate;
  unsigned low = 1, high = 1;  ///< the given number, else the ends of the interval

  /// The given number, else the best estimate of those considered.
  unsigned best() const { return std::clamp(estimate.best, low, high); }
};

/// What all mixtures of a search share in one population.
class MixtureModel {
 public:
  /// \param model  must outlive this object, as must the rows of `known` \throws UsageError
  /// (check_parameters())
  MixtureModel(const PopulationModel& model, std::span<const RowView> known,
               const MixtureParameters& parameters, Encoding by = Encoding::kMinor);

  const PopulationModel& population() const { return *model_; }
  const MixtureParameters& parameters() const { return parameters_; }
  const ContributorTable& table() const { return table_; }
  Encoding by() const { return by_; }

  ConsideredContributors considered(const RowView& mixture) const;
  /// The lowest number that is considered where none is given.
  unsigned fewest() const;

  /// Computed at the first call. Thread-safe.
  const Contribution& contribution(unsigned n, Relation contributor) const;

 private:
  const PopulationModel* model_;
  std::vector<RowView> known_;
  MixtureParameters parameters_;
  Encoding by_;
  ContributorTable table_;
  mutable std::mutex guard_;
  mutable std::map<std::pair<unsigned, Relation>, std::unique_ptr<const Contribution>> contributions_;
};

}  // namespace fastid::stats
