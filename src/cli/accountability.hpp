/// \file
/// Who must say what, and where: the audit log, the case, and what a database's policy demands of both. Every
/// command that reads profiles of a database for people, or writes any, goes through it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "cli/audit_log.hpp"
#include "cli/file_roles.hpp"
#include "cli/options.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"

namespace fastid::cli {

struct Accountability {
  std::string log;        ///< --audit-log, else FASTID_AUDIT_LOG; "": none
  std::string key;        ///< --audit-key, else FASTID_AUDIT_KEY: a file; "": none
  std::string case_name;  ///< --case, else FASTID_CASE; "": none
};

/// Adds --audit-log, --audit-key and --case. \param on_pages  whether the case also stands on html pages
void add_accountability(Command app, Accountability& given, bool on_pages = false);

/// The header of a database; nothing where the file is none, or so damaged that it cannot be told.
std::optional<db::Header> header_if_database(const std::string& path);

/// What the command writes for it, for check_files().
WrittenFile audit_file(const Accountability& given);

class Audit {
 public:
  /// Opens the log before anything is read.
  /// \param databases  whose profiles are read or changed; those that exist are looked at
  /// \param replaced   a file that a new database takes the place of, if it is a database; "": none
  /// \throws UsageError: a database's policy demands a log or a case; Failure, InputError
  explicit Audit(const Accountability& given, const std::vector<std::string>& databases,
                 const std::string& replaced = "");

  /// Adds a record of a search to the log, if there is one, and notes where the log stands beside databases
  /// whose policy demands one, and, with a key, beside the log. To be called before results appear. \throws
  /// Failure, InputError
  std::optional<db::AuditAnchor> record_search(const match::MatchTable& matches) const;

  /// The same of a command that is no search: its databases as they are now.
  std::optional<db::AuditAnchor> record_action(const std::string& action, const std::string& command) const;

 private:
  std::optional<db::AuditAnchor> record(Json facts) const;
  /// \throws UsageError
  void add(const std::string& path, db::Header header);
  std::vector<db::AuditAnchor> noted() const;
  void note(const db::AuditAnchor& anchor) const;

  Accountability given_;
  std::string key_;
  std::optional<AuditLog> log_;
  struct Database {
    std::string path;
    db::Header header;
  };
  std::vector<Database> databases_;
};

}  // namespace fastid::cli
