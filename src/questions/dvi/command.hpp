/// \file
/// The command `fastid dvi`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}

namespace fastid::cli {

/// Adds it to the program. \param parts  those of a run whose work was shared, which the command goes on
/// with; null: none
void add_dvi(Command app, const part::PartSet* parts);

}  // namespace fastid::cli
