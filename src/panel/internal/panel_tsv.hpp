/// \file
/// The text of a panel, of a file or of one that comes with fastid.
#pragma once

#include <string>
#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

/// As read_panel_tsv(), of a text. \param source  for messages
Panel parse_panel_tsv(std::string_view text, const std::string& source, GenomeBuild build);

}  // namespace fastid
