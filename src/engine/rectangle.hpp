/// \file
/// All pairs of one of some neighbouring things with one of others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastid::engine {

/// All pairs of a thing of [row_begin, row_end) with one of [column_begin, column_end).
struct Rectangle {
  std::uint32_t row_begin = 0, row_end = 0;        ///< of a search profiles; of ld, epistasis earlier sites
  std::uint32_t column_begin = 0, column_end = 0;  ///< of a search queries; of ld, epistasis later sites

  std::size_t rows() const { return row_end - row_begin; }
  std::size_t columns() const { return column_end - column_begin; }
  std::size_t pairs() const { return rows() * columns(); }
  /// Columns of numbers below a row's, where both are numbered alike.
  std::size_t columns_below(std::uint32_t row) const {
    return row <= column_begin ? 0 : std::min(row, column_end) - column_begin;
  }
  /// Whether a rectangle that begins with the same pair is a part of this one.
  bool begins_with(const Rectangle& part) const {
    return row_begin == part.row_begin && column_begin == part.column_begin && row_end >= part.row_end &&
           column_end >= part.column_end;
  }
  /// The same with up to `side` rows and columns, as far as there are n.
  Rectangle grown(std::uint32_t side, std::uint32_t n) const {
    const auto later = [&](std::uint32_t begin, std::uint32_t end) {
      return std::max(end, n - begin > side ? begin + side : n);
    };
    return {row_begin, later(row_begin, row_end), column_begin, later(column_begin, column_end)};
  }

  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

}  // namespace fastid::engine
