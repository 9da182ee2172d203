/// \file
/// The CPU engine for epistasis.
///
/// A pair of sites makes planes of joint genotypes, which are multiplied with the planes of a block's 32
/// sites as third ones, controls and cases apart, the counts in registers. Where everybody is called
/// everywhere, only the 8 cells of genotypes 0 and 1 are counted; the other 19 follow:
///
///   n(a, b, 2) = n(a, b) - n(a, b, 0) - n(a, b, 1), and so by the other two sites
///
/// Of four sites the people are sorted by their genotype of the first one into three slabs. In each of them
/// the other three sites are counted as a combination of three: eight products of all people instead of the
/// sixteen that four planes of genotypes would take.
///
/// A kernel tests the cells by CostBound, and the exact score of what it lets through follows.
///
/// Where classes were dealt again some times, everybody is counted once, and of each deal the smaller class:
/// the other one follows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/epistasis.hpp"

namespace fastid::engine {

/// CostBound's m and d of cells, or of some cells together.
inline constexpr std::size_t kQuantities = 2;

/// Joint genotypes of a site (0, 1, 2) and of each of a block's sites (0, 1): [quantity][genotype of the
/// site][genotype of the block's][lane].
using SiteMargins =
    std::array<std::array<std::array<std::array<float, kLanes>, 2>, kSiteGenotypes>, kQuantities>;

/// The class that is counted where both together are known. \param n  words, or people, of each
template <class Number>
constexpr std::size_t smaller_class(const std::array<Number, kClasses>& n) {
  return n[1] <= n[0] ? 1 : 0;
}

/// Whole counts of a block's sites.
using LaneCounts = std::array<std::uint32_t, kLanes>;

/// What is multiplied: a pair of sites (where combinations have two, a site) and a block.
struct EpistasisRun {
  std::array<const Word*, kClasses> first{};                              ///< [word][joint genotype]
  std::array<std::array<const Word*, kSiteGenotypes>, kClasses> block{};  ///< of each genotype: [word][lane]
  std::array<std::size_t, kClasses> n_words{};
  /// If not null, both classes as one, [joint genotype of the first][genotype of the block][lane]: only the
  /// smaller class is counted, and the other one follows.
  const LaneCounts* together = nullptr;

  std::size_t smaller() const { return smaller_class(n_words); }
};

/// What cells that are not counted follow from.
struct KnownCells {
  std::array<std::array<float, 9>, kQuantities> of_pair{};  ///< joint genotypes 3 a + b
  const SiteMargins* with_first = nullptr;                  ///< of the pair's first site and the block
  const SiteMargins* with_second = nullptr;
};

/// What is counted of some people: of everybody, or of four sites, of those with one genotype of the first.
struct EpistasisSlab {
  EpistasisRun run;
  const KnownCells* known = nullptr;  ///< not read where all cells are counted
};

/// The tables of a block's combinations in a slab: [quantity][cell][lane].
using BlockTables = std::array<std::array<std::array<float, kLanes>, kTripleCells>, kQuantities>;

/// The lanes whose combination may be among the best. \param slabs  one, or of four sites three, by genotype
/// \param tables  one for each slab: receive the tables of those lanes
using FindCombinations = std::uint32_t (*)(const EpistasisSlab* slabs, const CostBound& bound,
                                           BlockTables* tables);

/// The sites of a block alone: [quantity][genotype 0, 1][lane].
using BlockCells = std::array<std::array<std::array<float, kLanes>, 2>, kQuantities>;
/// Counts the margins of a site and a block. \param run  its first planes are the site's genotypes 0 and 1
using CountMargins = void (*)(const EpistasisRun& run, const BlockCells& of_block, const CostBound& bound,
                              SiteMargins& out);

/// Adds people to counts of joint genotypes, [joint genotype of the first][genotype of the block].
/// \param first  [word][joint genotype] \param block  of each genotype: [word][lane]
using AddCounts = void (*)(const Word* first, const Word* const* block, std::size_t n_words,
                           LaneCounts* counts);

struct EpistasisKernel {
  FindCombinations find = nullptr;
  AddCounts add = nullptr;          ///< what is counted of a table, or of a slab's
  CountMargins margins = nullptr;   ///< null where all cells are counted
  AddCounts add_margins = nullptr;  ///< counts a site and a block by genotypes 0 and 1; or null
};

/// \param by_subtraction  of three or four sites: everybody is called everywhere, so that 8 cells of a slab
/// are counted and 19 follow by subtraction
EpistasisKernel epistasis_kernel(std::size_t way, bool by_subtraction, bool with_logs);

/// A step over a pair's planes (of two sites: a site's) and a block: by subtraction with its genotypes 0 and
/// 1 at once, else with one after the other.
constexpr KernelStep cpu_epistasis_step(std::size_t way, bool by_subtraction) {
  const std::size_t firsts = by_subtraction ? 4 : way == 2 ? 3 : 9, seconds = by_subtraction ? 2 : 1;
  KernelStep step =
      kernel_step({1, static_cast<double>(firsts)}, {kLanes, static_cast<double>(seconds)}, firsts * seconds);
  if (!by_subtraction) step.counted *= kSiteGenotypes;
  return step;
}

/// \param memory  as make_epistasis_engine() has it
std::unique_ptr<EpistasisEngine> make_cpu_epistasis(const EpistasisProblem& problem, std::uint64_t memory);

/// Counts a stretch of people after the other, in whole numbers, and holds no copy of the people; but of four
/// sites each thread sorts them by the first one, two bits a genotype.
/// \param words  of 32 people in a stretch of a class
std::unique_ptr<EpistasisEngine> make_cpu_epistasis_by_stretches(const EpistasisProblem& problem,
                                                                 std::size_t words = 512);

}  // namespace fastid::engine
