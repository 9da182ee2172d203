/// \file
/// Products of vectors, one element after the other, with no code of src/ in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/rectangle.hpp"

namespace fastid::testing {

/// Vectors of numbers, or of bits as 0 and 1, and all their products.
class TrueProducts {
 public:
  /// \param values  [vector][element] \param in_float  sums are rounded as float, not as double
  TrueProducts(std::uint32_t n, std::size_t elements, std::vector<double> values, bool in_float)
      : n_(n), elements_(elements), values_(std::move(values)), in_float_(in_float) {}

  std::uint32_t n() const { return n_; }
  /// \param pivot  a third vector
  double product(std::optional<std::uint32_t> pivot, std::uint32_t u, std::uint32_t v) const {
    float narrow = 0;
    double wide = 0;
    for (std::size_t q = 0; q < elements_; ++q) {
      double least = std::min(values_[u * elements_ + q], values_[v * elements_ + q]);
      if (pivot) least = std::min(least, values_[*pivot * elements_ + q]);
      narrow += static_cast<float>(least);
      wide += least;
    }
    return in_float_ ? narrow : wide;
  }
  double sum(std::uint32_t u) const { return product(std::nullopt, u, u); }

  /// Those of a rectangle, [row][column].
  std::vector<double> of(std::optional<std::uint32_t> pivot, const Rectangle& pairs) const {
    std::vector<double>& all = made_[pivot];
    if (all.empty()) {
      all.resize(std::size_t{n_} * n_);
      for (std::uint32_t u = 0; u < n_; ++u)
        for (std::uint32_t v = 0; v <= u; ++v)
          all[std::size_t{u} * n_ + v] = all[std::size_t{v} * n_ + u] = product(pivot, u, v);
    }
    std::vector<double> some;
    for (std::size_t u = pairs.row_begin; u < pairs.row_end; ++u)
      for (std::size_t v = pairs.column_begin; v < pairs.column_end; ++v) some.push_back(all[u * n_ + v]);
    return some;
  }

 private:
  std::uint32_t n_;
  std::size_t elements_;
  std::vector<double> values_;
  bool in_float_;
  mutable std::map<std::optional<std::uint32_t>, std::vector<double>> made_;
};

}  // namespace fastid::testing
