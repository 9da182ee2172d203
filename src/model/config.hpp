/// \file
/// A device's config: the numbers that kernels/compare.cl is compiled with, and what the hardware can do.
///
/// Configs are headers (configs/NAME.h) that hold only comments and lines `#define FASTID_NAME NUMBER`. A
/// config that a user names is not trusted until it has been read here: the text for the device's compiler is
/// made from the numbers, never from the file's bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fastid::model {

/// The kernels that compare: compare.cl and compare_matrix.cl.
enum class MicroKernel { kPopcount, kMatrix };

/// The numbers of a config, named by the part of their names after "FASTID_"; configs/README.md has units and
/// meanings.
struct KernelConfig {
  std::string name;    ///< CONFIG_NAME
  std::string origin;  ///< CONFIG_ORIGIN: "paper", "measured", "model", "tuned"
  std::string source;  ///< for messages: a file's path, or "configs/NAME.h"

  std::uint32_t m_c = 0, k_c = 0, m_r = 0, n_r = 0;
  std::uint32_t n_vec = 0;
  std::uint32_t group_rows = 0, group_columns = 0;
  std::uint32_t carry_levels = 0, popcount = 1;
  std::uint32_t load_ahead = 0;  ///< 1: the next words are loaded before the current ones are compared
  std::uint32_t run = 1;         ///< most column tiles that a work-group takes, where no grid is set
  /// 0: a work-group for each block of rows and run of columns.
  std::uint32_t grid_rows = 0, grid_columns = 0;
  std::uint32_t ld_n_r = 0, ld_grid_rows = 0,
                ld_grid_columns = 0;  ///< where there are as many queries as profiles; 0: as above

  /// The instruction of compare_matrix.cl. 0: there is none; 1: written in OpenCL C; 2: NVIDIA's
  /// mma.m16n8k256.
  std::uint32_t matrix = 0;
  /// For a warp: tiles of 16 queries, blocks of 32 profiles.
  std::uint32_t matrix_tiles = 0, matrix_blocks = 0;
  std::uint32_t matrix_held_words = 0, matrix_held_tiles = 0,
                matrix_held_blocks = 0;               ///< the same, where registers hold a warp's queries
  std::uint32_t matrix_ahead = 1;                     ///< steps loaded ahead where registers hold the queries
  std::uint32_t matrix_rows = 0, matrix_columns = 0;  ///< warps of a work-group
  std::uint32_t matrix_run = 0;                       ///< column tiles that a work-group takes at most

  /// Measured: 10^9 bits compared a second, and the fixed cost of a pair, in sites. A rate of 0: never
  /// chosen.
  std::uint32_t rate_popcount = 0, start_popcount = 0, rate_matrix = 0, start_matrix = 0;

  std::uint32_t hw_local_bytes = 0, hw_reg_words = 0;    ///< most of a work-group; most of a work-item
  std::uint32_t hw_compute_units = 0, hw_clock_mhz = 0;  ///< 0: as the device says
  std::uint32_t hw_popcounts = 0, hw_logic = 0;          ///< 32-bit operations, a clock and compute unit
  std::uint32_t hw_matrix = 0;           ///< bits that the matrix unit counts, a clock and compute unit
  std::uint32_t hw_memory_mbytes = 0;    ///< a second, read by the device from its own memory
  std::uint32_t hw_upload_mbytes = 0;    ///< a second, from pinned memory
  std::uint32_t hw_pageable_mbytes = 0;  ///< a second, from memory that is not pinned
  std::uint32_t hw_upload_ns = 0;        ///< fixed cost of each upload
  std::uint32_t hw_launch_ns = 0;        ///< from one kernel to the next
  std::uint32_t hw_startup_ms = 0;       ///< to start OpenCL on it
  std::uint32_t hw_n_t = 0, hw_n_cl = 0, hw_l_fn = 0, hw_n_b = 0;  ///< the paper's model of a GPU (Table I)

  std::uint32_t group_items() const { return group_rows * group_columns; }
  /// Profiles of a work-item.
  std::uint32_t columns() const { return group_columns == 0 ? 0 : n_r / group_columns; }
  std::uint32_t matrix_items() const { return 32 * matrix_rows * matrix_columns; }
};

/// Reads and checks a config. \throws InputError naming `source`, the line and the cure.
KernelConfig parse_config(std::string_view text, const std::string& source);

/// The config of a file. \throws InputError
KernelConfig read_config(const std::string& path);

/// A number of a config by its name after "FASTID_".
struct ConfigNumber {
  std::string_view name;
  std::uint32_t KernelConfig::*value;
  bool needed;    ///< a config without it is refused
  bool in_shape;  ///< the kernel is compiled with it
};
/// All numbers, in the order of headers.
std::span<const ConfigNumber> config_numbers();

/// The config's shape as the lines that its kernel is compiled with.
std::string config_defines(const KernelConfig& config);

}  // namespace fastid::model
