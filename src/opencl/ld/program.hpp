/// \file
/// The two kernels for pairs of sites: ld_matrix.cl, by products of matrices of bits, and ld.cl,
/// by popcounts. Which serve a problem on a device, how they are built, and how they are run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ld.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "opencl/counting_engines.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid::opencl {

/// What a program is built for.
struct LdProgramShape {
  engine::LdUnit unit = engine::LdUnit::kGenotypes;
  bool all_called = true;
  std::optional<model::KernelConfig> config;  ///< of ld.cl, as it is compiled; no value: ld_matrix.cl
  bool whole = false;                         ///< of ld.cl: local memory holds all words of its sites
  bool counts = false;  ///< the sums of all pairs are stored (count_sites), none is tested (find_sites)
  /// Of ld_matrix.cl: FASTID_MATRIX, _ROWS and _COLUMNS, _TILES and _BLOCKS.
  std::uint32_t instruction = 1, rows = 2, columns = 1, tiles = 1, blocks = 1;
};

/// The shapes that may serve a problem, the best first. \throws DeviceError, InputError (a config)
std::vector<LdProgramShape> ld_shapes(const model::DeviceFacts& facts, const engine::LdProblem& problem,
                                      const LdTuning& tuning);

/// What a step reads and counts: a work-item's of ld.cl, a warp's of ld_matrix.cl.
engine::KernelStep ld_step(const LdProgramShape& shape);

ProgramSource ld_program(const LdProgramShape& shape);
std::string kernel_name(const LdProgramShape& shape);

/// Bytes of the sites as the kernel's pack_sites() packs them, and how that is run.
std::size_t packed_bytes(const LdProgramShape& shape, const BlockShape& sites);
KernelLaunch pack_launch(const LdProgramShape& shape, const BlockShape& sites);

/// How the kernel is run for a tile. \param compute_units  of the device
KernelLaunch launch_for(const LdProgramShape& shape, std::size_t compute_units,
                        const engine::Rectangle& tile);

/// Bytes of local memory that the kernel takes as its last argument; 0: it has none.
std::size_t local_bytes(const LdProgramShape& shape, const BlockShape& sites);

}  // namespace fastid::opencl
