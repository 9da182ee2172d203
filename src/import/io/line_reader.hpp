/// \file
/// Lines of a text that may be compressed, in memory that does not grow with the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "import/io/byte_stream.hpp"

namespace fastid::imports {

class LineReader {
 public:
  /// \param threads  that help to decompress
  explicit LineReader(const Source& source, std::size_t threads = 0);

  /// The next line without its end ("\n", "\r\n") and without a byte-order mark; false at the end, where
  /// `line` is empty. It stays valid until the next call. \throws InputError: damaged compression, a line
  /// that is longer than longest_line().
  bool next(std::string_view& line);

  /// Number of the line that next() gave last, from 1.
  std::uint64_t number() const { return number_; }
  /// True where the line that next() gave last has no end: it is the last one, and may be cut off.
  bool ends_within_line() const { return within_line_; }
  /// "line 12".
  std::string place() const;

  /// The most bytes that a line may have: 1 MiB, unless a reader sets another limit. In a file that is
  /// compressed suspiciously well, a line longer than 16 MiB may have at most 64 bytes for each byte of the
  /// file.
  std::size_t longest_line() const { return longest_line_; }
  void set_longest_line(std::size_t bytes);

 private:
  bool refill();

  std::string name_;
  std::uint64_t file_bytes_;
  std::unique_ptr<ByteStream> stream_;
  std::string buffer_;  ///< [begin_, end_) was read and not yet handed out
  std::size_t begin_ = 0, end_ = 0;
  std::size_t longest_line_ = std::size_t{1} << 20;
  std::uint64_t number_ = 0;
  bool within_line_ = false;
};

}  // namespace fastid::imports
