/// \file
/// Figures as json values.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "report/columns.hpp"

namespace fastid::report {

/// A number; the string "-inf" for -infinity, which JSON cannot express as a number.
Json number(double value);
Json number(const std::optional<double>& value);

/// A text; null where it is empty.
Json text_or_null(const std::string& text);

/// A cell with full precision; null where it has no value.
Json json_of(const Cell& cell);

}  // namespace fastid::report
