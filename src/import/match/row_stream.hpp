/// \file
/// A file of a header and rows of one size, one row per variant, such as .bed and the packed .geno. Read from
/// start to end, in memory that does not depend on the number of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "import/io/byte_stream.hpp"

namespace fastid::imports {

class RowStream {
 public:
  /// \throws InputError where an uncompressed file does not have the size of `n_rows` rows; in a compressed
  /// file this is found only as rows are read
  RowStream(const Source& source, std::size_t header_bytes, std::size_t row_bytes, std::uint64_t n_rows,
            std::string_view needed_by);

  /// Row `row`, which must not precede the one that was asked for last. Valid until the next call.
  std::span<const std::uint8_t> row(std::uint64_t row);
  /// The bytes before the rows.
  std::span<const char> header() const { return header_; }
  /// Reads what is left. \throws InputError where rows are missing or something follows them.
  void finish();

 private:
  void refill();
  [[noreturn]] void refuse_size(std::uint64_t actual) const;

  std::string name_, needed_by_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> header_;
  std::size_t row_bytes_;
  std::uint64_t n_rows_;
  std::vector<char> chunk_;            ///< whole rows
  std::uint64_t first_ = 0, end_ = 0;  ///< the rows in chunk_
};

}  // namespace fastid::imports
