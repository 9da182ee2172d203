/// \file
/// Whether the sites of a database's panel are linked, so that evidence that multiplies over sites is
/// overstated.
#pragma once

#include <span>
#include <string>

#include "db/database.hpp"
#include "panel/panel.hpp"

namespace fastid::db {

/// The highest r2 to which sites may be pruned (`fastid ld --prune`) for them to count as unlinked.
inline constexpr double kUnlinkedR2 = 0.2;

/// What is said wherever figures of a database stand, with the cure: its sites are so dense that they are
/// linked (density_warning()). "" where they are not, or the log says that they were pruned to kUnlinkedR2 or
/// less.
std::string linkage_warning(const Panel& panel, std::span<const LogRecord> log);
/// The same of a database. \throws InputError
std::string linkage_warning(const Reader& reader);

}  // namespace fastid::db
