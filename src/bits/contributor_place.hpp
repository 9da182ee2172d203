/// \file
/// The order of a mixture's unknown contributors: who left most comes first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace fastid {

/// The place of one contributor in this order, from 0. \param own, others  shares, or drop-outs
inline std::size_t place_of_contributor(double own, std::span<const double> others, bool by_shares) {
  const auto before = [&](double other) { return by_shares ? other > own : other < own; };
  return static_cast<std::size_t>(std::ranges::count_if(others, before));
}

}  // namespace fastid
