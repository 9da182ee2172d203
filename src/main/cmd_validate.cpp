// fastid validate: a laboratory's validation of this installation.
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "main/commands.hpp"
#include "validate/validation.hpp"

namespace fastid::cli {
namespace {

struct ValidateArguments {
  validate::Options validation;
  Verbosity verbosity;
  std::string html, json;
  Accountability account;
};

/// Runs the validation without the messages of its searches, which are of no interest here.
report::Validation run_silently(const ValidateArguments& arguments) {
  log::set_level(log::Level::kErrors);
  report::Validation validation = validate::validate(arguments.validation);
  arguments.verbosity.apply();
  return validation;
}

ExitCode run_validate(ValidateArguments& arguments) {
  arguments.verbosity.apply();
  validate::Options& options = arguments.validation;
  options.progress = arguments.verbosity.progress;
  options.command = command_line();
  check_files({{.option = "-o", .path = arguments.html, .format = "html"},
               {.option = "--json", .path = arguments.json, .format = "json"},
               audit_file(arguments.account)},
              {options.panel, options.database, options.truth});
  const Audit audit(arguments.account, {options.database});
  if (!options.database.empty()) audit.record_action("validate", options.command);
  std::optional<OutputFile> page, data;
  if (!arguments.html.empty()) page.emplace(arguments.html);
  if (!arguments.json.empty()) data.emplace(arguments.json);
  const report::Validation validation = run_silently(arguments);
  if (page) {
    page->write(report::html(validation));
    page->commit();
  }
  if (data) {
    data->write(report::json(validation));
    data->commit();
  }
  OutputFile out(arguments.html == "-" || arguments.json == "-" ? "/dev/null" : "-");
  out.write(report::text(validation));
  out.commit();
  if (!validation.passed())
    log::error_text("the validation failed: do not use this installation before the reason is found");
  return validation.passed() ? ExitCode::kDone : ExitCode::kFailure;
}

void add_what(Command app, validate::Options& options) {
  app.add_flag("--quick", options.quick,
               "Fewer people and samples: a minute, to try an installation; no validation")
      .brief("A minute, to try an installation; no validation");
  app.add_option("--panel", options.panel,
                 "Validate with this panel and its frequencies (TSV; 1,024 simulated sites)")
      .value_name("FILE")
      .brief("With this panel (TSV; 1,024 simulated sites)");
  app.add_option("--population", options.population,
                 "Which of the panel's populations people are drawn from (its first)")
      .value_name("NAME");
  const Option database = app.add_option("--db", options.database, "Also test the laboratory's own database")
                              .value_name("DB")
                              .brief();
  app.add_option(
         "--truth", options.truth,
         "Also search DB for samples whose answers are known: a table with the columns file, kind (identity, "
         "absent, mixture) and contributors, as `fastid db simulate --cases` writes it")
      .needs(database)
      .value_name("FILE")
      .brief("Samples of DB whose answers are known (table)");
  app.add_option("--only", options.only,
                 "Only these tests: vectors, theta, sensitivity, few-reads, chance, strangers, relatives, "
                 "mixtures, sex-chromosomes, repeatability, refusals, own-database, own-samples")
      .list()
      .check(suggested(validate::test_ids()))
      .value_name("LIST");
}

}  // namespace

void add_validate(Command app) {
  const Command command = app.add_command("validate", "A laboratory's validation of this installation");
  const auto arguments = std::make_shared<ValidateArguments>();
  add_what(command, arguments->validation);
  command.group("Output");
  command.add_option("-o,--output", arguments->html, "The report as a page (HTML), to read, print and sign")
      .value_name("FILE")
      .brief("The report as a page (HTML)");
  command.add_option("--json", arguments->json, "The report as json").value_name("FILE").brief();
  command.group("How");
  add_number(command, "--seed", arguments->validation.seed, "Of the simulated people (1)").value_name("S");
  add_threads(command, arguments->validation.threads);
  command
      .add_option("--scratch", arguments->validation.scratch,
                  "Folder for simulated databases ($TMPDIR, else /tmp)")
      .value_name("DIR");
  command.group("Options");
  add_writing(command);
  add_accountability(command, arguments->account);
  add_verbosity(command, arguments->verbosity);
  command.footer(
      "Examples:\n"
      "  fastid validate --quick\n"
      "  fastid validate -o validation.html --json validation.json\n"
      "  fastid validate --panel kit.tsv --db people.h5 --truth known.tsv -o validation.html\n\n"
      "Prints a line for each test, and each criterion that was not met. Ends with 1 where one was not.\n"
      "docs/commands/validate.md says what is tested, by which criteria, and what that does not show.");
  command.runs([arguments] { return run_validate(*arguments); });
}

}  // namespace fastid::cli
