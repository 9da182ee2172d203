/// \file
/// Vectors of numbers that are not negative, in memory: the rows of a matrix, for products of minima
/// (similarity.hpp).
///
///   block   32 neighbouring rows   [column][row of the block]
///
/// This is the layout of profiles (bits/blocks.hpp) with a number in place of a word: a vector register holds
/// a column of some rows, so that sums build up without adding across it. Rows past the last are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid::engine {

enum class RealType : std::uint8_t { kFloat, kDouble };

constexpr std::size_t bytes_of(RealType type) {
  return type == RealType::kFloat ? sizeof(float) : sizeof(double);
}
template <class T>
inline constexpr RealType kRealType = sizeof(T) == sizeof(float) ? RealType::kFloat : RealType::kDouble;

/// Calls work(float()) or work(double()).
template <class Work>
decltype(auto) with_real(RealType type, const Work& work) {
  return type == RealType::kFloat ? work(float{}) : work(double{});
}

class RealMatrix {
 public:
  /// \param name  of its file, for messages \throws InputError where there is no column
  RealMatrix(std::string name, RealType type, std::uint64_t columns);

  RealType type() const { return type_; }
  std::uint32_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }
  std::size_t n_blocks() const { return blocks_.size(); }

  /// Checks that so many rows fit into this machine's memory. \throws Failure that says how much they need
  void expect_rows(std::uint64_t rows) const;

  /// Which row of the file, from 0, is appended next, where not all are read in turn, and which column of the
  /// file is the first one.
  void set_file_place(std::uint64_t row, std::uint64_t column) {
    file_row_ = row;
    file_column_ = column;
  }

  /// Appends whole rows, one after the other; 32 at a time are fastest. Negative zeros become zeros.
  /// \throws InputError naming the file's row and column (from 1) of a number that is negative or not finite,
  /// and a row whose sum is not finite; Failure (memory)
  template <class T>
  void append(std::span<const T> rows);

  /// Checks that it has a row. \throws InputError
  void finish() const;

  /// A block, [column][row of the block]; T must be the matrix's type.
  template <class T>
  const T* block(std::size_t b) const {
    return reinterpret_cast<const T*>(blocks_[b].data());
  }
  template <class T>
  T at(std::size_t row, std::size_t column) const {
    return block<T>(row / kLanes)[column * kLanes + row % kLanes];
  }

  /// The sum of each row's elements, added up in their order and in the matrix's type.
  std::span<const double> sums() const { return sums_; }

  /// Whether a number lies below the smallest normal one of the type, where some devices have zero.
  bool has_denormals() const { return has_denormals_; }

 private:
  [[noreturn]] void refuse(std::size_t column, const std::string& problem) const;
  template <class T>
  void check(std::span<const T> row);

  std::string name_;
  RealType type_;
  std::uint32_t n_rows_ = 0;
  std::uint64_t file_row_ = 0, file_column_ = 0;  ///< of the next row, and of column 0
  std::size_t n_columns_;
  std::vector<WordBuffer> blocks_;
  std::vector<double> sums_;
  bool has_denormals_ = false;
};

}  // namespace fastid::engine
