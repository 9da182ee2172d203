// fastid audit-log verify: checks whether a record of searches is complete and unchanged.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "cli/anchor.hpp"
#include "cli/audit_log.hpp"
#include "cli/common.hpp"
#include "main/commands.hpp"

namespace fastid::cli {
namespace {

struct AuditArguments {
  std::vector<std::string> logs;
  std::string head, key;
  std::vector<std::string> databases;
  Verbosity verbosity;
};

/// \throws UsageError where the text cannot be the head of any log.
std::string head_of(const std::string& text) {
  constexpr std::size_t kHexDigits = 64;
  std::string head = ascii_lower(text);
  if (!head.empty() && (head.size() != kHexDigits || !is_lower_hex(head)))
    throw UsageError("--head: is not the 64 digits that this command prints");
  return head;
}

/// The state of the log by its checkpoint.
std::vector<db::AuditAnchor> checkpoint_of(const std::string& log, const std::string& key) {
  if (key.empty()) return {};
  std::vector<db::AuditAnchor> anchors = read_anchors(checkpoint_of_log(log), key);
  if (anchors.empty())
    throw InputError(checkpoint_of_log(log), "", "is missing: it says where the log stood",
                     "restore it from a copy, or verify without --audit-key");
  return anchors;
}

/// The states of audit logs that a database notes, in the file beside it and in its own log.
std::vector<db::AuditAnchor> anchors_of(const std::string& database, const std::string& key) {
  std::vector<db::AuditAnchor> all = read_anchors(anchor_of_database(database), key);
  for (const db::LogRecord& record : db::Reader(database).log())
    if (record.audit) all.push_back(*record.audit);
  if (all.empty()) log::warn("{}: notes no audit log", database);
  return all;
}

/// Verifies one log.
AuditCheck verify(const std::string& log, const AuditArguments& arguments,
                  const std::vector<db::AuditAnchor>& anchors) {
  AuditCheck check = verify_audit_log(log, head_of(arguments.head), anchors);
  if (!check.is_log) throw InputError(log, "", "is no audit log", "name the file that --audit-log named");
  const auto is_this_log = [&](const db::AuditAnchor& anchor) { return anchor.log == check.first; };
  if (!anchors.empty() && std::ranges::none_of(anchors, is_this_log))
    throw InputError(log, "", "is none of the logs that are noted: it was begun anew",
                     "look for the log that was there before");
  constexpr std::size_t kListed = 20;
  for (std::size_t i = 0; i < std::min(kListed, check.problems.size()); ++i)
    log::error_text(log + ", " + check.problems[i]);
  if (!check.problems.empty())
    throw InputError(log, "", counted(check.problems.size(), "place") + " not as written",
                     "keep it as it is, and compare it with a copy");
  if (check.cut_off + check.empty > 0)
    log::warn("{}: {} cut off by a crash{}, as the next record of each says", log,
              counted(check.cut_off, "line"),
              check.empty > 0 ? " and " + counted(check.empty, "empty line") : "");
  return check;
}

/// Checks that all logs that a database notes were given: a missing one may have been removed, and another
/// begun.
void check_all_given(const std::string& database, const std::vector<db::AuditAnchor>& anchors,
                     const std::vector<AuditCheck>& checks) {
  std::set<std::string> missing;
  for (const db::AuditAnchor& anchor : anchors)
    if (std::ranges::find(checks, anchor.log, &AuditCheck::first) == checks.end()) missing.insert(anchor.log);
  if (!missing.empty())
    throw InputError(database, "",
                     fmt::format("notes {} that {} not given", counted(missing.size(), "log"),
                                 missing.size() == 1 ? "was" : "were"),
                     "give all logs at once; if one cannot be found, it was removed");
}

ExitCode run_verify(const AuditArguments& arguments) {
  arguments.verbosity.apply();
  const std::string key = arguments.key.empty() ? "" : read_key(arguments.key);
  if (arguments.logs.size() > 1 && !arguments.head.empty())
    throw UsageError("--head: is of one log, and several are given");
  std::map<std::string, std::vector<db::AuditAnchor>> noted;  // by database
  for (const std::string& database : arguments.databases) noted[database] = anchors_of(database, key);
  std::vector<AuditCheck> checks;
  for (const std::string& log : arguments.logs) {
    std::vector<db::AuditAnchor> anchors = checkpoint_of(log, key);
    for (const auto& [database, of] : noted) anchors.insert(anchors.end(), of.begin(), of.end());
    checks.push_back(verify(log, arguments, anchors));
  }
  for (const auto& [database, anchors] : noted) check_all_given(database, anchors, checks);
  OutputFile out("-");
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks.size() > 1) out.write("log\t" + arguments.logs[i] + "\n");
    out.write("records\t" + std::to_string(checks[i].records) + "\nhead\t" + checks[i].head + "\n");
  }
  out.commit();
  return ExitCode::kDone;
}

}  // namespace

void add_audit_log(Command app) {
  const Command log = app.add_command("audit-log", "Check the record of searches that --audit-log writes");
  log.require_command();
  const Command verify =
      log.add_command("verify", "Say whether any line was edited, removed, added or moved");
  const auto arguments = std::make_shared<AuditArguments>();
  verify.add_option("FILE", arguments->logs, "The log, or several of one database")
      .required()
      .value_name("FILE...");
  verify
      .add_option("--head", arguments->head,
                  "A head that this command printed before: its record must still be there")
      .value_name("SHA256")
      .brief("A head printed before must still be there");
  verify
      .add_option("--database", arguments->databases,
                  "A database that notes where logs stood: the records up to there must be there, and all "
                  "logs that it notes must be given; may be repeated")
      .one_at_a_time()
      .value_name("DB")
      .brief("A database that notes where logs stood");
  verify
      .add_option("--audit-key", arguments->key,
                  "The log's checkpoint, FILE.checkpoint, must be signed by the key of this file, and the "
                  "records up to it must be there (FASTID_AUDIT_KEY)")
      .variable("FASTID_AUDIT_KEY")
      .value_name("FILE")
      .brief("The key that signed FILE.checkpoint");
  add_verbosity(verify, arguments->verbosity);
  verify.footer(
      "Examples:\n"
      "  fastid audit-log verify searches.jsonl\n"
      "  fastid audit-log verify searches.jsonl --head \"$(cat noted-head)\"\n"
      "  fastid audit-log verify searches.jsonl --database people.h5\n\n"
      "Exits with 0 where the log is whole, with 3 where it is not. Note the head elsewhere from time to "
      "time.");
  verify.runs([arguments] { return run_verify(*arguments); });
}

}  // namespace fastid::cli
