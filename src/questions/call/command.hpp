/// \file
/// The command `fastid call`.
#pragma once

#include "cli/options.hpp"

namespace fastid::call {

/// Adds the command to the program.
void add_call(cli::Command app);

}  // namespace fastid::call
