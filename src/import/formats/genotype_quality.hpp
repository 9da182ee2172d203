/// \file
/// How sure a VCF is of a genotype: GQ, else RGQ (of a reference call), else by GP, whose probabilities are
/// plain or phred-scaled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fastid::imports {

/// The probabilities of all genotypes, in a VCF's order, as GP states them: plain or phred-scaled. They add
/// up to 1; none where one is missing or no probability.
std::vector<double> genotype_probabilities(std::span<const float> stated);

/// -10 log10 of the probability of any other genotype than `genotype` (alleles by their numbers, one or two),
/// by the probabilities of all, in a VCF's order. NaN where they do not say.
double quality_by_probabilities(std::span<const float> probabilities, std::span<const std::int32_t> genotype);

}  // namespace fastid::imports
