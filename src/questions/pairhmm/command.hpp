/// \file
/// The command `fastid pairhmm`.
#pragma once

#include "cli/options.hpp"

namespace fastid::pairhmm {

/// Adds the command to the program.
void add_pairhmm(cli::Command app);

}  // namespace fastid::pairhmm
