/// \file
/// A haplotype against the 32 profiles of a block: at how many sites they differ, of how many that both show.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"

namespace fastid::engine {

/// A word of a panel in which a query has sites: those that show the minor allele, and the major one. Of a
/// mixture a site may be in both, and then differs from nobody.
struct HaplotypeWord32 {
  std::uint32_t word = 0;
  Word minor = 0, major = 0;
};

/// Of each lane of a block.
struct HaplotypeLanes {
  alignas(64) std::array<std::uint32_t, kLanes> differing{}, compared{};
};

/// Counts sites of a block's profiles that show one allele alone. \param bits, second  the block's planes;
/// `second` says where a major allele was seen (Encoding::kAlleles), or where a site was called: either way
/// ~bits & second shows the major allele alone \param alleles  whether a site in both planes shows both
/// alleles, and is left out
HaplotypeLanes count_haplotype_lanes(std::span<const HaplotypeWord32> query, const Word* bits,
                                     const Word* second, bool alleles);

}  // namespace fastid::engine
