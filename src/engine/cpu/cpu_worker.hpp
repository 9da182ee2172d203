/// \file
/// A worker of the CPU engine. It runs the kernels of cpu_kernel.hpp over its tile, or lookups
/// (lookup_pass.hpp) where the engine has made tables of the queries, or products of matrices
/// (cpu_matrix.hpp) where it has made factors of them.
///
///   tile (fits a core's L2)  |  run of blocks (fits L1)  |  all groups of queries  |  each block of the run
///
/// So a block is read from L2 for the first group and from L1 for every further one, and a group's words stay
/// in L1 for a whole run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_matrix.hpp"
#include "engine/cpu/cpu_queries.hpp"
#include "engine/cpu/lookup_tables.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {

/// What the workers of one problem share. Read-only once made; must outlive them.
struct CpuQueries {
  Problem problem;
  const KernelTable& kernels;
  PackedQueries packed;
  std::optional<LookupTables> tables;    ///< none: the bits are counted
  bool always_look_up = false;           ///< even where counting bits would be faster
  std::optional<MatrixQueries> factors;  ///< none: the bits are counted
};

/// A worker for tiles of up to `tile_blocks` blocks. \throws Failure (memory)
std::unique_ptr<Worker> make_cpu_worker(const CpuQueries& queries, std::size_t tile_blocks);

}  // namespace fastid::engine
