/// \file
/// A device's config: the numbers that kernels/compare.cl is specialised by, and what the hardware can do.
///
/// Configs are headers (configs/NAME.h) of nothing but comments and lines `#define FASTID_NAME NUMBER`. One
/// that a user names is hostile until it has been read here: what reaches the device's compiler is made from
/// the numbers, never from the file's bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastid {

/// The numbers of a config by the part of their names after "FASTID_"; units and meaning: configs/README.md.
struct KernelConfig {
  std::string name;    ///< CONFIG_NAME
  std::string origin;  ///< CONFIG_ORIGIN: "paper", "measured", "model", "tuned"
  std::string source;  ///< for messages: a file's path, or "configs/NAME.h"

  std::uint32_t micro_kernel = 1;  ///< 0: compare_ref.cl, whatever else is set
  std::uint32_t m_c = 0, k_c = 0, m_r = 0, n_r = 0;
  std::uint32_t n_vec = 0;
  std::uint32_t group_rows = 0, group_columns = 0;
  std::uint32_t carry_levels = 0, popcount = 1;
  std::uint32_t grid_rows = 0, grid_columns = 0;  ///< 0: a work-group for each block of rows, tile of columns
  std::uint32_t ld_n_r = 0, ld_grid_rows = 0,
                ld_grid_columns = 0;  ///< as many queries as profiles; 0: as above

  std::uint32_t hw_local_bytes = 0, hw_reg_words = 0;    ///< of a work-group at most; of a work-item
  std::uint32_t hw_compute_units = 0, hw_clock_mhz = 0;  ///< 0: as the device says
  std::uint32_t hw_popcounts = 0, hw_logic = 0;          ///< 32-bit operations, a clock and compute unit
  std::uint32_t hw_upload_mbytes = 0;                    ///< a second, from pinned memory
  std::uint32_t hw_n_t = 0, hw_n_cl = 0, hw_l_fn = 0, hw_n_b = 0;  ///< the paper's model of a GPU (Table I)

  std::uint32_t group_items() const { return group_rows * group_columns; }
};

/// Reads and checks a config. \throws InputError naming `source`, the line and the cure.
KernelConfig parse_config(std::string_view text, const std::string& source);

/// The config of a file. \throws InputError
KernelConfig read_config(const std::string& path);

/// The config's shape as the lines that its kernel is compiled with.
std::string config_defines(const KernelConfig& config);

}  // namespace fastid
