/// \file
/// Expected results, by formulas that share no code with fastid's statistics: Hardy-Weinberg proportions,
/// misread and lost alleles, and how far a count or a mean may deviate by chance.
#pragma once

#include <array>
#include <cstdint>

namespace fastid::validate {

/// The damage of a sample.
struct Damage {
  double error = 0;         ///< share of allele copies that are read as the other allele
  double drop_out = 0;      ///< share of allele copies that are lost; a site that loses both is not called
  std::uint32_t sites = 0;  ///< sites that are typed, evenly spaced; 0: all
};

/// P(0, 1, 2 minor copies) by the minor allele's frequency.
std::array<double, 3> genotypes(double q);

/// [g][x]: P(x is seen of a person with g minor copies); x = 0, 1, 2, 3: the major allele alone, both, the
/// minor one alone, none.
std::array<std::array<double, 4>, 3> seen(const Damage& damage);

/// A mean and a variance, added up over sites.
struct Sum {
  double mean = 0, variance = 0;
};

/// P(k of n tries succeed) where each does with probability p.
double binomial_term(std::uint64_t n, double p, std::uint64_t k);

/// The largest and the least count that occur by chance once in a million times on either side, where
/// `expected` rare events are expected: quantiles of the Poisson distribution.
std::uint64_t most_by_chance(double expected);
std::uint64_t least_by_chance(double expected);
/// The same two bounds for n tries that each succeed with probability p, by the binomial distribution.
std::uint64_t most_of(std::uint64_t n, double p);
std::uint64_t least_of(std::uint64_t n, double p);

/// Standard errors that a mean may lie away from what is expected: two-sided, once in a million times.
inline constexpr double kFarthest = 4.9;

}  // namespace fastid::validate
