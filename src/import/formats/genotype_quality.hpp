/// \file
/// How sure a VCF is of a genotype: GQ, else RGQ (of a reference call), else by GP, whose probabilities are
/// plain or phred-scaled.
#pragma once

#include <cstdint>
#include <span>

namespace fastid {

/// -10 log10 of the probability of any other genotype than `genotype` (alleles by their numbers, one or two),
/// by the probabilities of all, in a VCF's order. NaN where they do not say.
double quality_by_probabilities(std::span<const float> probabilities, std::span<const std::int32_t> genotype);

}  // namespace fastid
