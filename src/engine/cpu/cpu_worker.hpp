/// \file
/// A worker of the native engine: a walk of the kernels of cpu_kernel.hpp over its tile, or by lookups
/// (lookup_pass.hpp) where the engine has made tables of the queries.
///
///   tile (fits a core's L2)  |  run of blocks (fits L1)  |  all groups of queries  |  each block of the run
///
/// so a block comes from L2 once and from L1 for every further group, and a group's words stay in L1 over a
/// run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_queries.hpp"
#include "engine/cpu/lookup_tables.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// What the workers of one problem share. Read-only once made; outlives them.
struct CpuQueries {
  Problem problem;
  const KernelTable& kernels;
  PackedQueries packed;
  std::optional<LookupTables> tables;  ///< none: bits are counted
  bool always_look_up = false;         ///< also where counting bits would take less time
};

/// A worker for tiles of up to `tile_blocks` blocks. \throws Failure (memory)
std::unique_ptr<Worker> make_cpu_worker(const CpuQueries& queries, std::size_t tile_blocks);

}  // namespace fastid
