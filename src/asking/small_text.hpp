/// \file
/// A text of lines that somebody wrote for fastid: a family, an expectation. It is read whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastid::asking {

struct SmallText {
  std::string content;  ///< without a byte-order mark
  std::string sha256;   ///< of the file

  /// The lines, trimmed. Those that are empty, or comments (#), are empty here.
  std::vector<std::string_view> lines() const;
};

/// The columns of a line: between tabs, where it has any, else between blanks.
std::vector<std::string_view> columns_of(std::string_view line);

/// Whether a word is another program's for a value that is not known: -9, a point, NA, N/A, NaN, None,
/// null, or nothing.
/// (0 is one too where it cannot be a value.)
bool is_missing_code(std::string_view word);

/// \throws InputError where it cannot be read, is no UTF-8 text, or is longer than `most` bytes.
SmallText read_small_text(const std::string& path, std::uint64_t most);

}  // namespace fastid::asking
