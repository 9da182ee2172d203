/// \file
/// compare_matrix.cl for a problem: its shape, its build options, and its comparer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {

/// How compare_matrix.cl is built for a problem.
struct MatrixShape {
  model::KernelConfig config;
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
MatrixShape matrix_shape(const engine::Problem& problem, const model::KernelConfig& config);

/// How many products of 16 x 8 x 256 bits a step takes for 16 queries and 8 profiles: 1 to 3, or as many as
/// the table of questions has where both alleles are counted.
std::size_t matrix_products(const engine::Problem& problem, const MatrixShape& shape);

/// What a warp's step reads and counts. Queries that registers hold are not read.
engine::KernelStep matrix_step(const engine::Problem& problem, const MatrixShape& shape);

/// Build options of compare_matrix.cl for a problem.
std::string matrix_options(const engine::Problem& problem, const MatrixShape& shape);

/// Bytes on the device for a problem's queries, apart from the tile and the pairs.
std::uint64_t matrix_bytes(const engine::Problem& problem, const MatrixShape& shape);

/// \param threads  that pack
ComparerMaker pack_for_matrix(const cl::Context& context, const cl::Program& program,
                              const engine::Problem& problem, const MatrixShape& shape, std::size_t threads);

}  // namespace fastid::opencl
