#include "engine/real_rows.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace fastid::engine {
namespace {

template <class T>
void append_of(const RealMatrix& matrix, const Range& rows, const Range& columns, RealMatrix& to) {
  std::vector<T> some(to.n_columns());
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    for (std::uint64_t column = columns.first; column < columns.end; ++column)
      some[column - columns.first] = matrix.at<T>(row, column);
    to.append<T>(some);
  }
}

/// Appends rows of zeros until there are whole blocks.
void fill_up(RealMatrix& matrix) {
  const std::size_t missing = (kLanes - matrix.n_rows() % kLanes) % kLanes;
  with_real(matrix.type(), [&](auto zero) {
    matrix.append<decltype(zero)>(std::vector<decltype(zero)>(missing * matrix.n_columns()));
  });
}

}  // namespace

RealMatrix RealRows::read(std::span<const Range> ranges) const {
  std::uint64_t n = 0;
  for (const Range& range : ranges) n += range.size();
  RealMatrix matrix(name, type, columns);
  matrix.expect_rows(n);
  for (const Range& range : ranges) {
    matrix.set_file_place(range.first, 0);
    append(range, {0, columns}, matrix);
  }
  matrix.finish();
  return matrix;
}

RealStretches read_stretches(const RealRows& rows, const Range& stretches, std::uint64_t width) {
  const std::uint64_t stride = ceil_div<std::uint64_t>(rows.rows, kLanes) * kLanes;
  RealStretches made{RealMatrix(rows.name, rows.type, width), narrow<std::uint32_t>(stride)};
  made.matrix.expect_rows(stride * stretches.size());
  for (std::uint64_t stretch = stretches.first; stretch < stretches.end; ++stretch) {
    const Range columns{stretch * width, std::min(rows.columns, (stretch + 1) * width)};
    made.matrix.set_file_place(0, columns.first);
    rows.append({0, rows.rows}, columns, made.matrix);
    fill_up(made.matrix);
  }
  return made;
}

RealRows rows_of(RealMatrix matrix, std::string name) {
  const auto held = std::make_shared<const RealMatrix>(std::move(matrix));
  return {std::move(name), held->type(), held->n_rows(), held->n_columns(),
          [held](const Range& rows, const Range& columns, RealMatrix& to) {
            with_real(held->type(), [&](auto zero) { append_of<decltype(zero)>(*held, rows, columns, to); });
          }};
}

}  // namespace fastid::engine
