/// \file
/// The median of a few measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fastid {

/// The median of `values`, which must not be empty; of an even number, the upper one of the middle two.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace fastid
