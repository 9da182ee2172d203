/// \file
/// The command `fastid dvi`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::dvi {

/// Adds the command to the program. \param parts  the parts of a shared run, which the command goes on from;
/// null: none
void add_dvi(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::dvi
