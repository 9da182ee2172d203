/// \file
/// Programs of epistasis_test.h with epistasis.cl, or with epistasis_matrix.cl, and the small cohort that
/// proves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/epistasis.hpp"
#include "model/device_facts.hpp"
#include "opencl/counting_engines.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid::opencl {

/// What a program is built for, as the kernels have it.
struct EpistasisShape {
  bool multiplies = false;                         ///< by matrix products, else by popcounts
  std::uint32_t instruction = 1;                   ///< FASTID_MATRIX
  std::uint32_t first_sites = 1, later_tiles = 1;  ///< of a warp; of two sites first_sites are tiles of 16
  std::uint32_t first_warps = 1, second_warps = 1, later_warps = 1;  ///< of a work-group
  bool all_called = false;  ///< everybody is called everywhere: cells with a genotype 2 follow by subtraction
  bool large = false;       ///< a class may have more than 65,535 people
  bool by_stretches = false;  ///< people are counted a stretch after the other
  bool shares =
      false;  ///< both classes may be counted once, together, for people who are dealt to classes some times
  std::size_t way = 3;
  engine::EpistasisScore score = engine::EpistasisScore::kK2;

  /// Genotypes of a site that are counted: 0 and 1, or all three.
  std::size_t genotypes() const { return all_called ? 2 : engine::kSiteGenotypes; }
  /// FASTID_PAIR_GENOTYPES: joint genotypes of a pair of sites, of two sites of the first one.
  std::size_t genotypes_of_pair() const { return way == 2 ? genotypes() : genotypes() * genotypes(); }
  /// Joint genotypes that are counted of a combination, of four sites in a slab.
  std::size_t counted() const { return genotypes_of_pair() * genotypes(); }
  /// Vectors of a first site and step of matrix products: FIRST_VECTORS of epistasis_matrix.cl for each of 4
  /// work-items.
  std::size_t first_vectors() const { return (genotypes() + 1) / 2 * 4; }
  /// Of four sites the people with one genotype of the first one are counted after the others.
  bool has_slabs() const { return way == 4; }
  const char* kernel() const { return multiplies ? "multiply" : "find"; }
  std::size_t warps() const { return std::size_t{first_warps} * second_warps * later_warps; }
  std::size_t group_firsts() const { return std::size_t{first_warps} * first_sites; }  ///< of two sites tiles
  std::size_t group_laters() const;                                                    ///< sites
  /// Cells follow from counts of pairs of sites, which come first.
  bool has_margins() const { return all_called && way > 2; }
  /// Totals of epistasis_matrix.cl that a work-item has, and the bytes of each.
  std::size_t totals() const {
    return first_sites * counted() * later_tiles * (all_called || way == 2 ? 2 : 1);
  }
  std::size_t total_bytes() const { return large ? 16 : 8; }
  /// A kernel packs first sites for matrix products of three sites, or pairs' planes for popcounts; matrix
  /// products of two sites read the people's planes alone.
  bool packs() const { return !(multiplies && way == 2); }
};

/// What a device's programs for a problem may be, the best first.
std::vector<EpistasisShape> epistasis_shapes(const model::DeviceFacts& facts,
                                             const engine::EpistasisProblem& problem, BitProducts products,
                                             bool by_stretches = false);

/// What a step reads and counts: a warp's of matrix products, else a work-item's.
engine::KernelStep epistasis_step(const EpistasisShape& shape);

ProgramSource epistasis_source(const EpistasisShape& shape);

/// Whether a device finds what the definition does in a small cohort. \param find  finds all combinations of
/// a problem on the device
bool solves_epistasis_problem(
    const EpistasisShape& shape,
    const std::function<void(const engine::EpistasisProblem&, engine::BestCombinations&)>& find);

}  // namespace fastid::opencl
