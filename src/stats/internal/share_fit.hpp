/// \file
/// The shares of a stain's contributors, and the parameters of what was measured, that make the stain most
/// probable, with theta 0: from what the stain alone shows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/genotype.hpp"
#include "stats/internal/signal.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/internal/stain_terms.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// Sets of genotypes of n contributors are numbered: that of minor copies g_i is the sum of g_i 3^i.
constexpr std::size_t sets_of_genotypes(std::size_t n) {
  return n == 0 ? 1 : 3 * sets_of_genotypes(n - 1);
}
/// The share of minor copies of each set. \param shares  of the contributors; they add up to 1
std::vector<double> minor_shares(std::span<const double> shares);
/// Sets each entry to the product of its people's probabilities.
/// \param sets  sets_of_genotypes(people.size())
void weigh_sets(std::span<const Copies> people, std::span<double> sets);

/// P(a relative has h minor copies | a person has g, frequency p) as a polynomial: [m] is what p^m (1 - p)^(2
/// - m) is multiplied by.
Copies terms_of_relative(std::size_t g, std::size_t h, const Ibd& ibd);

/// What explains a stain's measurements best.
struct ShareExplanation {
  std::vector<double> shares;  ///< of the known people, then of unknown ones, the greatest first
  SignalParameters parameters{};
  double log_likelihood = 0;
};

class ShareFit {
 public:
  /// \param sites  of the model, where signals are, in the signals' order \param known  rows of the model's
  /// sites \param least_share  of a contributor All must outlive this.
  ShareFit(const PopulationModel& model, const Signals& signals, std::span<const std::size_t> sites,
           std::span<const double> weights, std::span<const RowView> known, Encoding by, double least_share);

  /// The best explanation by n contributors. No share is below the lesser of the least one and half of an
  /// equal share. \param n  at most kMostByShares (stats/stain.hpp), and more than there are known people
  /// \param kin  how the two are related: other than kUnrelated only where n is 2 and nobody is known
  ShareExplanation fit(unsigned n, Relation kin = Relation::kUnrelated) const;
  /// With these shares only the parameters are fitted.
  ShareExplanation fit_parameters(std::span<const double> shares) const;

  double least_share() const { return least_share_; }
  /// The total weight of the fitted sites; the sites of a linkage block weigh as one.
  double weight() const { return weight_; }

 private:
  struct Start;
  std::vector<double> sets_at_sites(unsigned n, Relation kin) const;
  LocalShape shape(std::span<const double> sets, std::span<const double> shares,
                   const std::vector<std::vector<double>>& by_free, const SignalParameters& parameters) const;

  const PopulationModel& model_;
  const Signals& signals_;
  std::span<const std::size_t> sites_;
  std::span<const double> weights_;
  std::span<const RowView> known_;
  Encoding by_;
  double least_share_, weight_ = 0;
};

}  // namespace fastid::stats
