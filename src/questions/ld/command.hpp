/// \file
/// The command `fastid ld`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::ld {

/// Adds it to the program. \param parts  those of a run whose work was shared, which the command goes on
/// with; null: none
void add_ld(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::ld
