#include "page/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"
#include "stats/log_number.hpp"

namespace fastid::page {
namespace {

constexpr const char* kMinus = "\u2212";

/// 10 to the power of `exponent`, which is html. The sign ^ is included for copied text and for screen
/// readers.
std::string to_the_power(const std::string& exponent) {
  return "10<span class=\"hat\">^</span><sup>" + exponent + "</sup>";
}

std::string exponent_text(double log10_ratio) {
  return ratio_text(log10_ratio, 1);
}

/// Appends a number given in units of its last decimal.
void append_units(std::int64_t units, int decimals, std::string& text) {
  std::array<char, 24> written;
  char* at = written.end();
  auto left = static_cast<std::uint64_t>(std::abs(units));
  for (int i = 0; i < decimals; ++i, left /= 10) *--at = static_cast<char>('0' + left % 10);
  if (decimals > 0) *--at = '.';
  do *--at = static_cast<char>('0' + left % 10);
  while ((left /= 10) != 0);
  if (units < 0) *--at = '-';
  text.append(at, written.end());
}

}  // namespace

std::string chance_text(double log10_value, int digits) {
  constexpr double kSmallest = -300;  // below this, doubles lose digits and then become 0
  if (log10_value > kSmallest || std::isinf(log10_value)) {
    std::string plain;
    append_significant(std::pow(10, log10_value), digits, plain);
    return plain;
  }
  std::string text = stats::scientific(log10_value, digits);
  const std::size_t exponent = text.find('e'), last = text.find_last_not_of('0', exponent - 1);
  text.erase(last + 1, exponent - last - 1);  // as %g does
  if (text[last] == '.') text.erase(last, 1);
  return text;
}

double rounded(double value) {
  return parse_number<double>(fmt::format("{:.9g}", value)).value_or(value);
}

void append_ratio(double value, int decimals, std::string& text) {
  static constexpr std::array kLeast{.5, .05, .005, .0005, .00005, .000005, .0000005};
  if (const auto units = decimal_units(value, decimals)) return append_units(*units, decimals, text);
  const double shown = std::abs(value) < kLeast[static_cast<std::size_t>(decimals)] ? 0.0 : value;
  std::array<char, 340> digits;  // of the largest double, and the decimals
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), shown, std::chars_format::fixed, decimals);
  text.append(digits.data(), end);
}

void append_significant(double value, int digits, std::string& text) {
  constexpr double kLeast = 1e-4,
                   kMost = 10;  // what is written without an exponent, and with few digits before the point
  if (const double size = std::abs(value); size >= kLeast && size < kMost) {
    int decimals = digits - 1;
    for (double least = 1; size < least; least /= 10) ++decimals;
    if (const auto units = decimal_units(value, decimals)) {
      append_units(*units, decimals, text);
      if (decimals > 0) text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
      return;
    }
  }
  std::array<char, 64> written;
  const auto [end, error] = std::to_chars(written.data(), written.data() + written.size(), value,
                                          std::chars_format::general, digits);
  text.append(written.data(), end);
}

void append_number(std::uint64_t number, std::string& text) {
  std::array<char, 20> digits;
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

std::string ratio_text(double value, int decimals) {
  std::string text;
  append_ratio(value, decimals, text);
  return text;
}

std::string power_text(double log10_ratio, double cap) {
  if (log10_ratio > cap) return fmt::format(">10^{:g}", cap);
  return std::isinf(log10_ratio) ? "0" : "10^" + exponent_text(log10_ratio);
}

std::string power_html(double log10_ratio, double cap) {
  if (log10_ratio > cap) return "more than " + to_the_power(signed_html(fmt::format("{:g}", cap)));
  return std::isinf(log10_ratio) ? "0" : to_the_power(signed_html(exponent_text(log10_ratio)));
}

std::string chance_html(double log10_value) {
  std::string text = chance_text(log10_value, 2);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const bool below = text[e + 1] == '-';
  const std::size_t digits = std::min(text.find_first_not_of('0', e + 2), text.size() - 1);
  const std::string power = to_the_power((below ? kMinus : "") + text.substr(digits));
  const std::string times = text.substr(0, e);
  return times == "1" ? power : times + "\u00A0\u00D7\u00A0" + power;
}

std::string signed_html(const std::string& text) {
  return text.starts_with('-') ? kMinus + text.substr(1) : text;
}

}  // namespace fastid::page
