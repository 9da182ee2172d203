/// \file
/// Checked arithmetic for sizes: an overflow is an error, never a wrapped number.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "base/error.hpp"

namespace fastid {

/// a * b. \throws Failure where the product does not fit.
template <std::unsigned_integral T>
T checked_mul(T a, T b) {
  T product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw Failure("a size overflows; the problem is too large");
  return product;
}

/// a + b. \throws Failure where the sum does not fit.
template <std::unsigned_integral T>
T checked_add(T a, T b) {
  T sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw Failure("a size overflows; the problem is too large");
  return sum;
}

/// The same value in a narrower type. \throws Failure where it does not fit.
template <std::integral To, std::integral From>
To narrow(From value) {
  if (!std::in_range<To>(value)) throw Failure("a number is out of range; the problem is too large");
  return static_cast<To>(value);
}

/// ceil(a / b), for b > 0.
template <std::unsigned_integral T>
constexpr T ceil_div(T a, T b) {
  return a / b + (a % b != 0);
}

}  // namespace fastid
