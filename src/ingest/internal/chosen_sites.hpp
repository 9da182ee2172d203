/// \file
/// Some sites of a panel, as a panel of their own.
#pragma once

#include <string>

#include "panel/panel.hpp"

namespace fastid {

/// The sites whose ids a file lists, one a line, in the panel's order. \throws InputError: the file lists
/// none, or one that the panel does not have
Panel chosen_sites(const Panel& panel, const std::string& path);

}  // namespace fastid
