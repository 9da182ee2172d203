/// \file
/// Text functions that more than one module needs. None of them depends on the locale.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fastid {

/// The whole of `text` as a number of type T, or no value. Blanks, trailing bytes and, for unsigned types,
/// signs are not accepted. Floating-point results are finite.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

/// `value` in units of its last decimal, rounded like a text with so many decimals. No value where a double
/// cannot tell: for very large values, and for values half way between two units. \param decimals  at most 15
inline std::optional<std::int64_t> decimal_units(double value, int decimals) {
  constexpr double kMost = 1e10, kNearHalf = 0.499;  // the product is wrong by a millionth at most
  constexpr std::array kUnits{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const double units = value * kUnits[static_cast<std::size_t>(decimals)];
  if (!(std::abs(units) < kMost)) return std::nullopt;
  const auto rounded = static_cast<std::int64_t>(units + std::copysign(0.5, units));
  if (std::abs(units - static_cast<double>(rounded)) > kNearHalf) return std::nullopt;
  return rounded;
}

/// Pieces of `text` between `separator`s; "a,,b" has three, "" has one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
/// split() into `pieces`, whose memory is reused.
void split(std::string_view text, char separator, std::vector<std::string_view>& pieces);

/// Pieces between runs of blanks and tabs; "" has none.
std::vector<std::string_view> split_blanks(std::string_view text);

/// `text` without blanks, tabs and carriage returns at either end.
std::string_view trim(std::string_view text);

/// `text` fit for a message: characters that is_printable_utf8() refuses are replaced by '?', and it is cut
/// after `most` characters.
std::string printable(std::string_view text, std::size_t most = 40);

/// The words of `text` after `head`, wrapped into lines of `columns` that end in a newline. The text begins
/// in column `indent`, which is at least the width of `head`.
std::string wrapped(std::string_view head, std::string_view text, std::size_t indent,
                    std::size_t columns = 80);

/// The columns that a terminal needs for a line: its characters, without the sequences that set colours
/// (terminal.hpp).
std::size_t display_width(std::string_view line);

/// ASCII letters in lower or upper case, all other bytes as they are.
std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);

/// True where `text` is well-formed UTF-8 without control characters (including C1) and without characters
/// that change the direction of text or end a line, so that it can be a name in any output.
bool is_printable_utf8(std::string_view text);

/// Whether a text has any character that a reader sees: not blanks of any kind, characters without width,
/// controls or bytes that are no UTF-8 alone.
bool shows(std::string_view text);

/// "1,234,567".
std::string with_commas(std::uint64_t value);

/// "1 block", "2,000 blocks".
std::string counted(std::uint64_t n, std::string_view noun);

/// Lines of cells as columns, each as wide as its widest cell (display_width), `gap` between them, no blanks
/// at a line's end.
///
/// \param words  one for each column: true where its cells begin at its left, false (numbers) where they end
///               at its right. No line has more cells.
std::string aligned(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& words,
                    std::string_view gap);

}  // namespace fastid
