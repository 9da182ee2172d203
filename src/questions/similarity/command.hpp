/// \file
/// The command `fastid similarity`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::similarity {

/// Adds it to the program. \param parts  those of a run whose work was shared, which the command goes on
/// with; null: none
void add_similarity(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::similarity
