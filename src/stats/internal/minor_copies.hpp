/// \file
/// How many minor copies the contributors of a mixture have together, at one site.
#pragma once

#include <array>
#include <span>

#include "stats/internal/genotype.hpp"
#include "stats/mixture.hpp"

namespace fastid::stats {

/// P(0, 1, ... minor alleles among those drawn so far).
using Minors = std::array<double, 2 * kMostContributors + 1>;

/// Draws one more allele, after those seen and `drawn` others.
void draw(double q, double theta, Seen seen, unsigned drawn, Minors& minors);

/// Contributors whose genotypes are not known.
struct Unknown {
  Seen seen;             ///< the alleles of the people whose genotypes are known
  unsigned person = 0;   ///< the minor copies of the person in question, one of these people
  unsigned alleles = 0;  ///< of the unknown contributors, 2 each
  Ibd ibd;               ///< of one of them with the person; kSame: the person; none: all are unrelated
};

/// Adds to copies[c], for c = 0 .. alleles, `weight` times P(they have c minor copies).
void add_copies(double q, double theta, const Unknown& unknown, double weight, std::span<double> copies);

}  // namespace fastid::stats
