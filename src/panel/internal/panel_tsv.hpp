/// \file
/// The text of a panel, from a file or embedded in the program.
#pragma once

#include <string>
#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

/// read_panel_tsv() for a text. \param source  for messages
Panel parse_panel_tsv(std::string_view text, const std::string& source, GenomeBuild build);

}  // namespace fastid
