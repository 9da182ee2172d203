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

/// The warning, with its cure, that a database's sites are so dense that they are linked (density_warning()).
/// "" where they are not, or were pruned to kUnlinkedR2 or less by the log.
std::string linkage_warning(const Panel& panel, std::span<const LogRecord> log);
/// linkage_warning() for a database. \throws InputError
std::string linkage_warning(const Reader& reader);

}  // namespace fastid::db
