#include "stats/log_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fastid::stats {

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

}  // namespace fastid::stats
