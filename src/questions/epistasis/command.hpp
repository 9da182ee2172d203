/// \file
/// The command `fastid epistasis`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::epistasis {

/// Adds it to the program. \param parts  those of a run whose work was shared, which the command goes on
/// with; null: none
void add_epistasis(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::epistasis
