/// \file
/// All pairs of one of some neighbouring things with one of others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastid {

/// All pairs of a thing of [row_begin, row_end) with one of [column_begin, column_end).
struct Rectangle {
  std::uint32_t row_begin = 0, row_end = 0;
  std::uint32_t column_begin = 0, column_end = 0;

  std::size_t rows() const { return row_end - row_begin; }
  std::size_t columns() const { return column_end - column_begin; }
  std::size_t pairs() const { return rows() * columns(); }
  /// Columns of numbers below a row's, where both are numbered alike.
  std::size_t columns_below(std::uint32_t row) const {
    return row <= column_begin ? 0 : std::min(row, column_end) - column_begin;
  }

  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

}  // namespace fastid
