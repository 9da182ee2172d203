// fastid db append: turns arguments into AppendOptions and prints a line about the new size.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "bank/commands.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "ingest/append.hpp"

namespace fastid::bank {
namespace {

struct AppendArguments {
  ingest::AppendOptions options;
  cli::ReadingOptions reading;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

ExitCode run_append(AppendArguments& arguments) {
  arguments.verbosity.apply();
  ingest::AppendOptions& options = arguments.options;
  options.command = cli::command_line();
  options.progress = arguments.verbosity.progress;
  if (options.duplicates == ingest::DuplicateRule::kReplace && !options.sample_sheet.empty())
    throw UsageError("--sample-sheet goes not with --duplicates replace: give tags by `fastid db tag`");
  cli::check_order(options.database, options.inputs,
                   fmt::format("first: fastid db {} DB INPUT...", options.only_known ? "replace" : "append"));
  arguments.reading.open_report({cli::audit_file(arguments.account)}, options.inputs,
                                {options.database, options.sample_sheet});
  arguments.reading.refuse_idle(options.inputs);
  options.import = arguments.reading.import;
  const cli::Audit audit(arguments.account, {options.database});
  options.audit = audit.record_action(options.only_known ? "replace" : "append", options.command);
  const ingest::AppendSummary summary = ingest::append_database(options);
  log::note("{}: {}, {} of them new", options.database, counted(summary.after, "profile"),
            with_commas(summary.after - summary.before));
  if (summary.replaced > 0) {
    log::note("{}: {} replaced", options.database, counted(summary.replaced, "profile"));
    cli::say_overwritten(options.database, summary.not_overwritten);
  }
  if (summary.renamed > 0)
    log::warn("{}: {} renamed: the id was there already", options.database,
              counted(summary.renamed, "profile"));
  return ExitCode::kDone;
}

void add_rest(cli::Command app, AppendArguments& arguments) {
  cli::add_threads(app, arguments.options.threads, "Inputs that are read side by side");
  cli::add_writing(app);
  cli::add_accountability(app, arguments.account);
  cli::add_reading(app, arguments.reading);
  cli::add_verbosity(app, arguments.verbosity);
}

}  // namespace

void add_replace(cli::Command db) {
  const cli::Command app = db.add_command("replace", "Correct profiles by those of genotype files");
  const auto arguments = std::make_shared<AppendArguments>();
  ingest::AppendOptions& options = arguments->options;
  options.duplicates = ingest::DuplicateRule::kReplace;
  options.only_known = true;
  app.add_option("DB", options.database,
                 "The database; it has the old profiles or the new ones, at every instant")
      .required()
      .value_name("DB")
      .brief("The database");
  app.add_option("INPUT", options.inputs, "Files of profiles whose ids the database has")
      .required()
      .value_name("INPUT...");
  cli::add_reason(app, options.reason);
  add_rest(app, *arguments);
  app.footer(
      "Examples:\n"
      "  fastid db replace people.h5 P07.snp --reason 'typed again'\n\n"
      "Profiles keep their rows and their tags. The old alleles are in no byte of the new file; the log "
      "keeps "
      "when this was, why, and the SHA-256 of the ids. `fastid db append --duplicates replace` also takes "
      "profiles that are not there yet.");
  app.runs([arguments] { return run_append(*arguments); });
}

void add_append(cli::Command db) {
  const cli::Command app = db.add_command("append", "Add profiles from genotype files to a database");
  const auto arguments = std::make_shared<AppendArguments>();
  app.add_option("DB", arguments->options.database,
                 "The database; it has the old profiles or all, at every instant")
      .required()
      .value_name("DB")
      .brief("The database");
  app.add_option("INPUT", arguments->options.inputs, "Files in any format that db build reads")
      .required()
      .value_name("INPUT...");
  cli::add_choice(
      app, "--duplicates", arguments->options.duplicates,
      "Where an id is there already: refuse (default), rename the new one (ID.2), or replace: the new "
      "profile takes the row of the old one",
      {{"refuse", ingest::DuplicateRule::kRefuse},
       {"rename", ingest::DuplicateRule::kRename},
       {"replace", ingest::DuplicateRule::kReplace}})
      .value_name("RULE")
      .brief("Of an id that is there: refuse, rename or replace");
  app.add_option("--sample-sheet", arguments->options.sample_sheet,
                 "Tags of the new profiles: a table of ids and tags (see db tag)")
      .value_name("FILE")
      .brief("Tags of the profiles: a table of ids and tags");
  add_rest(app, *arguments);
  app.footer(
      "Examples:\n"
      "  fastid db append people.h5 new/*.snp\n"
      "  fastid db append people.h5 batch7.vcf.gz\n\n"
      "Sites match by the database's panel, as in a search. Searches may go on meanwhile; they see the old\n"
      "profiles. A second append at the same time is refused. While it runs, the disk must hold the "
      "database\n"
      "twice, but where its file system can share blocks between files (btrfs, XFS).");
  app.runs([arguments] { return run_append(*arguments); });
}

}  // namespace fastid::bank
