/// \file
/// The commands `fastid search` and `fastid mixture`.
#pragma once

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::search {

/// Each adds one to the program. \param parts  those of a run whose work was shared, which the command goes
/// on with; null: none
void add_search(cli::Command app, const part::PartSet* parts);
void add_mixture(cli::Command app, const part::PartSet* parts);

}  // namespace fastid::search
