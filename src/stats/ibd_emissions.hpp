/// \file
/// What is seen of two people at one site, given how many of their alleles are identical by descent.
#pragma once

#include <array>

#include "stats/shown.hpp"

namespace fastid::stats {

/// [alleles identical by descent][x][y]: P(x is seen of one person and y of the other). Each table of the
/// three adds up to 1.
using IbdEmissions = std::array<std::array<std::array<double, kGenotypes>, kGenotypes>, 3>;

/// The true genotypes by the sampling formula with theta (stats/internal/genotype.hpp), each copy read as the
/// other allele with probability w. \param q  above 0 and below 1 \param theta  in [0, 1] \param w  in
/// [0, 0.5]
IbdEmissions ibd_emissions(double q, double theta, double w);

}  // namespace fastid::stats
