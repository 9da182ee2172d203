// fastid search, fastid mixture: arguments into SearchOptions, a table out.
#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/engines.hpp"
#include "analysis/search.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/audit_log.hpp"
#include "cli/common.hpp"
#include "report/report.hpp"
#include "stats/mixture.hpp"

namespace fastid::cli {
namespace {

enum class Format { kAuto, kTable, kTsv, kJson, kHtml };

struct Arguments {
  SearchOptions search;
  ReadingOptions reading;
  DeviceOptions device;
  Verbosity verbosity;
  std::vector<std::string> files;  ///< queries, then the database
  Format format = Format::kAuto;
  std::string output = "-";
  bool run_info = false;
  bool fail_if_no_match = false;
  bool reverse = false;
  std::string audit_log;
};

std::string printed(const MatchTable& matches, const Arguments& arguments, Format format) {
  switch (format) {
    case Format::kHtml:
      return report::html(matches);
    case Format::kJson:
      return report::json(matches, arguments.run_info);
    case Format::kTable:
      return report::table(matches);
    default:
      return report::tsv(matches);
  }
}

ExitCode run_search(Arguments& arguments) {
  arguments.verbosity.apply();
  if (arguments.files.size() < 2)
    throw UsageError(arguments.search.comparison == Comparison::kIdentity
                         ? "name at least one query and, last, the database: fastid search QUERY... DB"
                         : "name at least one mixture and, last, the database: fastid mixture MIXTURE... DB");
  if (std::count(arguments.files.begin(), arguments.files.end(), "-") > 1)
    throw UsageError("standard input (-) can be read only once");
  SearchOptions& search_options = arguments.search;
  stats::check_parameters(search_options.evidence.parameters);
  search_options.database = arguments.files.back();
  search_options.queries.assign(arguments.files.begin(), arguments.files.end() - 1);
  search_options.progress = arguments.verbosity.progress;
  search_options.command_line = command_line();
  search_options.threads = arguments.device.engine.threads;
  search_options.details = arguments.format == Format::kJson || arguments.format == Format::kHtml;
  if (arguments.reverse) search_options.comparison = Comparison::kReverseMixture;

  arguments.reading.open_report({{"-o", arguments.output}, {"--audit-log", arguments.audit_log, false}},
                                arguments.files, {arguments.device.engine.config_file});
  search_options.import = arguments.reading.import;
  search_options.import.individuals = search_options.comparison != Comparison::kMixture;
  OutputFile out(arguments.output);  // opened first: a search whose result cannot be written need not run
  std::optional<AuditLog> audit;
  if (!arguments.audit_log.empty()) audit.emplace(arguments.audit_log);
  const std::unique_ptr<Engine> engine = make_engine(arguments.device.device, arguments.device.engine);
  const MatchTable matches = search(search_options, *engine);
  if (audit) audit->append(matches);  // no result without its record
  const Format terminal_or_not = out.is_terminal() ? Format::kTable : Format::kTsv;
  out.write(
      printed(matches, arguments, arguments.format == Format::kAuto ? terminal_or_not : arguments.format));
  out.commit();
  const bool none = std::all_of(matches.queries.begin(), matches.queries.end(),
                                [](const auto& query) { return query.rows.empty(); });
  return none && arguments.fail_if_no_match ? ExitCode::kNoMatch : ExitCode::kDone;
}

void parse_top(const std::string& text, KeepRule& rule) {
  const auto number = parse_number<std::uint64_t>(text);
  if (text != "all" && (!number || *number == 0))
    throw CLI::ValidationError("--top", text + " is neither a number from 1 nor 'all'");
  rule.top = text == "all" ? KeepRule::kAll : *number;
}

void parse_expected_false(const std::string& text, EvidenceOptions& options) {
  options.max_expected_false = parse_number<double>(text);
  if (!options.max_expected_false || !(*options.max_expected_false > 0))
    throw CLI::ValidationError("--max-expected-false", text + " is no number above 0");
}

void add_evidence(CLI::App& app, bool mixture, EvidenceOptions& options) {
  app.option_defaults()->group("Evidence");
  app.add_option(
         "--population", options.population,
         "Allele frequencies to reckon with: a population of the panel, or all (default): each figure is "
         "then of the one that speaks least for the match")
      ->type_name("NAME");
  add_number(app, "--theta", options.parameters.theta,
             "How much more alike two people of one population are than its frequencies say: F_ST (0.01)")
      ->type_name("T");
  add_number(app, "--error-rate", options.parameters.error_rate,
             "How often one allele is read as the other (0.005)")
      ->type_name("W");
  app.add_option_function<std::string>(
         "--max-expected-false", [&options](const std::string& text) { parse_expected_false(text, options); },
         "List only profiles that chance would bring at most E of; picks a limit for each query")
      ->type_name("E");
  if (mixture)
    app.add_option_function<unsigned>(
           "--contributors", [&options](const unsigned& n) { options.contributors = n; },
           "How many people made the mixture (default: estimated)")
        ->check(decimal())
        ->check(CLI::Range(1u, stats::kMostContributors))
        ->type_name("N");
}

void add_output(CLI::App& app, Arguments& arguments) {
  app.option_defaults()->group("Output");
  add_choice(
      app, "--format", arguments.format, "table (default on a terminal), tsv (default elsewhere), json, html",
      {{"table", Format::kTable}, {"tsv", Format::kTsv}, {"json", Format::kJson}, {"html", Format::kHtml}})
      ->type_name("FORMAT");
  app.add_option("-o,--output", arguments.output,
                 "Write here instead of standard output; appears whole or not at all")
      ->type_name("FILE");
  app.add_flag(
      "--run-info", arguments.run_info,
      "json: add the facts of this run (command line, engine, times); without them two runs that found the "
      "same are equal byte by byte");
  app.add_flag("--fail-if-no-match", arguments.fail_if_no_match, "Exit with 5 where no query has a match");
  app.add_option(
         "--audit-log", arguments.audit_log,
         "Add a line to this record of searches, chained to the lines before it; without it, no result")
      ->type_name("FILE");
  add_sharing(app);
}

CLI::App* add_common(CLI::App& app, Run& run, const std::string& name, const std::string& what,
                     Comparison comparison) {
  CLI::App* command = app.add_subcommand(name, what);
  const auto arguments = std::make_shared<Arguments>();
  arguments->search.comparison = comparison;
  const bool mixture = comparison == Comparison::kMixture;
  command
      ->add_option("files", arguments->files,
                   mixture ? "Mixture files (- is standard input) and, last, the database"
                           : "Query files (- is standard input) and, last, the database")
      ->type_name(mixture ? "MIXTURE... DB" : "QUERY... DB");

  KeepRule& rule = arguments->search.rule;
  command
      ->add_option_function<std::string>(
          "-k,--top", [&rule](const std::string& text) { parse_top(text, rule); },
          "List the N best for each query (10), or all")
      ->type_name("N");
  add_number(*command, mixture ? "--max-excluded" : "--max-mismatches", rule.max_count,
             mixture ? "List only profiles with at most N excluded minor alleles"
                     : "List only profiles with at most N mismatches")
      ->type_name("N");
  add_number(*command, "--min-compared", rule.min_compared,
             "List only profiles with at least N comparable sites (1)")
      ->check(CLI::Range(1u, UINT32_MAX))
      ->type_name("N");
  if (mixture)
    command->add_flag("--reverse", arguments->reverse,
                      "The database holds mixtures: rank those that each query (a person) may be part of");
  add_evidence(*command, mixture, arguments->search.evidence);
  add_reading(*command, arguments->reading);
  add_output(*command, *arguments);
  add_device(*command, arguments->device);
  command->add_flag("--skip-checksums", arguments->search.skip_checksums,
                    "Do not hold blocks against their checksums, right after `fastid db verify`");
  add_verbosity(*command, arguments->verbosity);
  command->callback([arguments, &run] { run = [arguments] { return run_search(*arguments); }; });
  return command;
}

}  // namespace

void add_search(CLI::App& app, Run& run) {
  add_common(app, run, "search", "Whose profile is this? Rank profiles by identity with each query",
             Comparison::kIdentity)
      ->footer(
          "Examples:\n"
          "  fastid search scene.snp people.h5\n"
          "  fastid search cases/*.vcf.gz people.h5 --format json -o cases.json\n"
          "  fastid search scene.snp people.h5 --max-expected-false 0.01 -o scene.tsv\n"
          "  fastid search scene.snp people.h5 --format html -o scene.html\n"
          "  zcat scene.snp.gz | fastid search - people.h5 --max-mismatches 20 --top all\n\n"
          "Profiles are ranked by mismatches / compared, then more compared, then the lower row.");
}

void add_mixture(CLI::App& app, Run& run) {
  add_common(app, run, "mixture", "Who contributed to this mixture? Rank profiles as contributors",
             Comparison::kMixture)
      ->footer(
          "Examples:\n"
          "  fastid mixture stain.snp people.h5\n"
          "  fastid mixture stain.snp people.h5 --max-excluded 5 --top all\n"
          "  fastid mixture --reverse person.snp stains.h5\n\n"
          "Profiles are ranked by excluded / minor_alleles (minor alleles that the mixture lacks), then "
          "more\n"
          "minor alleles, then more compared sites, then the lower row.");
}

}  // namespace fastid::cli
