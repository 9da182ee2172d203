// fastid audit-log verify: checks whether a record of searches is complete and unchanged.
#include <algorithm>
#include <memory>
#include <string>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "cli/audit_log.hpp"
#include "cli/common.hpp"

namespace fastid::cli {
namespace {

struct Arguments {
  std::string log, head;
  Verbosity verbosity;
};

/// \throws UsageError where it cannot be a head, since no log would have it.
std::string head_of(const std::string& text) {
  constexpr std::size_t kDigits = 64;
  std::string head = ascii_lower(text);
  if (!head.empty() && (head.size() != kDigits || !is_lower_hex(head)))
    throw UsageError("--head: is not the 64 digits that this command prints");
  return head;
}

ExitCode run_verify(const Arguments& arguments) {
  arguments.verbosity.apply();
  const AuditCheck check = verify_audit_log(arguments.log, head_of(arguments.head));
  if (!check.is_log)
    throw InputError(arguments.log, "", "is no audit log", "name the file that --audit-log named");
  constexpr std::size_t kListed = 20;
  for (std::size_t i = 0; i < std::min(kListed, check.problems.size()); ++i)
    log::error_text(arguments.log + ", " + check.problems[i]);
  if (!check.problems.empty())
    throw InputError(arguments.log, "", counted(check.problems.size(), "place") + " not as written",
                     "keep it as it is, and compare it with a copy");
  if (check.cut_off + check.empty > 0)
    log::warn("{}: {} cut off by a crash{}, as the next record of each says", arguments.log,
              counted(check.cut_off, "line"),
              check.empty > 0 ? " and " + counted(check.empty, "empty line") : "");
  OutputFile out("-");
  out.write("records\t" + std::to_string(check.records) + "\nhead\t" + check.head + "\n");
  out.commit();
  return ExitCode::kDone;
}

}  // namespace

void add_audit_log(CLI::App& app, Run& run) {
  CLI::App* log = app.add_subcommand("audit-log", "Check the record of searches that --audit-log writes");
  log->require_subcommand(1);
  CLI::App* verify =
      log->add_subcommand("verify", "Say whether any line was edited, removed, added or moved");
  const auto arguments = std::make_shared<Arguments>();
  verify->add_option("FILE", arguments->log, "The log")->required()->type_name("FILE");
  verify
      ->add_option(
          "--head", arguments->head,
          "A head that this command printed before: its record must still be there. Only this shows that "
          "lines at the end were removed")
      ->type_name("SHA256");
  add_verbosity(*verify, arguments->verbosity);
  verify->footer(
      "Examples:\n"
      "  fastid audit-log verify searches.jsonl\n"
      "  fastid audit-log verify searches.jsonl --head \"$(cat noted-head)\"\n\n"
      "Exits with 0 where the log is whole, with 3 where it is not. Note the head elsewhere from time to "
      "time.");
  verify->callback([arguments, &run] { run = [arguments] { return run_verify(*arguments); }; });
}

}  // namespace fastid::cli
