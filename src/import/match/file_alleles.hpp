/// \file
/// The alleles that a record of a VCF or PLINK file lists, and the strand on which they are a site's.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "panel/allele_code.hpp"

namespace fastid {

/// A listed allele is one of the letters A, C, G, T, or one of these.
inline constexpr char kNoAllele = '.';     ///< the file does not say which: ".", "0", "N", <NON_REF>, <*>
inline constexpr char kOtherAllele = '*';  ///< an indel, a spanning deletion, a symbol: no allele of a SNP

/// What the text of an allele is.
char file_allele(std::string_view text);

/// The strand on which `alleles` (first: reference or allele 1; then the alternatives) are the site's, or
/// nothing.
///
/// A record of many alternatives is split: one pair of the first allele and an alternative must fit on one
/// strand; other alternatives are then unknown alleles. Where there is no alternative the first must fit
/// alone, where the first is not known an alternative alone. With nothing known at all there is nothing
/// against it: kSame.
std::optional<Strand> strand_of_alleles(const Site& site, std::span<const char> alleles);

/// For each of `alleles`, whether it is a base that is neither allele of the site: a third allele. The strand
/// is one on which another of them is an allele of the site; none is a third one where there is no such
/// strand.
std::vector<bool> third_alleles(const Site& site, std::span<const char> alleles);

}  // namespace fastid
