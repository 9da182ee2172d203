/// \file
/// The table of matches as text, json or a page. Columns, their names and their order are a contract
/// (docs/output.md).
#pragma once

#include <string>

#include "match/match_table.hpp"

namespace fastid::report {

/// For a person at a terminal: one section a query, 80 columns where names allow it.
std::string table(const MatchTable& matches);

/// One header line, then one line a match; NA where a figure is not computed.
std::string tsv(const MatchTable& matches);

/// Queries, matches, ties, evidence, provenance. The same bytes for every device, thread count and tile size,
/// unless `with_run` adds the facts of this run: command line, engine, times.
std::string json(const MatchTable& matches, bool with_run);

/// One self-contained page for screen and paper: queries, matches, histograms, differing sites, how to read
/// them, and provenance, with the facts of the run.
std::string html(const MatchTable& matches);

}  // namespace fastid::report
