// fastid db policy: what a database demands of its users.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "bank/commands.hpp"
#include "base/file.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "db/database.hpp"
#include "ingest/change.hpp"

namespace fastid::bank {
namespace {

struct PolicyArguments {
  ingest::ChangeOptions options;
  std::optional<bool> require_audit, require_case;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

ExitCode run_policy(PolicyArguments& arguments) {
  arguments.verbosity.apply();
  ingest::ChangeOptions& options = arguments.options;
  options.command = cli::command_line();
  db::Policy policy = db::header_of(options.database).policy;
  if (arguments.require_audit || arguments.require_case) {
    policy.require_audit = arguments.require_audit.value_or(policy.require_audit);
    policy.require_case = arguments.require_case.value_or(policy.require_case);
    const cli::Audit audit(arguments.account, {options.database});
    options.audit = audit.record_action("policy", options.command);
    ingest::change_policy(options, policy);
  }
  OutputFile out("-");
  out.write(fmt::format("require-audit\t{}\nrequire-case\t{}\n", policy.require_audit ? "yes" : "no",
                        policy.require_case ? "yes" : "no"));
  out.commit();
  return ExitCode::kDone;
}

void add_demand(cli::Command app, const std::string& name, std::optional<bool>& value, const char* what) {
  app.add_flag(
         "--" + name, [&value] { value = true; }, what)
      .brief();
  app.add_flag(
      "--no-" + name, [&value] { value = false; }, "No longer");
}

}  // namespace

void add_policy(cli::Command db) {
  const cli::Command app = db.add_command("policy", "Say or set what a database demands: audit log, case");
  const auto arguments = std::make_shared<PolicyArguments>();
  app.add_option("DB", arguments->options.database, "The database").required().value_name("DB");
  add_demand(app, "require-audit", arguments->require_audit,
             "Without an audit log, no search, list, export or change");
  add_demand(app, "require-case", arguments->require_case, "Nor without --case");
  cli::add_reason(app, arguments->options.reason);
  cli::add_accountability(app, arguments->account);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db policy people.h5\n"
      "  fastid db policy people.h5 --require-audit --require-case\n\n"
      "A change of the policy is a change of the database: it is in its log, and needs what the policy "
      "demands. "
      "Where each audit log stands is noted in DB.anchor: `fastid audit-log verify FILE --database DB` shows "
      "a "
      "log whose end was cut off. Programs other than fastid do not know the policy.");
  app.runs([arguments] { return run_policy(*arguments); });
}

}  // namespace fastid::bank
