#include "page/plain_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text.hpp"

namespace fastid::page {

std::string plain_number(double value) {
  constexpr double kThreeDigits = 999.5;
  if (value >= kThreeDigits) return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  if (!(value > 0)) return "0";
  const int decimals = std::max(0, 2 - static_cast<int>(std::floor(std::log10(value))));
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace fastid::page
