/// \file
/// A matrix of numbers of which some rows and columns can be read, from anywhere in its file.
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
  /// Appends some columns of some rows, and zeros behind these where `to` has more columns. It throws as
  /// RealMatrix::append() does, and InputError.
  std::function<void(const Range& rows, const Range& columns, RealMatrix& to)> append;
  std::string dataset = {};  ///< which of its file's matrices it is; "": the only one that a file can have

  /// All columns of the rows of some ranges, one after the other. \throws the same; Failure (memory)
  RealMatrix read(std::span<const Range> ranges) const;
  /// All of them. \throws the same
  RealMatrix read() const {
    const Range all{0, rows};
    return read({&all, 1});
  }
};

/// Neighbouring columns of all rows, cut into stretches of `width` columns.
struct RealStretches {
  RealMatrix matrix;         ///< row v of stretch s is row s * stride + v; zeros fill up the last stretch
  std::uint32_t stride = 0;  ///< a multiple of 32
};

/// \param stretches  of all those of the matrix, from 0; at least one \throws as RealRows::read()
RealStretches read_stretches(const RealRows& rows, const Range& stretches, std::uint64_t width);

/// A matrix that is in memory.
RealRows rows_of(RealMatrix matrix, std::string name);

}  // namespace fastid::engine
