/// \file
/// How a device goes through the pairs of a tile.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/epistasis.hpp"

namespace fastid {

/// Some of a tile's pairs: their first and second sites.
struct PairsOfSites {
  std::uint32_t first_from = 0, first_to = 0, second_from = 0, second_to = 0;

  std::uint32_t firsts() const { return first_to - first_from; }
  std::uint32_t seconds() const { return second_to - second_from; }
  std::size_t size() const { return std::size_t{firsts()} * seconds(); }
};

/// Calls find(pairs), which returns how many combinations passed, until all pairs were found. Without a limit
/// all combinations that have enough people pass: so it begins with a pair, takes a few more until there is a
/// limit, and then so many more that few of them pass. \param most  pairs at a time, at least 1
template <class Find>
void for_pairs(const PairsOfSites& all, std::uint32_t most, const BestCombinations& best, const Find& find) {
  constexpr std::uint32_t kGrowth = 8, kGrowthWithoutLimit = 2;
  std::uint32_t n = std::isinf(best.worst()) ? 1 : most;
  std::uint32_t first = all.first_from, in_row = 0;
  while (first < all.first_to) {
    const std::uint32_t rows = in_row > 0 ? 1 : std::clamp(n / all.seconds(), 1U, all.first_to - first);
    const std::uint32_t to = std::min(rows > 1 ? all.seconds() : in_row + n, all.seconds());
    const std::size_t passed =
        find(PairsOfSites{first, first + rows, all.second_from + in_row, all.second_from + to});
    in_row = to % all.seconds();
    if (in_row == 0) first += rows;
    if (std::isfinite(best.worst()))
      n = std::min(n, most / kGrowth + 1) * kGrowth;
    else if (passed < kGrowth)
      n = n * kGrowthWithoutLimit;
    n = std::min(n, most);
  }
}

/// Both halves of two pairs or more.
inline std::pair<PairsOfSites, PairsOfSites> halves_of(const PairsOfSites& pairs) {
  PairsOfSites lower = pairs, upper = pairs;
  if (pairs.firsts() > 1)
    lower.first_to = upper.first_from = pairs.first_from + pairs.firsts() / 2;
  else
    lower.second_to = upper.second_from = pairs.second_from + pairs.seconds() / 2;
  return {lower, upper};
}

}  // namespace fastid
