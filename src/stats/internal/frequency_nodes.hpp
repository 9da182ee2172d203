/// \file
/// A subpopulation's allele frequency p as a few weighted values, so that probabilities of people whose
/// alleles are conditional on each other become sums over independent people.
///
/// The sampling formula (stats/internal/genotype.hpp) is a mean over p ~ Beta with mean q and F_ST theta. Up
/// to a degree of 2 k - 1 the mean of a polynomial in p is its weighted sum over the k nodes of the Gauss and
/// Jacobi quadrature, without an error.
///
/// Source. G. H. Golub, J. H. Welsch, Calculation of Gauss quadrature rules, Mathematics of Computation 23
/// (1969); the Jacobi polynomials' recurrence is written for [0, 1] and multiplied out by theta, so that it
/// holds for each theta in [0, 1].
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace fastid::stats {

/// The most nodes that frequency_nodes() makes.
inline constexpr std::size_t kMostFrequencyNodes = 32;

struct FrequencyNode {
  double p = 0;       ///< frequency of the minor allele, in [0, 1]
  double weight = 0;  ///< the weights add up to 1
};

/// Fills `nodes`, in ascending order of p. \param q  in [0, 1] \param theta  in [0, 1] \param nodes  from 1
/// to kMostFrequencyNodes
void frequency_nodes(double q, double theta, std::span<FrequencyNode> nodes);

}  // namespace fastid::stats
