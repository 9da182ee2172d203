/// \file
/// How a device goes through the pairs of a tile.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/epistasis.hpp"
#include "engine/rectangle.hpp"

namespace fastid::opencl {

/// Calls find(pairs), which returns how many combinations passed, until all pairs were found. Without a limit
/// all combinations that have enough people pass: so it begins with a pair, takes a few more until there is a
/// limit, and then so many more that few of them pass. \param all  first sites and second ones \param most
/// pairs at a time, at least 1
template <class Find>
void for_pairs(const engine::Rectangle& all, std::uint32_t most, const engine::BestCombinations& best,
               const Find& find) {
  constexpr std::uint32_t kGrowth = 8, kGrowthWithoutLimit = 2;
  std::uint32_t n = std::isinf(best.worst()) ? 1 : most;
  const auto seconds = static_cast<std::uint32_t>(all.columns());
  std::uint32_t first = all.row_begin, in_row = 0;
  while (first < all.row_end) {
    const std::uint32_t rows = in_row > 0 ? 1 : std::clamp(n / seconds, 1U, all.row_end - first);
    const std::uint32_t to = std::min(rows > 1 ? seconds : in_row + n, seconds);
    const std::size_t passed =
        find(engine::Rectangle{first, first + rows, all.column_begin + in_row, all.column_begin + to});
    in_row = to % seconds;
    if (in_row == 0) first += rows;
    if (std::isfinite(best.worst()))
      n = std::min(n, most / kGrowth + 1) * kGrowth;
    else if (passed < kGrowth)
      n = n * kGrowthWithoutLimit;
    n = std::min(n, most);
  }
}

}  // namespace fastid::opencl
