/// \file
/// compare.cl for a problem: its shape, its build options, and its comparer. How kernels of blocked.h are cut
/// into work-groups.
#pragma once

#include <cstdint>
#include <string>

#include "opencl/kernel/comparer.hpp"

namespace fastid::opencl {

/// A config as kernels of blocked.h are compiled with it. \param square  there are as many queries as
/// profiles \param local_bytes  that the device has \param n_words  of a profile
model::KernelConfig config_on(model::KernelConfig config, bool square, std::uint64_t local_bytes,
                              std::size_t n_words);
/// Work-groups for so many row blocks of M_C queries and column tiles of N_R profiles, on a device of so many
/// compute units.
KernelLaunch blocked_launch(const model::KernelConfig& config, std::size_t units, std::size_t row_blocks,
                            std::size_t tiles);

/// How compare.cl is built for a problem.
struct BlockedShape {
  model::KernelConfig
      config;          ///< as compiled: adapted to the device, with the N_R and the grid that are used
  bool fused = false;  ///< FASTID_FUSED
};

/// Build options of compare.cl for a problem.
std::string blocked_options(const engine::Problem& problem, const BlockedShape& shape);
/// The shape in which a config is used for a problem on a device with this much local memory.
BlockedShape blocked_shape(const engine::Problem& problem, const model::KernelConfig& config,
                           std::uint64_t local_bytes);
/// Bytes on the device for a problem's queries, apart from the tile and the pairs.
std::uint64_t blocked_bytes(const engine::Problem& problem);
/// Bytes on the device for each block of a tile, apart from its planes: own bits and a checksum.
inline constexpr std::uint64_t kBlockedBytesABlock = kLanes * sizeof(Word) + sizeof(std::uint64_t);

/// Packs the queries for compare.cl. \throws cl::Error; Failure if there are more queries than a kernel can
/// number
ComparerMaker pack_for_blocked(const cl::Context& context, const cl::Program& program,
                               const engine::Problem& problem, const BlockedShape& shape);

}  // namespace fastid::opencl
