/// \file
/// Populations of a panel by name.
#pragma once

#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

/// The population of this name, in letters of either case where only one has it so; null: none.
const Population* find_population(const Panel& panel, std::string_view name);

}  // namespace fastid
