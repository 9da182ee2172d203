/// \file
/// Random matrices of numbers for products of minima.
#pragma once

#include <random>
#include <vector>

#include "engine/real_matrix.hpp"

namespace fastid::testing {

/// Numbers whose sums are rounded at nearly every step, with zeros and equal numbers among them.
template <class T>
std::vector<T> random_reals(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    value = std::generate_canonical<T, 60>(random);
    if (random() % 8 == 0) value = 0;
    if (random() % 8 == 0) value = static_cast<T>(random() % 3);
    if (random() % 8 == 0) value *= 1000;
  }
  return values;
}

template <class T>
engine::RealMatrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed = 1) {
  engine::RealMatrix matrix("a matrix", engine::kRealType<T>, columns);
  matrix.append<T>(random_reals<T>(rows * columns, seed));
  return matrix;
}

}  // namespace fastid::testing
