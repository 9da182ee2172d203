/// \file
/// A search, from options to a table: identity, mixture, and reverse mixture differ by `comparison` alone.
#pragma once

#include <string>
#include <vector>

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
  ProgressMode progress = ProgressMode::kAuto;
  std::string command_line;  ///< for RunInfo
};

/// Opens the database, reads the queries onto its panel, streams it through the engine, and names what was
/// kept. \throws InputError, DeviceError, Interrupted.
MatchTable search(const SearchOptions& options, Engine& engine);

}  // namespace fastid
