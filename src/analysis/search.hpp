/// \file
/// A search, from options to a table: identity, mixture and reverse mixture differ only by `comparison`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/internal/evidence.hpp"
#include "analysis/pair_finder.hpp"
#include "base/progress.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "import/import.hpp"
#include "match/match_table.hpp"
#include "panel/site_class.hpp"

namespace fastid {

struct SearchOptions {
  Comparison comparison = Comparison::kIdentity;
  std::optional<Encoding> by;  ///< --by; not set: by alleles where all say which were seen
  std::optional<SiteClass>
      counted;  ///< --class: kAutosomal, kY, kM; not set: autosomal where there are such sites
  std::vector<std::string> queries;  ///< files; each sample of each is a query
  std::string database;
  ImportOptions import;
  KeepRule rule;
  db::RowRule rows;  ///< which profiles are searched
  EvidenceOptions evidence;
  bool keep_going = false;  ///< leave out files of queries that are rejected, and list them in the table
  bool histograms = true;   ///< with details
  bool details = false;     ///< also histograms and differing loci, for html and json
  std::size_t threads = 0;  ///< for the evidence; 0: as many as the process may use
  ProgressMode progress = ProgressMode::kAuto;
  bool skip_checksums = false;  ///< of the database's blocks, for callers that have just verified it
  std::string command_line;     ///< for RunInfo
};

/// Opens the database, reads the queries onto its panel, streams the database through the engine, weighs the
/// evidence for the rows of each shortlist, lists the best of them (analysis/internal/listing.hpp) and names
/// these. With --max-chance-matches, each query has a limit that is chosen before the search, and a profile
/// with more chance matches than asked for (because it has fewer sites than the query) is left out. Where
/// that leaves fewer rows than were asked for while there may be more, the database is searched again for
/// more rows. \throws InputError, UsageError, DeviceError, Interrupted.
///
/// No value where another process goes on with the pairs that are found here.
std::optional<MatchTable> search(const SearchOptions& options, PairFinder& finder);
/// The same of all rows, by an engine.
MatchTable search(const SearchOptions& options, Engine& engine);

}  // namespace fastid
