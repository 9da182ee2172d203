/// \file
/// Y and M: one haplotype, inherited whole from the father or the mother. Its sites are not independent, so
/// there is no product of probabilities: two haplotypes agree or differ, and how rare one is follows from
/// counting.
///
/// A profile's haplotype has the sites of the class that show one allele alone. Where both alleles are seen
/// (a mixture, a misreading, a second copy of the stretch) the site is not compared.
///
/// Sources. Counting with a Clopper-Pearson bound: SWGDAM, Interpretation Guidelines for Y-Chromosome STR
/// Typing (2014) and for Mitochondrial DNA Analysis (2019). theta: J. Buckleton, M. Krawczak, B. Weir, The
/// interpretation of lineage markers in forensic DNA testing, Forensic Science International: Genetics 5
/// (2011).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bits/rows.hpp"

namespace fastid::stats {

struct HaplotypeCounts {
  std::uint32_t mismatches = 0;  ///< compared sites that show another allele
  std::uint32_t compared = 0;    ///< sites that show one allele alone in both

  friend bool operator==(const HaplotypeCounts&, const HaplotypeCounts&) = default;
};

/// The sites at which a profile shows one allele alone. \param sites  the sites of Y, or of M, as a row of
/// bits. Without RowView::major every called site counts.
std::uint32_t sites_of_haplotype(const RowView& profile, std::span<const Word> sites);
HaplotypeCounts count_haplotype(const RowView& first, const RowView& second, std::span<const Word> sites);

/// The most of n sites that may differ where one haplotype is read twice: more have a probability of at most
/// 0.01, each site differing with 2 w (1 - w). \param w  in [0, 0.5]
std::uint32_t allowance(std::uint32_t n, double w);

/// The most of n sites that may differ where two haplotypes agree: allowance(n, w / 5).
std::uint32_t most_agreeing(std::uint32_t n, double w);

/// What the differing sites say. Mutations are rare (about 3e-8 a site and generation), so it is misreadings
/// that the words allow for.
enum class HaplotypeWord {
  kAgree,      ///< at most most_agreeing(n, w) differ
  kUndecided,  ///< at most allowance(n, w)
  kDiffer
};

/// "agree", "undecided", "differ".
std::string_view name_of(HaplotypeWord word);

/// No value where nothing is compared. \param error_rate  w above
std::optional<HaplotypeWord> haplotype_word(const HaplotypeCounts& counts, double error_rate);

/// The sites of a class that a mixture has called.
std::uint32_t sites_of_mixture(const RowView& mixture, std::span<const Word> sites);

/// Whether a comparison covers nine tenths of a haplotype's sites: else it is not counted, and has no
/// probability.
bool covers(std::uint32_t compared, std::uint32_t sites);

/// The one-sided 95 % upper bound of a proportion, when x of n were seen (Clopper and Pearson 1934); 1 where
/// x >= n.
double upper_bound(std::uint64_t x, std::uint64_t n);

/// A bound on the probability that a stranger's haplotype agrees with the query's, where x of n stored others
/// do: theta + (1 - theta) upper_bound(x, n). It says nothing about relatives of the same line, who agree
/// anyway.
double haplotype_probability(std::uint64_t x, std::uint64_t n, double theta);

/// The least number of men in a mixture, by paternal lines: 0 where no site of Y is called, 2 where more
/// sites than allowance(called, w) show both alleles, else 1.
unsigned least_paternal_lines(const RowView& mixture, std::span<const Word> y_sites, double error_rate);

/// The alleles of a person's haplotype that a mixture does not show, and the sites that both have called.
/// Without RowView::major of the mixture only minor alleles are known not to be seen.
HaplotypeCounts not_seen_in_mixture(const RowView& mixture, const RowView& person,
                                    std::span<const Word> sites);

}  // namespace fastid::stats
