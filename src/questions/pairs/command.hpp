/// \file
/// The command `fastid pairs`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::pairs {

/// Adds the command to the program. \param parts  the parts of a shared run, which the command goes on from;
/// null: none
void add_pairs(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::pairs
