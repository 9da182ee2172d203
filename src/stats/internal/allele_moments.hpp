/// \file
/// Probabilities of several alleles of one subpopulation. They turn a sum over independent people into a sum
/// over people whose alleles are conditional on each other.
///
/// The sampling formula (stats/internal/genotype.hpp) is a mean over the subpopulation's frequency p, p ~
/// Beta with mean q and F_ST theta. So the mean of a polynomial in p, written as a sum of c_i p^i (1 - p)^(n
/// - i), is the sum of c_i times the probability that n alleles are i minor ones, then n - i major ones:
/// without an error, and without differences.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fastid::stats {

class AlleleMoments {
 public:
  /// Moments of `alleles` alleles. \param theta  in [0, 1]
  AlleleMoments(std::size_t alleles, double theta);

  std::size_t alleles() const { return alleles_; }
  /// Sets moments[i] to P(i minor alleles, then the others major) = E(p^i (1 - p)^(alleles - i)). \param q in
  /// [0, 1] \param moments  alleles + 1
  void at(double q, std::span<double> moments) const;

 private:
  std::size_t alleles_;
  double theta_, by_order_ = 1;  ///< 1 / what the formula divides by
};

}  // namespace fastid::stats
