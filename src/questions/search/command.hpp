/// \file
/// The commands `fastid search` and `fastid mixture`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}

namespace fastid::cli {

/// Each adds one to the program. \param parts  those of a run whose work was shared, which the command goes
/// on with; null: none
void add_search(Command app, const part::PartSet* parts);
void add_mixture(Command app, const part::PartSet* parts);

}  // namespace fastid::cli
