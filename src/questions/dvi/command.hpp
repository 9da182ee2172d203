/// \file
/// The command `fastid dvi`.
#pragma once

#include "cli/options.hpp"

namespace fastid::cli {

/// Adds it to the program.
void add_dvi(Command app);

}  // namespace fastid::cli
