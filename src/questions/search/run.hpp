/// \file
/// A search, from options to a table: identity, mixture and reverse mixture differ only by `comparison`.
#pragma once

#include <optional>

#include "asking/options.hpp"
#include "asking/pair_finder.hpp"
#include "engine/engine.hpp"
#include "match/match_table.hpp"

namespace fastid::search {

/// Opens the database, reads the queries onto its panel, streams the database through the engine, weighs the
/// evidence for the rows of each shortlist, lists the best of them (asking/matches.hpp) and names
/// these. With --max-chance-matches, each query has a limit that is chosen before the search, and a profile
/// with more chance matches than asked for (because it has fewer sites than the query) is left out. Where
/// that leaves fewer rows than were asked for while there may be more, the database is searched again for
/// more rows. \throws InputError, UsageError, DeviceError, Interrupted.
///
/// No value where another process goes on with the pairs that are found here.
std::optional<match::MatchTable> search(const asking::SearchOptions& options, asking::PairFinder& finder);
/// The same of all rows, by an engine.
match::MatchTable search(const asking::SearchOptions& options, engine::Engine& engine);

}  // namespace fastid::search
