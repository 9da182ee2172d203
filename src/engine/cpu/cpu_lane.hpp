/// \file
/// A lane of the native engine: a walk of the kernels of cpu_kernel.hpp over its tile, or a pass
/// (tile_pass.hpp) where that is faster.
///
///   tile (fits a core's L2)  |  run of blocks (fits L1)  |  all groups of queries  |  each block of the run
///
/// so a block comes from L2 once and from L1 for every further group, and a group's words stay in L1 over a
/// run.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_queries.hpp"
#include "engine/cpu/lookup_tables.hpp"
#include "engine/cpu/matrix_queries.hpp"
#include "engine/cpu/tile_pass.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// Blocks whose counts tell a lane its first bars.
inline constexpr std::size_t kOpeningBlocks = 64;

/// What the lanes of one problem share: its queries in the form that each way of comparing reads. Read-only
/// once made.
struct PreparedQueries {
  PreparedQueries(const Problem& problem, const KernelTable& table, UsePass use)
      : packed(problem), from(problem.queries), kernels(table), use_pass(use) {}

  /// A lane's own passes.
  std::vector<std::unique_ptr<TilePass>> make_passes(const BlockShape& database) const;

  PackedQueries packed;
  const ProfileRows* from;
  const KernelTable& kernels;
  UsePass use_pass;
  std::shared_ptr<const MatrixQueries> matrix;  ///< null where there is no such pass
  std::shared_ptr<const LookupTables> tables;   ///< so too
};

/// A lane for tiles of up to `tile_blocks` blocks. \throws Failure (memory)
std::unique_ptr<Lane> make_cpu_lane(std::shared_ptr<const PreparedQueries> prepared, const Problem& problem,
                                    std::size_t tile_blocks);

}  // namespace fastid
