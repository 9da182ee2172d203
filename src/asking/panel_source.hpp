/// \file
/// The panel that --panel names.
#pragma once

#include <string>

#include "panel/panel.hpp"

namespace fastid::asking {

/// \param what  a database, or as PanelSource has it: a file, or the name of a panel that comes with fastid
/// \throws InputError
Panel panel_of(const std::string& what);

}  // namespace fastid::asking
