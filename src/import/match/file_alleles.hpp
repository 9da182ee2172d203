/// \file
/// The alleles that a record of a VCF or PLINK file lists, and the strand on which they are a site's.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "panel/allele_code.hpp"

namespace fastid::imports {

/// A listed allele is one of the letters A, C, G, T, or one of these.
inline constexpr char kNoAllele = '.';       ///< the file does not say which: ".", "0", "N", <NON_REF>, <*>
inline constexpr char kOtherAllele = '*';    ///< an indel, a spanning deletion, a symbol: no allele of a SNP
inline constexpr char kDeletedAllele = '-';  ///< no base: the allele is a deletion that covers the position

/// What the text of an allele is.
char file_allele(std::string_view text);

/// The strand on which `alleles` (first: reference or allele 1; then the alternatives) are the site's, or
/// nothing.
///
/// A record of many alternatives is taken as pairs: the first allele and one alternative must fit on one
/// strand; other alternatives are then unknown alleles. Where there is no alternative, the first must fit
/// alone; where the first is not known, an alternative must. Where no allele is known, nothing contradicts
/// kSame.
std::optional<Strand> strand_of_alleles(const Site& site, std::span<const char> alleles);

/// For each of `alleles`, whether it is a base that is neither allele of the site: a third allele. The strand
/// is one on which another of `alleles` is an allele of the site; without such a strand, none is a third
/// allele.
std::vector<bool> third_alleles(const Site& site, std::span<const char> alleles);

}  // namespace fastid::imports
