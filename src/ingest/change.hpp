/// \file
/// Changes of a database that write it anew: removing profiles, setting tags and policy, giving up unused
/// space, and joining databases.
///
/// The new file is written beside the old one and renamed over it (db::Writer), so that at every instant
/// there is the old database or the new one, whole. Removed profiles leave no byte in the new file. The old
/// file is overwritten once no name and no program leads to it (base/old_content).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "db/database.hpp"
#include "ingest/internal/roster.hpp"

namespace fastid::ingest {

struct ChangeOptions {
  std::string database;
  std::string command;                        ///< for the log
  std::string reason;                         ///< for the log
  std::optional<db::AuditAnchor> audit = {};  ///< for the log
  ProgressMode progress = ProgressMode::kAuto;
  std::size_t threads = 0;  ///< 0: one for each CPU
};

struct ChangeSummary {
  std::uint64_t before = 0, after = 0;              ///< profiles
  std::uint64_t bytes_before = 0, bytes_after = 0;  ///< of the file
  std::string
      not_overwritten;  ///< why the old file's bytes were freed without being overwritten; "": they were
};

struct RemoveOptions : ChangeOptions {
  std::vector<std::string> ids;
  bool keep_ids = false;  ///< keep the ids in the log, which otherwise has only their SHA-256
};

/// Removes profiles: bits, ids and tags. Profiles after them move up. From the log's earlier records the ids,
/// and tags that no other profile has, are removed where they stand in commands, reasons and names of inputs.
/// \throws InputError: an id is not there, or no profile would be left; Failure
ChangeSummary remove_profiles(const RemoveOptions& options);

/// Writes the database without unused space, which appends have left or which it was built with. \throws as
/// remove_profiles()
ChangeSummary compact_database(const ChangeOptions& options);

/// Changes the tags by `change`. change_policy(): sets the policy. \throws as remove_profiles(), and what
/// `change` throws
ChangeSummary change_tags(const ChangeOptions& options,
                          const std::function<void(const db::Reader& database, db::Tags& tags)>& change);
ChangeSummary change_policy(const ChangeOptions& options, const db::Policy& policy);

struct MergeOptions : ChangeOptions {  ///< of the new database
  std::vector<std::string> sources;
  DuplicateRule duplicates = DuplicateRule::kRefuse;
};

/// Joins databases of one panel, kind and encoding into a new one, in the order given, with their tags and
/// the records of their logs. Where a person is merged or replaced, the later profile's tags count. The new
/// database has the demands of all policies. \throws InputError: the databases do not fit, or an id is in
/// two; Failure
ChangeSummary merge_databases(const MergeOptions& options);

}  // namespace fastid::ingest
