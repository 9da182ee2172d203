// fastid db remove, merge and compact: databases written anew with fewer or more profiles, or less space.
#include <memory>
#include <string>
#include <vector>

#include "bank/commands.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "db/id_list.hpp"
#include "ingest/change.hpp"

namespace fastid::bank {
namespace {

struct RemoveArguments {
  ingest::RemoveOptions options;
  std::string ids_file;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

struct CompactArguments {
  ingest::ChangeOptions options;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

struct MergeArguments {
  ingest::MergeOptions options;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

void prepare(ingest::ChangeOptions& options, const cli::Verbosity& verbosity) {
  verbosity.apply();
  options.command = cli::command_line();
  options.progress = verbosity.progress;
}

void add_database(cli::Command app, ingest::ChangeOptions& options) {
  app.add_option("DB", options.database, "The database; at every instant it is the old one or the new one")
      .required()
      .value_name("DB")
      .brief("The database");
}

void add_rest(cli::Command app, ingest::ChangeOptions& options, cli::Accountability& account,
              cli::Verbosity& verbosity) {
  cli::add_accountability(app, account);
  cli::add_threads(app, options.threads);
  cli::add_verbosity(app, verbosity);
}

ExitCode run_remove(RemoveArguments& arguments) {
  ingest::RemoveOptions& options = arguments.options;
  prepare(options, arguments.verbosity);
  if (options.ids.empty() == arguments.ids_file.empty())
    throw UsageError("name the profiles to remove, or a list of them by --ids FILE: one of the two");
  if (!arguments.ids_file.empty()) options.ids = db::read_id_list(arguments.ids_file);
  cli::check_order(options.database, options.ids, "first: fastid db remove DB ID...");
  cli::check_files({cli::audit_file(arguments.account)}, {options.database, arguments.ids_file});
  const cli::Audit audit(arguments.account, {options.database});
  options.audit = audit.record_action(
      "remove",
      options.keep_ids ? options.command : db::Forgotten(options.ids).command_without(options.command));
  const ingest::ChangeSummary done = ingest::remove_profiles(options);
  log::note("{}: {} removed, {} left", options.database, counted(done.before - done.after, "profile"),
            with_commas(done.after));
  cli::say_overwritten(options.database, done.not_overwritten);
  return ExitCode::kDone;
}

ExitCode run_compact(CompactArguments& arguments) {
  prepare(arguments.options, arguments.verbosity);
  cli::check_files({cli::audit_file(arguments.account)}, {arguments.options.database});
  const cli::Audit audit(arguments.account, {arguments.options.database});
  arguments.options.audit = audit.record_action("compact", arguments.options.command);
  const ingest::ChangeSummary done = ingest::compact_database(arguments.options);
  log::note("{}: {} bytes, {} before", arguments.options.database, with_commas(done.bytes_after),
            with_commas(done.bytes_before));
  return ExitCode::kDone;
}

ExitCode run_merge(MergeArguments& arguments) {
  ingest::MergeOptions& options = arguments.options;
  prepare(options, arguments.verbosity);
  cli::check_files(
      {{"-o", options.database, false, cli::Content::kDatabase, "hdf5"}, cli::audit_file(arguments.account)},
      options.sources);
  const cli::Audit audit(arguments.account, options.sources, options.database);
  options.audit = audit.record_action("merge", options.command);
  const ingest::ChangeSummary done = ingest::merge_databases(options);
  log::note("{}: {} of {}", options.database, counted(done.after, "profile"),
            counted(options.sources.size(), "database"));
  return ExitCode::kDone;
}

}  // namespace

void add_remove(cli::Command db) {
  const cli::Command app = db.add_command("remove", "Expunge profiles: their alleles, ids and tags");
  const auto arguments = std::make_shared<RemoveArguments>();
  ingest::RemoveOptions& options = arguments->options;
  add_database(app, options);
  app.add_option("ID", options.ids, "Whom to remove").value_name("ID...");
  app.add_option("--ids", arguments->ids_file, "Remove those whom FILE lists, one id on each line")
      .value_name("FILE")
      .brief("Those whom FILE lists, one id on each line");
  cli::add_reason(app, options.reason).required();
  app.add_flag("--keep-ids", options.keep_ids, "Keep the ids in the log (default: their SHA-256 alone)")
      .brief();
  add_rest(app, options, arguments->account, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db remove people.h5 P07 --reason 'consent withdrawn'\n"
      "  fastid db remove people.h5 --ids expunge.txt --reason 'order 12/2026'\n\n"
      "Profiles after them move up: rows change, ids do not. Nothing of those removed is in a byte of the "
      "new "
      "file, and the old one is overwritten before its space is freed (not where another program still reads "
      "it; a disk may keep copies of its own). The log keeps when, why, and the SHA-256 of each id; ids are "
      "taken out of its earlier commands and names of files.");
  app.runs([arguments] { return run_remove(*arguments); });
}

void add_compact(cli::Command db) {
  const cli::Command app = db.add_command("compact", "Write a database anew, without unused space");
  const auto arguments = std::make_shared<CompactArguments>();
  add_database(app, arguments->options);
  cli::add_reason(app, arguments->options.reason);
  add_rest(app, arguments->options, arguments->account, arguments->verbosity);
  app.footer(
      "Examples:\n  fastid db compact people.h5\n\n"
      "Profiles, rows, tags and log stay as they are. Appends leave space unused: each longer id has the ids "
      "written anew, and chunks stay as long as those of the first build.");
  app.runs([arguments] { return run_compact(*arguments); });
}

void add_merge(cli::Command db) {
  const cli::Command app = db.add_command("merge", "Join databases of one panel into a new one");
  const auto arguments = std::make_shared<MergeArguments>();
  ingest::MergeOptions& options = arguments->options;
  app.add_option("-o,--output", options.database, "The database to write; it appears whole or not at all")
      .required()
      .value_name("DB")
      .brief("The database to write");
  app.add_option("SOURCE", options.sources, "The databases; they stay as they are")
      .required()
      .value_name("DB...");
  cli::add_choice(
      app, "--duplicates", options.duplicates,
      "Where two have one id: refuse (default), rename the later one (ID.2), merge both into one person, "
      "or replace the earlier one",
      {{"refuse", ingest::DuplicateRule::kRefuse},
       {"rename", ingest::DuplicateRule::kRename},
       {"merge", ingest::DuplicateRule::kMerge},
       {"replace", ingest::DuplicateRule::kReplace}})
      .value_name("RULE")
      .brief("Of two of one id: refuse, rename, merge or replace");
  cli::add_writing(app);
  add_rest(app, options, arguments->account, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db merge -o all.h5 north.h5 south.h5\n"
      "  fastid db merge -o all.h5 old.h5 new.h5 --duplicates replace\n\n"
      "All have the same panel, kind and encoding. Tags and logs are taken over. Where two profiles are "
      "merged "
      "or replaced, the tags of the later one count.");
  app.runs([arguments] { return run_merge(*arguments); });
}

}  // namespace fastid::bank
