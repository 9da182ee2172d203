/// \file
/// Figures as json values.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "report/columns.hpp"

namespace fastid::report {

/// A number; the string "-inf" for -infinity, which JSON cannot express as a number.
nlohmann::ordered_json number(double value);
nlohmann::ordered_json number(const std::optional<double>& value);

/// A cell with full precision; null where it has no value.
nlohmann::ordered_json json_of(const Cell& cell);

}  // namespace fastid::report
