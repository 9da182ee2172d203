/// \file
/// Counts of a profile's calls of X, Y and M, and what they say of a person's sex without frequencies (with
/// frequencies: stats/sex.hpp).
///
/// X: a woman is taken to be heterozygous at a fifth of her sites; a man's one copy is read twice, each time
/// wrongly with probability w, so that 2 w (1 - w) of his sites look heterozygous. Y: each of its sites is
/// called with .9 a in a man and .1 a in a woman, a being the share of autosomal sites that are called; but
/// where none is called, nothing is said, since not every file has Y. Each chromosome decides where one sex
/// is a hundred times as probable. The sex is the one that the deciding chromosomes agree on.
#pragma once

#include <cstdint>
#include <optional>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "panel/site_class.hpp"

namespace fastid {

/// Sites of a profile: called, and called with both alleles. Where the encoding does not say which alleles
/// were seen, no site counts as called with both.
struct SexCounts {
  std::uint32_t x_called = 0, x_het = 0, y_called = 0, y_het = 0, m_called = 0, m_het = 0;
  std::uint32_t autosomal_called = 0;
};

/// \param called_sites  the number of all called sites of the profile
SexCounts count_sex(const BlocksView& profiles, std::uint64_t profile, std::uint32_t called_sites,
                    const SiteClasses& classes);
SexCounts count_sex(const RowView& row, const SiteClasses& classes);

/// What is said of a person's sex.
struct SexCall {
  std::optional<Sex> sex;            ///< none: the panel has no site of X or Y
  std::optional<unsigned> x_copies;  ///< 1 or 2, where X speaks
};

/// The error rate that is assumed where none is given: the default of a search.
inline constexpr double kSexErrorRate = 0.005;

/// log10 of how much more probable a woman is than a man by X, and a man than a woman by Y.
double log10_woman_by_x(const SexCounts& counts, double error_rate = kSexErrorRate);
double log10_man_by_y(const SexCounts& counts, const SiteClasses& classes);

/// The sex by X and Y together. \param has_x_or_y  whether the panel has sites of X or Y
SexCall sex_by(double log10_woman, double log10_man, bool has_x_or_y);

/// The sex by the counts alone. \param says_alleles  whether the profile says which alleles were seen; else X
/// says nothing
SexCall sex_of(const SexCounts& counts, const SiteClasses& classes, bool says_alleles);

}  // namespace fastid
