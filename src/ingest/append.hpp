/// \file
/// Adds genotype files to an existing database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "db/database.hpp"
#include "import/import.hpp"
#include "ingest/internal/roster.hpp"

namespace fastid::ingest {

struct AppendOptions {
  std::string database;
  std::vector<std::string> inputs;
  imports::ImportOptions import;
  std::string command;  ///< for the log
  ProgressMode progress = ProgressMode::kAuto;
  DuplicateRule duplicates = DuplicateRule::kRefuse;  ///< where an id is in use; kMerge is not for this
  bool only_known = false;                            ///< with kReplace: every id must be in use
  std::string reason;                                 ///< for the log
  std::optional<db::AuditAnchor> audit = {};          ///< for the log
  std::string sample_sheet;  ///< tags of the profiles that are added, "": none; not with kReplace
  std::size_t threads = 0;   ///< 0: one for each CPU
};

struct AppendSummary {
  std::uint64_t before = 0;  ///< profiles
  std::uint64_t after = 0;
  std::uint64_t renamed = 0, replaced = 0;
  std::string not_overwritten;  ///< with kReplace: ChangeSummary::not_overwritten
};

/// Reads inputs onto the database's panel and adds their profiles after the existing ones, in the order of
/// the inputs. At every moment, and however the program ends, the database has either the old profiles or all
/// of them. As many files are in memory as there are threads. With kReplace all files are in memory: profiles
/// whose id is in use then replace the old ones in their rows, and the database is written anew (change.hpp).
/// Prints one line of counts for each input. \throws InputError: an input is rejected, or an id is in use;
/// Failure: another process is writing, or the disk fails or is full.
AppendSummary append_database(const AppendOptions& options);

}  // namespace fastid::ingest
