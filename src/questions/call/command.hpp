/// \file
/// The command `fastid call`.
#pragma once

#include "cli/options.hpp"

namespace fastid::cli {

/// Adds it to the program.
void add_call(Command app);

}  // namespace fastid::cli
