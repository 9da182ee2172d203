/// \file
/// The people of a build's inputs: read once, and kept in a file beside the target until the longest id is
/// known.
#pragma once

#include <optional>

#include "base/thread_pool.hpp"
#include "ingest/ingest.hpp"
#include "ingest/internal/roster.hpp"
#include "ingest/internal/spool.hpp"

namespace fastid::ingest {

/// Reads all inputs onto the panel, except inputs that an interrupted build has read (--resume).
/// \param first  the people of the first input, where they came with the panel
/// \throws what reading throws
ProfileSpool gather(const BuildOptions& options, const Panel& panel, ThreadPool& pool,
                    std::optional<imports::ImportedProfiles> first);

/// The people in the order of the inputs, whatever the order in which they were read. Adds the inputs to
/// `record`. \throws InputError where two people have one id and options.duplicates is kRefuse.
Roster roster_of(const ProfileSpool& spool, const BuildOptions& options, db::LogRecord& record);

}  // namespace fastid::ingest
