/// \file
/// Sizes that kernels and the host share, and how a rectangle is cut into work-groups. Queries and profiles
/// are the two sides of what kernels compare; of ld.cl these are first and second sites. A **profile tile**
/// is the profiles that a work-group takes at once (in configs a column tile).
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

/// TILE, STEP and WARP of kernels/matrix_product.h: the rows of an instruction's product (of a search
/// queries), the words of a step, and the work-items of a warp.
inline constexpr std::size_t kMatrixTile = 16, kMatrixStep = 8, kWarp = 32;

/// How many tiles of `tile` things (queries, profiles, blocks), counted from thing 0 on, contain things
/// first .. end - 1.
constexpr std::size_t tiles_over(std::size_t first, std::size_t end, std::size_t tile) {
  return ceil_div(end, tile) - first / tile;
}

/// How many profile tiles a work-group takes one after the other: so many that there are still `wanted`
/// work-groups, but at most `most`. \param groups  work-groups if each took one profile tile
constexpr std::size_t run_of(std::size_t groups, std::size_t wanted, std::size_t most) {
  return std::clamp<std::size_t>(groups / wanted, 1, most);
}

/// A config as kernels of blocked.h are compiled with it. \param square  there are as many queries as
/// profiles \param local_bytes  that the device has \param n_words  of a profile
model::KernelConfig config_on(model::KernelConfig config, bool square, std::uint64_t local_bytes,
                              std::size_t n_words);
/// Work-groups for so many query blocks of M_C queries and profile tiles of N_R profiles, on a device of so
/// many compute units.
KernelLaunch blocked_launch(const model::KernelConfig& config, std::size_t units, std::size_t query_blocks,
                            std::size_t profile_tiles);

}  // namespace fastid::opencl
