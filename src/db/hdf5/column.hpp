/// \file
/// The small datasets of a database: one value per site, profile or block, in a one-dimensional dataset whose
/// chunks carry Fletcher32 checksums. Planes are stored differently (plane_writer.hpp, plane_reader.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.hpp"
#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

/// A dataset that grows. Rows are buffered in memory and written a chunk at a time. The first write sets the
/// size of chunks, 4 to 64 KiB, so that small databases stay small.
class ColumnWriter {
 public:
  /// \param group  must outlive this
  /// \param type  type of a row, in memory and in the file
  /// \param file  for messages
  /// \throws Failure.
  ColumnWriter(hid_t group, std::string name, h5::Type type, std::string file);

  /// Continues an existing dataset at row `next`: that row and all after it are overwritten.
  /// \throws Failure.
  static ColumnWriter resume(hid_t group, const std::string& name, std::uint64_t next,
                             const std::string& file);

  std::size_t row_bytes() const { return row_bytes_; }

  /// \param rows  n * row_bytes() bytes. \throws Failure.
  void append(const void* rows, std::size_t n);

  /// Writes what is still in memory, HDF5's cache included; the dataset then exists, even if it has no rows.
  /// \throws Failure.
  void finish();

  /// Forgets all rows: the next append() overwrites the first.
  void rewind();

 private:
  std::size_t chunk_bytes() const { return chunk_rows_ * row_bytes_; }
  void create(std::size_t n);
  void flush();
  void write(const void* rows, hsize_t n);

  hid_t group_;
  std::string name_, file_;
  h5::Type type_;
  h5::Dataset dataset_;  ///< none until the first flush
  std::size_t row_bytes_, chunk_rows_;
  hsize_t extent_ = 0;   ///< rows of the dataset
  hsize_t written_ = 0;  ///< rows of the dataset that were written
  std::vector<unsigned char> pending_;
};

/// Writes a whole column at once. \throws Failure.
void write_column(hid_t group, const std::string& name, h5::Type type, const void* rows, std::size_t n,
                  const std::string& file);

/// write_column() for `n` strings, row(i) each, padded to the length of the longest.
template <class Row>
void write_strings(hid_t group, const std::string& name, std::size_t n, const Row& row,
                   const std::string& file) {
  std::size_t width = 1;
  for (std::size_t i = 0; i < n; ++i) width = std::max(width, row(i).size());
  std::string padded(checked_mul(n, width), '\0');
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view text = row(i);
    std::memcpy(padded.data() + i * width, text.data(), text.size());
  }
  write_column(group, name, h5::string_type(width), padded.data(), n, file);
}

/// A column of an untrusted file. Opening it checks its shape, that it is stored as ColumnWriter does (in
/// chunks of this file, of 64 KiB at most, with Fletcher32 and no other filter), and that the file really
/// holds as many bytes as its rows need, so that memory can be allocated for them.
class StoredColumn {
 public:
  StoredColumn() = default;
  /// \throws InputError.
  StoredColumn(hid_t group, std::string name, std::string file);

  std::uint64_t rows() const { return rows_; }
  std::size_t row_bytes() const { return row_bytes_; }

  /// \throws InputError where it has another number of rows.
  void expect_rows(std::uint64_t rows, const char* what) const;
  /// \throws InputError where its rows are of another type.
  void expect_type(hid_t type, const char* type_name) const;
  /// \throws InputError where its rows are not fixed-length strings of 1 to `longest` bytes.
  void expect_strings(std::size_t longest) const;

  /// Rows first .. first + n - 1 as they are in the file. \throws InputError.
  std::vector<unsigned char> read(std::uint64_t first, std::size_t n) const;

  /// All rows as values of T, which must have the bytes of `type`. \throws InputError.
  template <class T>
  std::vector<T> read_all(hid_t type, const char* type_name) const {
    expect_type(type, type_name);
    std::vector<T> values(static_cast<std::size_t>(rows_));
    read_into(0, values.size(), values.data());
    return values;
  }

  /// Rows of strings without their zero padding: first .. first + n - 1, or the given rows in the given
  /// order. \throws InputError where one is not printable UTF-8 (is_printable_utf8) or holds a zero byte.
  std::vector<std::string> read_strings(std::uint64_t first, std::size_t n) const;
  std::vector<std::string> read_strings(const std::vector<hsize_t>& rows) const;
  /// All rows. \throws InputError where they are not strings of 1 to `longest` bytes.
  std::vector<std::string> read_all_strings(std::size_t longest) const;

 private:
  [[noreturn]] void reject(const std::string& problem) const;
  std::vector<std::string> strings_of(const std::vector<unsigned char>& bytes) const;
  void check_layout() const;
  void check_storage() const;
  /// The given rows, which ascend. Rows near each other are read as one stretch: HDF5 takes microseconds for
  /// each single row that is selected.
  std::vector<unsigned char> read_stretches(std::span<const hsize_t> rows) const;
  void read_into(std::uint64_t first, std::size_t n, void* into) const;
  void transfer(const h5::Space& selection, std::size_t n, void* into) const;

  std::string name_, file_;
  h5::Dataset dataset_;
  h5::Type type_;
  std::uint64_t rows_ = 0;
  std::size_t row_bytes_ = 0;
};

}  // namespace fastid::db
