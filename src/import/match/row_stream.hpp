/// \file
/// A file of a header and rows of one size, one row a variant: what .bed and the packed .geno are. Read from
/// the front to the end, in memory that does not depend on how many rows there are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "import/io/byte_stream.hpp"

namespace fastid {

class RowStream {
 public:
  /// \throws InputError where the size of an uncompressed file is not that of so many rows; of a compressed
  /// one
  ///         that shows when the last row was read
  RowStream(const Source& source, std::size_t header_bytes, std::size_t row_bytes, std::uint64_t n_rows,
            std::string_view needed_by);

  /// Row `row`, which must not lie before the one that was asked for last. Valid until the next call.
  std::span<const std::uint8_t> row(std::uint64_t row);
  /// The bytes before the rows.
  std::span<const char> header() const { return header_; }
  /// Reads what is left. \throws InputError where that is not the rest of the rows and nothing else.
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
  std::uint64_t first_ = 0, end_ = 0;  ///< the rows in it
};

}  // namespace fastid
