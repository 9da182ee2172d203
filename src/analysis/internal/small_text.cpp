#include "analysis/internal/small_text.hpp"

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace fastid {

std::vector<std::string_view> SmallText::lines() const {
  std::vector<std::string_view> lines;
  for (std::string_view line : split(content, '\n')) {
    line = trim(line);
    lines.push_back(line.starts_with('#') ? std::string_view() : line);
  }
  return lines;
}

SmallText read_small_text(const std::string& path, std::uint64_t most) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  SmallText text{.content = read_whole_file(path, most), .sha256 = {}};
  Sha256 sha;
  sha.update(text.content);
  text.sha256 = sha.hex();
  if (text.content.starts_with(kByteOrderMark)) text.content.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace fastid
