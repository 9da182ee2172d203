#include "base/text.hpp"

namespace fastid {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return pieces;
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, most));
  for (char& c : out)
    if (c < 32 || c > 126) c = '?';
  if (text.size() > most) out += "...";
  return out;
}

std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace fastid
