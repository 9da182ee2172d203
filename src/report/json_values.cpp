#include "report/json_values.hpp"

#include <cmath>
#include <limits>

#include "base/json.hpp"
#include "base/text.hpp"

namespace fastid::report {
namespace {

Json value_of(std::monostate) {
  return nullptr;
}
Json value_of(const std::string& name) {
  return name;
}
Json value_of(std::uint64_t value) {
  return value;
}
Json value_of(Rate rate) {
  return rate.value;
}
Json value_of(Log10Ratio ratio) {
  return number(ratio.value);
}
Json value_of(Centimorgans length) {
  return page::rounded(length.value);
}
Json value_of(Chance chance) {
  // Null where the value is too small for a double, since 0 would be another figure; log10_... states it.
  const double value = std::pow(10, chance.log10);
  return value >= std::numeric_limits<double>::min() ? Json(page::rounded(value)) : Json(nullptr);
}

}  // namespace

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json number(double value) {
  return std::isinf(value) ? Json(value < 0 ? "-inf" : "inf") : Json(page::rounded(value));
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json json_of(const Cell& cell) {
  return std::visit([](const auto& value) { return value_of(value); }, cell);
}

}  // namespace fastid::report
