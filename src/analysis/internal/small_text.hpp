/// \file
/// A text of lines that somebody wrote for fastid: a family, an expectation. It is read whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastid {

struct SmallText {
  std::string content;  ///< without a byte-order mark
  std::string sha256;   ///< of the file

  /// The lines, trimmed. Those that are empty, or comments (#), are empty here.
  std::vector<std::string_view> lines() const;
};

/// \throws InputError where it cannot be read, or is longer than `most` bytes.
SmallText read_small_text(const std::string& path, std::uint64_t most);

}  // namespace fastid
