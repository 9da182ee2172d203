/// \file
/// compare_matrix.cl for a problem: its shape, its build, what runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "opencl/kernel/comparer.hpp"

namespace fastid {

/// Queries, profiles of an instruction's product, and the words of a step.
inline constexpr std::size_t kMatrixTile = 16, kMatrixStep = 8;

/// How compare_matrix.cl is built for a problem.
struct MatrixShape {
  KernelConfig config;
  std::uint32_t tiles = 1;   ///< of 16 queries, of a warp
  std::uint32_t blocks = 1;  ///< of 32 profiles, of a warp
  std::uint32_t ahead = 1;   ///< steps that are loaded before they are multiplied
  std::uint32_t rows = 1;    ///< of a work-group's warps, along the queries
  bool holds = false;        ///< registers hold a warp's queries for a whole run
  bool exact = false;        ///< masks and denominators are counted pair by pair, not bounded
  bool own_bits = false;     ///< profiles' own bits are counted once a tile, not with each product

  /// Queries that a work-group takes.
  std::size_t group_queries() const { return std::size_t{kMatrixTile} * tiles * rows; }
};

/// The shape in which a config's matrix kernel is used for a problem: no larger than the queries fill.
MatrixShape matrix_shape(const Problem& problem, const KernelConfig& config);

/// Products of 16 x 8 x 256 bits that a step takes for 16 queries and 8 profiles: 1 to 3.
std::size_t matrix_products(const Problem& problem, const MatrixShape& shape);

/// Options of its build.
std::string matrix_options(const Problem& problem, const MatrixShape& shape);

/// Bytes on the device besides the tile and the candidates, and what comes for each block of a tile.
std::uint64_t matrix_bytes(const Problem& problem, const MatrixShape& shape);

ComparerMaker pack_for_matrix(const cl::Context& context, const cl::Program& program, const Problem& problem,
                              const MatrixShape& shape);

}  // namespace fastid
