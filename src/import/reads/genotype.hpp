/// \file
/// From the likelihoods of reads under either allele to a genotype, and to another person's share of the
/// reads.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "bits/likelihoods.hpp"
#include "import/reads.hpp"

namespace fastid::imports {

/// log10 of a read's likelihood under the major and under the minor allele.
using ReadLikelihood = std::array<double, 2>;

/// The log10 likelihoods relative to the better allele, with the other's no lower than the log10 odds of a
/// wrong mapping. {0, 0} where both are impossible.
ReadLikelihood trusted(ReadLikelihood read);

/// Whether a genotype with a third allele explains the reads better than every genotype of the two alleles.
/// The prior of a third allele is one in a thousand sites. \param other  for each read, log10 of how much
/// more probable it is under another allele than under the better of the two; 0: its base is one of the two
bool shows_another_allele(std::span<const ReadLikelihood> reads, std::span<const double> other, bool haploid);

/// Sets what the reads of a site say: most probable genotype, its quality, numbers of reads, likelihoods.
/// `call.haploid` is known.
/// \param minor_frequency  of the prior (Hardy-Weinberg); no value: genotypes are equally probable
void weigh(std::span<const ReadLikelihood> reads, std::optional<double> minor_frequency, SiteCall& call);

/// A site for contamination_of(): an autosome's.
struct SiteReads {
  std::vector<float> odds;  ///< for each read, its likelihood under the minor allele divided by its
                            ///< likelihood under the major one
  double minor_frequency = 0;
};

/// What a site's reads say of a person's genotype where a share of them is another, unrelated person's:
///   L(g) = sum over h of P(h) product over reads of P(read | minor share (1 - c) g / 2 + c h / 2)
/// \param odds  of each read, as SiteReads::odds \param share  c, at most 0.5 \param minor_frequency  for
/// P(h) by Hardy-Weinberg; not read where the share is 0
GenotypeLikelihoods likelihoods_of_reads(std::span<const float> odds, double share, double minor_frequency);

/// The share of another, unrelated person's reads that makes all reads most probable:
///   P(reads) = product over sites of the sum over both genotypes g, h of
///              P(g) P(h) product over reads of P(read | minor share (1 - c) g / 2 + c h / 2).
Contamination contamination_of(std::span<const SiteReads> sites);

}  // namespace fastid::imports
