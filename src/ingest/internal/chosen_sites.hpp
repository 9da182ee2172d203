/// \file
/// Some sites of a panel, as a panel of their own.
#pragma once

#include <optional>
#include <string>

#include "panel/panel.hpp"

namespace fastid::ingest {

struct ChosenSites {
  Panel panel;
  std::optional<double> pruned_r2;  ///< as the first line states it (kPrunedMark)
};

/// The sites whose ids a file lists, one a line, in the panel's order. \throws InputError: the file lists no
/// site, or a site that the panel does not have; or the first line's r2 is no number
ChosenSites chosen_sites(const Panel& panel, const std::string& path);

}  // namespace fastid::ingest
