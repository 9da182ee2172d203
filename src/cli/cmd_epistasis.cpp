// fastid epistasis: turn arguments into EpistasisOptions and print the best combinations of sites.
#include <memory>
#include <string>

#include "analysis/epistasis.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "report/epistasis.hpp"

namespace fastid::cli {
namespace {

enum class Format { kAuto, kTable, kTsv, kJson };

struct Arguments {
  EpistasisOptions epistasis;
  ReadingOptions reading;
  Verbosity verbosity;
  Format format = Format::kAuto;
  std::string output = "-";
  Accountability account;
};

std::string text_of(const EpistasisTable& found, Format format, bool terminal) {
  if (format == Format::kJson) return report::epistasis_json(found);
  return format == Format::kTable || (format == Format::kAuto && terminal) ? report::epistasis_table(found)
                                                                           : report::epistasis_tsv(found);
}

void say(const EpistasisTable& found) {
  log::note("{} of {} among {}", counted(found.rows.size(), found.way == 2 ? "pair" : "triple"),
            with_commas(found.n_combinations), counted(found.n_sites, "site"));
  if (found.ties > 0)
    log::note("{} score as the last one and are not listed; --top lists more", with_commas(found.ties));
}

ExitCode run_epistasis(Arguments& arguments) {
  EpistasisOptions& options = arguments.epistasis;
  arguments.verbosity.apply();
  if (options.file.empty())
    throw UsageError("name a database or a file of genotypes: fastid epistasis FILE --phenotype FILE");
  options.progress = arguments.verbosity.progress;
  arguments.reading.open_report({{"-o", arguments.output}, audit_file(arguments.account)}, {options.file},
                                {options.phenotypes});
  options.import = arguments.reading.import;
  OutputFile out(arguments.output);
  if (header_if_database(options.file))
    Audit(arguments.account, {options.file}).record_action("epistasis", command_line());
  const EpistasisTable found = fastid::run_epistasis(options);
  out.write(text_of(found, arguments.format, out.is_terminal()));
  out.commit();
  say(found);
  return ExitCode::kDone;
}

void add_question(CLI::App& app, EpistasisOptions& options) {
  app.add_option("file", options.file, "A database, or genotypes (VCF, BCF, .bed, EIGENSTRAT)")
      ->type_name("FILE");
  app.add_option(
         "--phenotype", options.phenotypes,
         "Who is a case: lines of id and phenotype, 1 (control) or 2 (case), or 0 and 1 (default: the "
         ".fam of a .bed)")
      ->type_name("FILE");
  add_number(app, "--way", options.way, "Combinations of 2 or 3 sites (3)")
      ->check(CLI::Range(2, 3))
      ->type_name("N");
  add_choice(
      app, "--score", options.score,
      "k2: the Bayesian score, the lowest first (default); mi: mutual information in nats, the highest "
      "first",
      {{"k2", EpistasisScore::kK2}, {"mi", EpistasisScore::kMutualInformation}})
      ->type_name("SCORE");
  add_number(app, "-k,--top", options.top, "List the best N (10)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->type_name("N");
}

void add_output(CLI::App& app, Arguments& arguments) {
  app.option_defaults()->group("Output");
  add_choice(app, "--format", arguments.format,
             "table (default on a terminal), tsv (default elsewhere), json: with positions and the tables of "
             "genotypes",
             {{"table", Format::kTable}, {"tsv", Format::kTsv}, {"json", Format::kJson}})
      ->type_name("FORMAT");
  app.add_option("-o,--output", arguments.output,
                 "Write here instead of standard output; appears whole or not at all")
      ->type_name("FILE");
  add_writing(app);
  add_accountability(app, arguments.account);
}

}  // namespace

void add_epistasis(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("epistasis", "Which two or three sites together go with a trait?");
  const auto arguments = std::make_shared<Arguments>();
  EpistasisOptions& options = arguments->epistasis;
  add_question(*command, options);
  add_reading(*command, arguments->reading);
  add_output(*command, *arguments);
  add_counting_device(*command, options.device, options.threads);
  add_verbosity(*command, arguments->verbosity);
  command->callback([arguments, &run] { run = [arguments] { return run_epistasis(*arguments); }; });
  command->footer(
      "Examples:\n"
      "  fastid epistasis cohort.h5 --phenotype cases.txt\n"
      "  fastid epistasis cohort.bed --way 2 --top 100 -o pairs.tsv\n"
      "  fastid epistasis cohort.vcf.gz --phenotype cases.txt --score mi --format json\n\n"
      "Every combination is scored. Whoever is not called at one of its sites does not count for it.");
}

}  // namespace fastid::cli
