/// \file
/// A matrix of numbers of which some rows can be read, from anywhere in its file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bits/shard.hpp"
#include "engine/real_matrix.hpp"

namespace fastid::engine {

struct RealRows {
  std::string name;  ///< of the file, for messages
  RealType type = RealType::kFloat;
  std::uint64_t rows = 0, columns = 0;
  /// Appends some rows. It throws as RealMatrix::append() does, and InputError.
  std::function<void(const Range& rows, RealMatrix& to)> append;

  /// Those of some ranges, one after the other. \throws the same; Failure (memory)
  RealMatrix read(std::span<const Range> ranges) const {
    std::uint64_t n = 0;
    for (const Range& range : ranges) n += range.size();
    RealMatrix matrix(name, type, columns);
    matrix.expect_rows(n);
    for (const Range& range : ranges) {
      matrix.set_file_row(range.first);
      append(range, matrix);
    }
    matrix.finish();
    return matrix;
  }
};

}  // namespace fastid::engine
