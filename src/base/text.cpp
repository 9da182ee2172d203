#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fastid {
namespace {

/// Whether a character can make text look different from what is stored: marks of direction (Unicode's
/// Bidi_Control), ends of lines and paragraphs.
bool disguises(char32_t point) {
  return point == 0x61C || point == 0x200E || point == 0x200F || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

/// A character of a text in UTF-8.
struct Utf8Character {
  std::size_t bytes = 0;  ///< 0: no well-formed UTF-8, a control character, or one that disguises()
  char32_t point = 0;
};

/// The first character of `text`.
Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead >= 0x20 && lead != 0x7F ? 1u : 0u, lead};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {};
  char32_t point = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0xA0, 0x800,
                                 0x10000};  // code points below are overlong forms or the controls U+80..9F
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  const bool shown = point >= kLeast[bytes] && point <= 0x10FFFF && !surrogate && !disguises(point);
  return {shown ? bytes : 0, point};
}

}  // namespace

void split(std::string_view text, char separator, std::vector<std::string_view>& pieces) {
  pieces.clear();
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  split(text, separator, pieces);
  return pieces;
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  constexpr std::size_t kUsual = 8;  // columns
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::vector<std::string_view> pieces;
  pieces.reserve(kUsual);
  for (std::size_t at = 0;;) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return pieces;
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    pieces.push_back(text.substr(begin, at - begin));
  }
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  std::size_t begin = 0, end = text.size();
  while (begin < end && is_blank(text[begin])) ++begin;
  while (begin < end && is_blank(text[end - 1])) --end;
  return text.substr(begin, end - begin);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t n = 0; n < most && !text.empty(); ++n) {
    const std::size_t bytes = first_character(text).bytes;
    out += bytes == 0 ? "?" : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  if (!text.empty()) out += "...";
  return out;
}

std::string wrapped(std::string_view head, std::string_view text, std::size_t indent, std::size_t columns) {
  std::string lines, line(head);
  line.resize(indent, ' ');
  for (const std::string_view word : split_blanks(text)) {
    const bool first = line.size() == indent;
    if (!first && line.size() + 1 + word.size() > columns) {
      lines += line + '\n';
      line.assign(indent, ' ');
    } else if (!first) {
      line += ' ';
    }
    line += word;
  }
  return lines + line + '\n';
}

std::size_t display_width(std::string_view line) {
  std::size_t width = 0;
  bool in_sequence = false;
  for (const char c : line) {
    if (c == '\033') in_sequence = true;
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // of a UTF-8 character
    if (!in_sequence && !continues) ++width;
    if (c == 'm') in_sequence = false;
  }
  return width;
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string ascii_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

bool is_printable_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const bool plain = text[i] >= 0x20 && text[i] < 0x7F;  // the usual case
    const std::size_t bytes = plain ? 1 : first_character(text.substr(i)).bytes;
    if (bytes == 0) return false;
    i += bytes;
  }
  return true;
}

namespace {

/// Whether a character is a blank, has no width, or draws nothing.
bool draws_nothing(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 21> kNothing{
      {{0, 0x20},         {0x7F, 0xA0},     {0xAD, 0xAD},     {0x34F, 0x34F},     {0x115F, 0x1160},
       {0x1680, 0x1680},  {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F},   {0x2028, 0x202F},
       {0x205F, 0x206F},  {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},
       {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
       {0xE0000, 0xE0FFF}}};
  return std::ranges::any_of(kNothing,
                             [c](const auto& range) { return c >= range.first && c <= range.second; });
}

}  // namespace

bool shows(std::string_view text) {
  while (!text.empty()) {
    const bool plain = text[0] > 0x20 && text[0] < 0x7F;
    if (plain) return true;
    const auto [bytes, point] = first_character(text);
    if (bytes > 0 && !draws_nothing(point)) return true;
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return false;
}

std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return with_commas(n).append(" ").append(noun).append(n == 1 ? "" : "s");
}

std::string aligned(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& words,
                    std::string_view gap) {
  std::vector<std::size_t> widths(words.size());
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (c > 0) out += gap;
      const std::string padding(widths[c] - display_width(line[c]), ' ');
      out += words[c] ? line[c] + padding : padding + line[c];
    }
    text += out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace fastid
