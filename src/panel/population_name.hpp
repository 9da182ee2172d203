/// \file
/// Populations of a panel by name.
#pragma once

#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

/// The population of this name; upper and lower case may differ where this fits only one. Null: none.
const Population* find_population(const Panel& panel, std::string_view name);

}  // namespace fastid
