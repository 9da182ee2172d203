/// \file
/// Filters of products as a GPU has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "engine/similarity.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {

/// Pairs of a launch, so that its start and end count little and all of a GPU's units have work.
inline constexpr std::size_t kPairsAtOnce = std::size_t{1} << 27;

/// Whether 32 bits number the pairs of all filters.
inline bool can_number(const engine::Rectangle& pairs, std::size_t n_filters) {
  return checked_mul(n_filters, pairs.pairs()) < std::size_t{1} << 32;
}

/// Least, sum and there of a vector; and the pivot's share of a CorrelationFilter, else 0.
template <class T>
struct DeviceLimits {
  T least, sum, there, pivot;
};

// Planes of product_filter.h: a stride, then first and number of a column's, of a row's and of a pivot's.
static_assert(sizeof(engine::ProductPlanes) == 7 * sizeof(cl_uint) &&
              offsetof(engine::ProductPlanes, stride) == 0 &&
              offsetof(engine::ProductPlanes, column) == sizeof(cl_uint) &&
              offsetof(engine::ProductPlanes, row) == 3 * sizeof(cl_uint) &&
              offsetof(engine::ProductPlanes, pivot) == 5 * sizeof(cl_uint) &&
              offsetof(engine::MemberPlanes, first) == 0);

/// Planes from which a rectangle's products choose: none of a pivot where there is none.
inline engine::ProductPlanes chosen_from(engine::ProductPlanes planes, bool with_pivot) {
  if (!with_pivot) planes.pivot = {};
  return planes;
}

/// Filters in numbers of T.
template <class T>
struct DeviceFilters {
  explicit DeviceFilters(std::span<const engine::ProductFilter> filters) : n(filters.size()) {
    for (const engine::ProductFilter& filter : filters) {
      if (filter.pivot) pivots.push_back(*filter.pivot);
      const double of_pivot = filter.correlation ? filter.correlation->pivot : 0;
      append(filter.row, of_pivot, row);
      append(filter.column, of_pivot, column);
      planes = filter.planes;
      scale = filter.correlation ? static_cast<float>(filter.correlation->scale) : 0;
      if (filter.counts_common_units()) common = filter.correlation->common;
    }
  }

  std::size_t n;
  engine::ProductPlanes planes;
  float scale = 0;                             ///< 0: of a proportional similarity
  std::optional<engine::CommonPlanes> common;  ///< of CCC, where calls are missing
  std::vector<cl_uint> pivots;
  std::vector<DeviceLimits<T>> row, column;  ///< [filter][vector]

 private:
  static void append(const engine::ProductLimits& from, double of_pivot, std::vector<DeviceLimits<T>>& to) {
    const std::size_t begin = to.size();
    to.resize(begin + from.least.size());
    constexpr double kMost = std::numeric_limits<T>::max() / 8;  // lower limits let more pairs pass
    for (std::size_t i = 0; i < from.least.size(); ++i)
      to[begin + i] = {static_cast<T>(std::min(from.least[i], kMost)),
                       static_cast<T>(std::clamp(from.sum[i], -kMost, kMost)), static_cast<T>(from.there[i]),
                       static_cast<T>(of_pivot)};
  }
};

}  // namespace fastid::opencl
