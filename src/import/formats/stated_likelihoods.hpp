/// \file
/// Genotype likelihoods as a VCF states them: PL (phred), GL (log10), or GP (probabilities, plain or
/// phred-scaled, divided by a flat prior).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "bits/likelihoods.hpp"
#include "import/import.hpp"

namespace fastid::imports {

/// The fields that a rule reads, in order of preference: the first that a sample has counts.
std::span<const std::string_view> likelihood_tags(LikelihoodRule rule);

/// The numbers of genotypes with 0, 1 and 2 copies of allele `minor` beside `major`, in a VCF's order: 0/0,
/// 0/1, 1/1, 0/2 ...
std::array<std::size_t, 3> places_of_genotypes(std::size_t major, std::size_t minor);

/// What a sample's numbers say of three genotypes. All equal where a number is missing, and where there are
/// more or fewer numbers than `n_genotypes`, as for a sample that does not have two copies. No value where a
/// number cannot be one of this field: below 0 (PL, GP), or infinitely likely.
std::optional<GenotypeLikelihoods> likelihoods_of(std::string_view tag, std::span<const float> numbers,
                                                  std::size_t n_genotypes,
                                                  const std::array<std::size_t, 3>& places);

}  // namespace fastid::imports
