/// \file
/// Lines of a text that may be gzip- or bgzip-compressed, in memory that does not grow with the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "import/hts_handle.hpp"

namespace fastid {

class LineReader {
 public:
  explicit LineReader(const Source& source);

  /// The next line without its end ("\n", "\r\n") and without a byte-order mark; false at the end. `line`
  /// stays valid until the next call. \throws InputError: damaged compression, a line of over a mebibyte.
  bool next(std::string_view& line);

  /// Number of the line that next() gave last, from 1.
  std::uint64_t number() const { return number_; }
  /// "line 12".
  std::string place() const;

 private:
  bool refill();

  std::string name_;
  hts::Handle<BGZF> file_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what has not been handed out
  std::uint64_t number_ = 0;
};

}  // namespace fastid
