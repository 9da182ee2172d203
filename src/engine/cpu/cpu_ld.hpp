/// \file
/// The CPU engine for pairs of sites.
///
/// A kernel counts a group of sites with the 32 of a block, the sums in registers, and tests them there: in
/// float, with a margin, so that it lets through every pair that is linked and few others. The exact test
/// follows. Where the counts of all pairs are wanted, another kernel stores the sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/comparison.hpp"
#include "engine/ld.hpp"

namespace fastid::engine {

/// The planes of a group's sites (of a block's) that the sums of a case multiply.
constexpr PlaneList planes_of(const LdSums& sums, bool of_group) {
  PlaneList list;
  for (std::size_t i = 0; i < sums.n; ++i)
    for (std::size_t t = 0; t < sums.sums[i].n_terms; ++t)
      for (const Product& product : sums.sums[i].terms[t].all())
        list.add(of_group ? product.query : product.stored);
  return list;
}

inline constexpr std::size_t kMostSites = 8;  ///< sites that are counted together with a block

/// A group of sites. Where pairs are found they are the second sites of pairs, a block's the first ones;
/// where all pairs are counted (LdEngine::count()) they are the rows.
struct SiteGroup {
  const Word* words = nullptr;           ///< of their planes: [word][plane][site]
  std::array<float, kMostSites> mean{};  ///< x / units; of the cases where all units are called, as the next
  std::array<float, kMostSites> spread{};  ///< sqrt(min_r2 (units xx - x^2)) / units
};

/// Neighbouring blocks of sites.
struct SiteRun {
  const Word *minor = nullptr, *major = nullptr;
  std::size_t n_blocks = 0, n_words = 0;
  const float* sum = nullptr;     ///< of each site: x
  const float* spread = nullptr;  ///< of each site: sqrt(units xx - x^2); infinity if it does not vary
  float min_r2 = 0;
  float slack = 0;  ///< what rounding may take from |xy - mean x sum|
};

/// The sites of a block that may be linked to each site of the group: bit i of may[s] is the block's site i.
using MaySites = std::array<std::uint32_t, kMostSites>;

/// Counts blocks with a group until a block has a site that may be linked to one of it. Returns that block's
/// place, or n_blocks if there is none.
using FindSites = std::size_t (*)(const SiteRun& run, const SiteGroup& group, MaySites& may);

/// The sums of a group of sites with the 32 of a block: [site of the group][sum of the case][site of the
/// block].
using BlockSums = std::array<std::array<std::array<std::uint32_t, kLanes>, kMostSums>, kMostSites>;

/// Counts one block, whose planes are given, with a group.
using CountSites = void (*)(const Word* minor, const Word* major, std::size_t n_words, const SiteGroup& group,
                            BlockSums& out);

/// What a CPU has for one case of the table of sums.
struct LdKernel {
  FindSites find = nullptr;
  CountSites count = nullptr;
  std::size_t sites = 1;  ///< of a group
};

LdKernel ld_kernel(LdUnit unit, bool all_called);

std::unique_ptr<LdEngine> make_cpu_ld(const LdProblem& problem);

/// The pairs (first, second) of a tile that the kernel lets through to the exact test.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ld_candidates(const LdProblem& problem,
                                                                   const Rectangle& tile);

}  // namespace fastid::engine
