#include "report/page/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "stats/log_number.hpp"

namespace fastid::report {
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

}  // namespace

std::string chance_text(double log10_value, int digits) {
  constexpr double kSmallest = -300;  // below this, doubles lose digits and then become 0
  if (log10_value > kSmallest || std::isinf(log10_value))
    return fmt::format("{:.{}g}", std::pow(10, log10_value), digits);
  std::string text = stats::scientific(log10_value, digits);
  const std::size_t exponent = text.find('e'), last = text.find_last_not_of('0', exponent - 1);
  text.erase(last + 1, exponent - last - 1);  // as %g does
  if (text[last] == '.') text.erase(last, 1);
  return text;
}

double rounded(double value) {
  return parse_number<double>(fmt::format("{:.9g}", value)).value_or(value);
}

std::string ratio_text(double value, int decimals) {
  const double least = 0.5 * std::pow(10, -decimals);
  return fmt::format("{:.{}f}", std::abs(value) < least ? 0.0 : value, decimals);
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

}  // namespace fastid::report
