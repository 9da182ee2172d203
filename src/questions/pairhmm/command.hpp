/// \file
/// The command `fastid pairhmm`.
#pragma once

#include "cli/options.hpp"

namespace fastid::cli {

/// Adds it to the program.
void add_pairhmm(Command app);

}  // namespace fastid::cli
