/// \file
/// The median of a few measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fastid {

/// The middle of some values; of an even number the upper of the two. Not empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace fastid
