/// \file
/// A trait that depends on three sites together, by a table of penetrances.
///
///   threshold   a person with a minor allele at each of the three sites is at risk
///   xor         a person who is heterozygous at one of them, or at all three, is at risk
///   majority    a person with a minor allele at two of them, or at all three, is at risk
///
/// The penetrance of a joint genotype, the probability that a person who has it is a case, is linear in the
/// model's risk. Its two coefficients follow from the prevalence and the heritability: the share of the
/// trait's variance that the joint genotypes explain, at the sites' frequencies and Hardy-Weinberg
/// proportions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

struct Trait {
  std::array<std::uint32_t, 3> sites{};  ///< ascending
  std::array<double, 27> penetrance{};   ///< [9 a + 3 b + c] for a, b, c minor copies
};

/// Draws three autosomal sites, common ones where there are three, and works out their table. \throws
/// UsageError where there are no three sites, or no penetrances in [0, 1] have this heritability and
/// prevalence
Trait plan_trait(const SimulateOptions& options, const SiteClasses& classes,
                 const std::vector<double>& minor_freq);

/// Bit i: person i of a block of the database is a case.
std::uint32_t cases_of(const Trait& trait, const People& people, std::uint64_t seed, std::uint64_t block);

}  // namespace fastid::simulate
