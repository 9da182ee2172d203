/// \file
/// Sizes that kernels and the host share, and how a rectangle is cut into work-groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "bits/blocks.hpp"
#include "model/config.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {

/// Words that may be read past a tile's last block: one step of compare_matrix.cl, 8 words of a block.
inline constexpr std::size_t kTilePadding = 8 * kLanes;

/// The queries of an instruction's product, the words of a step, and the work-items of a warp
/// (kernels/matrix_product.h).
inline constexpr std::size_t kMatrixTile = 16, kMatrixStep = 8, kWarp = 32;

/// How many tiles of `tile` rows, counted from row 0 on, contain rows first .. end - 1.
constexpr std::size_t tiles_over(std::size_t first, std::size_t end, std::size_t tile) {
  return ceil_div(end, tile) - first / tile;
}

/// How many column tiles a work-group takes one after the other: so many that there are still `wanted`
/// work-groups, but at most `most`. \param groups  work-groups if each took one column tile
constexpr std::size_t run_of(std::size_t groups, std::size_t wanted, std::size_t most) {
  return std::clamp<std::size_t>(groups / wanted, 1, most);
}

/// A config as kernels of blocked.h are compiled with it. \param square  there are as many queries as
/// profiles \param local_bytes  that the device has \param n_words  of a profile
model::KernelConfig config_on(model::KernelConfig config, bool square, std::uint64_t local_bytes,
                              std::size_t n_words);
/// Work-groups for so many row blocks of M_C queries and column tiles of N_R profiles, on a device of so many
/// compute units.
KernelLaunch blocked_launch(const model::KernelConfig& config, std::size_t units, std::size_t row_blocks,
                            std::size_t tiles);

}  // namespace fastid::opencl
