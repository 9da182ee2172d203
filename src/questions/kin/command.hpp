/// \file
/// The command `fastid kin`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::kin {

/// Adds the command to the program. \param parts  the parts of a shared run, which the command goes on from;
/// null: none
void add_kin(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::kin
