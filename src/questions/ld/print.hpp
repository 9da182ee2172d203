/// \file
/// The lines of `fastid ld`: CHR_A BP_A SNP_A CHR_B BP_B SNP_B R2 D DP N, PLINK's names where it has them;
/// and its blocks: block chrom first last sites.
#pragma once

#include <span>
#include <string>

#include "questions/ld/table.hpp"

namespace fastid::ld {

std::string ld_head();
std::string ld_lines(const SiteFacts& facts, std::span<const SitePair> pairs);
/// The same as json: an object on each line, whose keys are the columns.
std::string ld_json_lines(const SiteFacts& facts, std::span<const SitePair> pairs);

/// A whole file of blocks. \param rule  how they were found, one line
std::string linkage_blocks(const SiteFacts& facts, std::span<const SiteBlock> blocks,
                           const std::string& rule);

}  // namespace fastid::ld
