/// \file
/// A search, from options to a table: identity, mixture, and reverse mixture differ by `comparison` alone.
#pragma once

#include <string>
#include <vector>

#include "analysis/internal/evidence.hpp"
#include "base/progress.hpp"
#include "engine/engine.hpp"
#include "import/import.hpp"
#include "match/match_table.hpp"

namespace fastid {

struct SearchOptions {
  Comparison comparison = Comparison::kIdentity;
  std::vector<std::string> queries;  ///< files; each sample of each is a query
  std::string database;
  ImportOptions import;
  KeepRule rule;
  EvidenceOptions evidence;
  bool details = false;     ///< also histograms and differing loci, for html and json
  std::size_t threads = 0;  ///< for the evidence; 0: as many as the process may use
  ProgressMode progress = ProgressMode::kAuto;
  bool skip_checksums = false;  ///< of the database's blocks, for who has just verified it
  std::string command_line;     ///< for RunInfo
};

/// Opens the database, reads the queries onto its panel, streams it through the engine, says what the rows of
/// its shortlist are worth, lists the best of them (analysis/internal/listing.hpp) and names those. With
/// --max-chance-matches, each query has a limit that is chosen before the search, and a profile whose own
/// figure is worse (it has fewer sites than the query) is left out; where that leaves fewer than were asked
/// for while there may be more, the database is searched again for more. \throws InputError, UsageError,
/// DeviceError, Interrupted.
MatchTable search(const SearchOptions& options, Engine& engine);

}  // namespace fastid
