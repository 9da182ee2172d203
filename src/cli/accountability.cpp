#include "cli/accountability.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/anchor.hpp"

namespace fastid::cli {

void add_accountability(Command app, Accountability& given, bool on_pages) {
  app.add_option("--audit-log", given.log,
                 "Add a line to this record of what is done with profiles, chained to the lines before it; "
                 "without it, no result (FASTID_AUDIT_LOG)")
      .variable("FASTID_AUDIT_LOG")
      .value_name("FILE");
  app.add_option("--audit-key", given.key,
                 "Sign where the log stands with the key of this file (FASTID_AUDIT_KEY)")
      .variable("FASTID_AUDIT_KEY")
      .value_name("FILE");
  app.add_option("--case", given.case_name,
                 on_pages ? "The case, in the audit log and in the head of each page (FASTID_CASE)"
                          : "The case, in the audit log (FASTID_CASE)")
      .variable("FASTID_CASE")
      .value_name("TEXT");
}

std::optional<db::Header> header_if_database(const std::string& path) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return std::nullopt;
  try {
    return db::header_of(path);
  } catch (const InputError&) {  // of another kind, or damaged
    return std::nullopt;
  }
}

WrittenFile audit_file(const Accountability& given) {
  return {"--audit-log", given.log, false, Content::kLog};
}

namespace {

/// Beside each name of a database would be notes of its own, and a log that is cut off would show at one
/// alone.
void check_one_name(const std::string& path) {
  std::error_code none;
  const auto names = std::filesystem::hard_link_count(path, none);
  if (!none && names > 1)
    throw InputError(
        path, "",
        fmt::format("has {} names (hard links), and its policy demands that one place notes where "
                    "audit logs stood",
                    names),
        "put a copy in the place of each other name: cp, or cp --reflink");
}

}  // namespace

Audit::Audit(const Accountability& given, const std::vector<std::string>& databases,
             const std::string& replaced)
    : given_(given) {
  for (const std::string& path : databases)
    if (!path.empty() && file_state(path))
      add(path, db::header_of(path));  // what is missing is reported later
  if (const auto header = header_if_database(replaced)) {
    add(replaced, *header);
    if (header->policy != db::Policy{})
      log::warn("{}: its policy is not that of the database in its place; see `fastid db policy`", replaced);
  }
  if (!given.key.empty() && given.log.empty())
    throw UsageError("--audit-key signs where an audit log stands; name the log by --audit-log FILE");
  if (!given.key.empty()) key_ = read_key(given.key);
  if (!given.log.empty()) log_.emplace(given.log);
}

void Audit::add(const std::string& path, db::Header header) {
  const auto demand = [&](const char* what, const char* cure) {
    throw UsageError(fmt::format("{}: its policy demands {}; {}", path, what, cure));
  };
  if (header.policy.require_audit && given_.log.empty())
    demand("an audit log", "name one by --audit-log FILE or FASTID_AUDIT_LOG");
  if (header.policy.require_audit) check_one_name(path);
  if (header.policy.require_case && !shows(given_.case_name))
    demand("a case", "name it by --case TEXT or FASTID_CASE");
  databases_.push_back({path, std::move(header)});
}

std::optional<db::AuditAnchor> Audit::record_search(const match::MatchTable& matches) const {
  return log_ ? record(facts_of(matches)) : std::nullopt;
}

std::optional<db::AuditAnchor> Audit::record(Json facts) const {
  if (!log_) return std::nullopt;
  if (!given_.case_name.empty()) facts["case"] = given_.case_name;
  return log_->append(facts,
                      {[this] { return noted(); }, [this](const db::AuditAnchor& anchor) { note(anchor); }});
}

std::optional<db::AuditAnchor> Audit::record_action(const std::string& action,
                                                    const std::string& command) const {
  Json databases = Json::array();
  for (const Database& database : databases_)
    databases.push_back({{"path", database.path},
                         {"profiles", database.header.shape.n_profiles},
                         {"panel_sha256", database.header.panel_sha256},
                         {"content_sha256", database.header.content_sha256}});
  return record({{"command", command}, {"action", action}, {"databases", std::move(databases)}});
}

std::vector<db::AuditAnchor> Audit::noted() const {
  std::vector<db::AuditAnchor> all;
  const auto add_from = [&](const std::string& path) {
    for (db::AuditAnchor& anchor : read_anchors(path, "")) all.push_back(std::move(anchor));
  };
  add_from(checkpoint_of_log(given_.log));
  for (const Database& database : databases_) {
    if (database.header.policy.require_audit) add_from(anchor_of_database(database.path));
    for (const db::LogRecord& record : db::Reader(database.path).log())
      if (record.audit) all.push_back(*record.audit);
  }
  return all;
}

void Audit::note(const db::AuditAnchor& anchor) const {
  if (!key_.empty()) note_anchor(checkpoint_of_log(given_.log), anchor, key_, given_.log);
  for (const Database& database : databases_)
    if (database.header.policy.require_audit)
      note_anchor(anchor_of_database(database.path), anchor, key_, database.path);
}

}  // namespace fastid::cli
