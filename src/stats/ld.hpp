/// \file
/// Linkage disequilibrium of two sites, from what is counted of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/ld.hpp"

namespace fastid::stats {

/// D: how much more often two minor alleles lie on one haplotype than if the sites were independent.
struct Disequilibrium {
  double d = 0;
  double d_prime = 0;  ///< D over the largest that the allele frequencies allow: in [-1, 1]
};

/// The disequilibrium of haplotypes; no value where a site has one allele.
std::optional<Disequilibrium> of_haplotypes(const engine::LdCounts& counts);

/// The disequilibrium of genotypes, whose haplotypes are not seen: by the haplotype frequencies that make the
/// genotypes most probable if a person's two haplotypes are independent (the fixed point of the EM algorithm,
/// found as a root of its cubic equation). No value where a site has one allele.
///
/// \param haplotypes  counts of people with one copy of both sites, whose haplotype is seen
///
/// Source. W. G. Hill, Estimation of linkage disequilibrium in randomly mating populations, Heredity 33
/// (1974); the cubic: T. R. Gaunt, S. Rodriguez, I. N. M. Day, Cubic exact solutions for the estimation of
/// pairwise haplotype frequencies, BMC Bioinformatics 8 (2007).
using HaplotypeCells = std::array<std::array<std::uint32_t, 2>, 2>;  ///< [minor at the first][at the second]
std::optional<Disequilibrium> of_genotypes(const engine::GenotypeCells& cells,
                                           const HaplotypeCells& haplotypes = {});

}  // namespace fastid::stats
