/// \file
/// compare_matrix.cl for a problem: its shape, its build options, and its comparer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/device_facts.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid {

/// The queries of an instruction's product, the words of a step, and the work-items of a warp
/// (kernels/matrix_product.h).
inline constexpr std::size_t kMatrixTile = 16, kMatrixStep = 8, kWarp = 32;

/// FASTID_MATRIX of a config whose instruction is PTX, and whether a device has PTX: others were seen to
/// accept such a program and crash when it runs.
inline constexpr std::uint32_t kPtxMatrix = 2;
inline bool has_ptx(const DeviceFacts& facts) {
  return facts.architecture.starts_with("sm_");
}

/// The config whose matrix instruction a device's driver takes; none where it takes none.
std::optional<KernelConfig> ptx_config(const DeviceFacts& facts);

/// How compare_matrix.cl is built for a problem.
struct MatrixShape {
  KernelConfig config;
  std::uint32_t tiles = 1;   ///< tiles of 16 queries that a warp takes
  std::uint32_t blocks = 1;  ///< blocks of 32 profiles that a warp takes
  std::uint32_t ahead = 1;   ///< steps that are loaded before they are multiplied
  std::uint32_t rows = 1;    ///< how many of a work-group's warps are along the queries
  bool holds = false;        ///< registers hold a warp's queries for a whole run of column tiles
  bool exact = false;        ///< masks and denominators are counted pair by pair, not bounded
  bool own_bits = false;     ///< profiles' own bits are counted once for a tile, not in each warp

  /// Queries that a work-group takes.
  std::size_t group_queries() const { return std::size_t{kMatrixTile} * tiles * rows; }
};

/// The shape in which a config's matrix kernel is used for a problem, no larger than its queries need.
MatrixShape matrix_shape(const Problem& problem, const KernelConfig& config);

/// How many products of 16 x 8 x 256 bits a step takes for 16 queries and 8 profiles: 1 to 3, or as many as
/// the table of questions has where both alleles are counted.
std::size_t matrix_products(const Problem& problem, const MatrixShape& shape);

/// What a warp's step reads and counts. Queries that registers hold are not read.
KernelStep matrix_step(const Problem& problem, const MatrixShape& shape);

/// Build options of compare_matrix.cl for a problem.
std::string matrix_options(const Problem& problem, const MatrixShape& shape);

/// Bytes on the device for a problem's queries, apart from the tile and the pairs.
std::uint64_t matrix_bytes(const Problem& problem, const MatrixShape& shape);

/// \param threads  that pack
ComparerMaker pack_for_matrix(const cl::Context& context, const cl::Program& program, const Problem& problem,
                              const MatrixShape& shape, std::size_t threads);

}  // namespace fastid
