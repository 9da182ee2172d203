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

/// The same, where a read that fits neither allele does not speak louder than its mapping can be trusted.
ReadLikelihood trusted(ReadLikelihood read);

/// Whether a genotype with an allele that is neither explains the reads better than every genotype of the
/// two. Such alleles are rare: one in a thousand sites. \param other  of each read log10 of how much more
/// probable it is under another allele than under the better of the two; 0: its base is one of the two
bool shows_another_allele(std::span<const ReadLikelihood> reads, std::span<const double> other, bool haploid);

/// Sets what the reads of a site say: most probable genotype, its quality, numbers of reads, likelihoods.
/// `call.haploid` is known.
/// \param minor_frequency  of the prior (Hardy-Weinberg); no value: genotypes are equally probable
void weigh(std::span<const ReadLikelihood> reads, std::optional<double> minor_frequency, SiteCall& call);

/// A site for contamination_of(): an autosome's.
struct SiteReads {
  std::vector<float> odds;  ///< of each read: likelihood under the minor allele over that under the major one
  double minor_frequency = 0;
};

/// What a site's reads say of a person's genotype where a share of them is another, unrelated person's:
///   L(g) = sum over h of P(h) product over reads of P(read | minor share (1 - c) g / 2 + c h / 2)
/// \param odds  of each read, as SiteReads::odds \param share  c, at most 0.5 \param minor_frequency  of
/// P(h), Hardy-Weinberg; not read where the share is 0
GenotypeLikelihoods likelihoods_of_reads(std::span<const float> odds, double share, double minor_frequency);

/// The share of another, unrelated person's reads that makes those of a person most probable:
///   P(reads) = product over sites of the sum over both genotypes g, h of
///              P(g) P(h) product over reads of P(read | minor share (1 - c) g / 2 + c h / 2).
Contamination contamination_of(std::span<const SiteReads> sites);

}  // namespace fastid::imports
