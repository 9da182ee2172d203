/// \file
/// The lines of `fastid ld`: CHR_A BP_A SNP_A CHR_B BP_B SNP_B R2 D DP N, PLINK's names where it has them.
#pragma once

#include <span>
#include <string>

#include "match/linked_sites.hpp"

namespace fastid::report {

std::string linkage_head();
std::string linkage_lines(const SiteFacts& facts, std::span<const SitePair> pairs);

}  // namespace fastid::report
