#include "stats/log_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace fastid::stats {
namespace {

const double kRatioUnits = std::pow(10, kRatioDecimals);

}  // namespace

std::string scientific(double log10_value, int digits) {
  if (std::isinf(log10_value) && log10_value < 0) return "0";
  if (!std::isfinite(log10_value)) return fmt::format("{}", log10_value);
  const int decimals = std::max(0, digits - 1);
  auto exponent = static_cast<long long>(std::floor(log10_value));
  std::string mantissa =
      fmt::format("{:.{}f}", std::pow(10, log10_value - static_cast<double>(exponent)), decimals);
  if (mantissa.starts_with("10")) {  // rounded up to the next power
    ++exponent;
    mantissa = fmt::format("{:.{}f}", 1.0, decimals);
  }
  return fmt::format("{}e{}{:02}", mantissa, exponent < 0 ? '-' : '+', std::llabs(exponent));
}

double log10_ratio(double log10_first, double log10_second) {
  const double impossible = -std::numeric_limits<double>::infinity();
  return log10_first == impossible ? impossible : log10_first - log10_second;
}

double log10_quotient(double first, double second) {
  return first == 0 && second == 0 ? 0 : log10_ratio(std::log10(first), std::log10(second));
}

double log10_mean(std::span<const double> log10) {
  if (log10.empty()) return -std::numeric_limits<double>::infinity();
  const double top = *std::ranges::max_element(log10);
  if (std::isinf(top)) return top;
  double sum = 0;
  for (const double each : log10) sum += std::pow(10, each - top);
  return top + std::log10(sum / static_cast<double>(log10.size()));
}

double as_printed(double log10_ratio) {
  if (!std::isfinite(log10_ratio)) return log10_ratio;
  if (const auto units = decimal_units(log10_ratio, kRatioDecimals))
    return static_cast<double>(*units) / kRatioUnits;
  return parse_number<double>(fmt::format("{:.{}f}", log10_ratio, kRatioDecimals)).value_or(log10_ratio);
}

}  // namespace fastid::stats
