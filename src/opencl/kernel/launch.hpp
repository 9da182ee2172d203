/// \file
/// Sizes that kernels and the host share, and how a rectangle is cut into work-groups.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/checked.hpp"
#include "bits/blocks.hpp"

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

}  // namespace fastid::opencl
