#include "asking/small_text.hpp"

#include <algorithm>
#include <array>

#include <utility>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace fastid::asking {

std::vector<std::string_view> SmallText::lines() const {
  std::vector<std::string_view> lines;
  for (std::string_view line : split(content, '\n')) {
    line = trim(line);
    lines.push_back(line.starts_with('#') ? std::string_view() : line);
  }
  return lines;
}

std::vector<std::string_view> columns_of(std::string_view line) {
  if (line.find('\t') == std::string_view::npos) return split_blanks(line);
  std::vector<std::string_view> columns = split(line, '\t');
  for (std::string_view& column : columns) column = trim(column);
  return columns;
}

bool is_missing_code(std::string_view word) {
  constexpr std::array<std::string_view, 10> kCodes = {"",     "-9",  ".",    "na",   "nan",
                                                       "none", "n/a", "#n/a", "null", "\"\""};
  return std::ranges::find(kCodes, ascii_lower(word)) != kCodes.end();
}

SmallText read_small_text(const std::string& path, std::uint64_t most) {
  SmallText text{.content = read_whole_file(path, most), .sha256 = {}};
  Sha256 sha;
  sha.update(text.content);
  text.sha256 = sha.hex();
  text.content = without_encoding_mark(std::move(text.content), path);
  return text;
}

}  // namespace fastid::asking
