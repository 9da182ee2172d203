// fastid db append: turns arguments into AppendOptions and prints a line about the new size.
#include <memory>
#include <string>

#include "base/text.hpp"
#include "cli/common.hpp"
#include "ingest/append.hpp"

namespace fastid::cli {
namespace {

struct Arguments {
  AppendOptions options;
  ReadingOptions reading;
  Verbosity verbosity;
};

ExitCode run_append(Arguments& arguments) {
  arguments.verbosity.apply();
  AppendOptions& options = arguments.options;
  options.command = command_line();
  options.progress = arguments.verbosity.progress;
  arguments.reading.open_report({}, options.inputs, {options.database});
  options.import = arguments.reading.import;
  const AppendSummary summary = append_database(options);
  log::note("{}: {}, {} of them new", options.database, counted(summary.after, "profile"),
            with_commas(summary.after - summary.before));
  if (summary.renamed > 0)
    log::warn("{}: {} renamed: the id was there already", options.database,
              counted(summary.renamed, "profile"));
  return ExitCode::kDone;
}

}  // namespace

void add_append(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("append", "Add profiles from genotype files to a database");
  const auto arguments = std::make_shared<Arguments>();
  app->add_option("DB", arguments->options.database,
                  "The database; it has the old profiles or all, at every instant")
      ->required()
      ->type_name("DB");
  app->add_option("INPUT", arguments->options.inputs, "Files in any format that db build reads")
      ->required()
      ->type_name("INPUT...");
  add_choice(*app, "--duplicates", arguments->options.rename,
             "Where an id is there already: refuse (default), or rename the new one (ID.2)",
             {{"refuse", false}, {"rename", true}})
      ->type_name("RULE");
  add_number(*app, "--threads", arguments->options.threads,
             "Inputs that are read side by side (default: one for each CPU)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  add_sharing(*app);
  add_reading(*app, arguments->reading);
  add_verbosity(*app, arguments->verbosity);
  app->footer(
      "Examples:\n"
      "  fastid db append people.h5 new/*.snp\n"
      "  fastid db append people.h5 batch7.vcf.gz\n\n"
      "Sites match by the database's panel, as in a search. Searches may go on meanwhile; they see the old\n"
      "profiles. A second append at the same time is refused. While it runs, the disk must hold the "
      "database\n"
      "twice, but where its file system can share blocks between files (btrfs, XFS).");
  app->callback([arguments, &run] { run = [arguments] { return run_append(*arguments); }; });
}

}  // namespace fastid::cli
