// fastid search, fastid mixture: turn arguments into SearchOptions and print the table.
#include <algorithm>
#include <iterator>
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
  std::vector<std::string> files;  ///< the queries, then the database
  Format format = Format::kAuto;
  std::string output = "-";
  report::Options report;
  bool fail_if_no_match = false;
  bool reverse = false;
  std::string audit_log;
};

std::string printed(const MatchTable& matches, const Arguments& arguments, Format format) {
  switch (format) {
    case Format::kHtml:
      return report::html(matches, arguments.report);
    case Format::kJson:
      return report::json(matches, arguments.report);
    case Format::kTable:
      return report::table(matches, arguments.report);
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
  SearchOptions& search_options = arguments.search;
  stats::check_parameters(search_options.evidence.parameters);
  stats::check_parameters(search_options.evidence.mixtures, search_options.evidence.known.size());
  search_options.database = arguments.files.back();
  search_options.queries.assign(arguments.files.begin(), arguments.files.end() - 1);
  search_options.progress = arguments.verbosity.progress;
  search_options.command_line = command_line();
  search_options.threads = arguments.device.engine.threads;
  search_options.details = arguments.format == Format::kJson || arguments.format == Format::kHtml;
  if (arguments.reverse) search_options.comparison = Comparison::kReverseMixture;
  arguments.report.caveats = !arguments.verbosity.quiet;

  std::vector<std::string> genotypes = arguments.files;
  std::ranges::copy(search_options.evidence.known, std::back_inserter(genotypes));
  if (std::ranges::count(genotypes, "-") > 1) throw UsageError("standard input (-) can be read only once");
  arguments.reading.open_report({{"-o", arguments.output}, {"--audit-log", arguments.audit_log, false}},
                                genotypes, {arguments.device.engine.config_file});
  search_options.import = arguments.reading.import;
  search_options.import.individuals = search_options.comparison != Comparison::kMixture;
  // Opened first, so that a search whose result cannot be written does not run.
  OutputFile out(arguments.output);
  std::optional<AuditLog> audit;
  if (!arguments.audit_log.empty()) audit.emplace(arguments.audit_log);
  const std::unique_ptr<Engine> engine = make_engine(arguments.device.device, arguments.device.engine);
  const MatchTable matches = search(search_options, *engine);
  if (audit) audit->append(matches);  // a search without a record must not have a result
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

void parse_chance_matches(const std::string& text, EvidenceOptions& options) {
  options.max_chance_matches = parse_number<double>(text);
  if (!options.max_chance_matches || !(*options.max_chance_matches > 0))
    throw CLI::ValidationError("--max-chance-matches", text + " is no number above 0");
}

void parse_drop_out(const std::string& text, stats::MixtureParameters& mixtures) {
  mixtures.drop_out = parse_number<double>(text);
  if (text != "auto" && !mixtures.drop_out)
    throw CLI::ValidationError("--drop-out", text + " is neither a number from 0 to below 1 nor 'auto'");
}

void add_mixture_evidence(CLI::App& app, EvidenceOptions& options) {
  stats::MixtureParameters& mixtures = options.mixtures;
  app.add_option_function<unsigned>(
         "--contributors", [&mixtures](const unsigned& n) { mixtures.contributors = n; },
         "How many people made the mixture, those of --known included (default: as many as the data allow; "
         "the lowest LR counts)")
      ->check(decimal())
      ->check(CLI::Range(1u, stats::kMostContributors))
      ->type_name("N");
  app.add_option_function<std::string>(
         "--drop-out", [&mixtures](const std::string& text) { parse_drop_out(text, mixtures); },
         "How often an allele copy of a contributor does not show; auto (default): each hypothesis takes the "
         "value that suits it best")
      ->type_name("D");
  add_number(app, "--drop-in", mixtures.drop_in,
             "How often an allele (by bits: a minor one) shows that is of no contributor (0.005)")
      ->type_name("E");
  app.add_option("--known", options.known,
                 "The profile of somebody who has contributed in any case, as a victim has; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void add_evidence(CLI::App& app, bool mixture, EvidenceOptions& options) {
  using stats::Relation;
  app.option_defaults()->group("Evidence");
  app.add_option(
         "--population", options.population,
         "Allele frequencies to use: populations of the panel, separated by commas, or all (default): "
         "each figure is then of the one that speaks least for the match")
      ->type_name("NAME,...");
  add_number(app, "--theta", options.parameters.theta,
             "How much more alike two people of one population are than its frequencies say: F_ST (0.01)")
      ->type_name("T");
  if (!mixture)
    add_number(app, "--error-rate", options.parameters.error_rate,
               "How often one allele is read as the other (0.005)")
        ->type_name("W");
  add_choice(app, "--alternative", options.alternative,
             mixture
                 ? "Who contributed if not the person, for log10_lr: somebody unrelated (default), or a "
                   "sibling, parent-child, half-sibling or cousin of the person"
                 : "Whose profile it is if not the query's own, for log10_lr: somebody unrelated (default), "
                   "or a sibling, parent-child, half-sibling or cousin",
             {{"unrelated", Relation::kUnrelated},
              {"sibling", Relation::kSibling},
              {"parent-child", Relation::kParentChild},
              {"half-sibling", Relation::kHalfSibling},
              {"cousin", Relation::kCousin}})
      ->type_name("RELATION");
  add_choice(
      app, "--sort", options.by_rate,
      mixture
          ? "List by evidence (default): the highest log10_lr first, of a shortlist by average weight; or "
            "by rate: the share that is not seen alone"
          : "List by evidence (default): the highest log10_lr first, of a shortlist by average weight; or "
            "by rate: the share that differs alone",
      {{"evidence", false}, {"rate", true}})
      ->type_name("ORDER");
  app.add_option_function<std::string>(
         "--max-chance-matches", [&options](const std::string& text) { parse_chance_matches(text, options); },
         "List only profiles of which chance would bring at most E among unrelated people; picks a limit for "
         "each query")
      ->type_name("E");
  if (mixture) add_mixture_evidence(app, options);
}

void add_case(CLI::App& app, report::Options& options) {
  add_number(app, "--report-cap", options.cap,
             "Table and html print a likelihood ratio beyond 10^N as more than that (9)")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("N");
  app.add_option("--case", options.case_name, "html: the case, in the head of each page")->type_name("TEXT");
  app.add_option("--laboratory", options.laboratory, "html: who reports")->type_name("TEXT");
  app.add_option("--examiner", options.examiner, "html: who signs")->type_name("TEXT");
  app.add_option("--date", options.date, "html: the report's date (default: the day of the search)")
      ->type_name("TEXT");
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
      "--run-info", arguments.report.with_run,
      "json: add the facts of this run (command line, engine, times); without them two runs that found the "
      "same are equal byte by byte");
  add_case(app, arguments.report);
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

  add_choice<std::optional<Encoding>>(
      *command, "--by", arguments->search.by,
      "Compare alleles: both that were seen at each site; or bits: whether a minor one was (default: alleles "
      "where the database and all queries say which were seen)",
      {{"alleles", Encoding::kAlleles}, {"bits", Encoding::kMinor}})
      ->type_name("WHAT");
  KeepRule& rule = arguments->search.rule;
  command
      ->add_option_function<std::string>(
          "-k,--top", [&rule](const std::string& text) { parse_top(text, rule); },
          "List the N best for each query (10), or all")
      ->type_name("N");
  add_number(*command, mixture ? "--max-not-seen" : "--max-mismatches", rule.max_count,
             mixture
                 ? "List only profiles with at most N alleles (by bits: minor alleles) that the mixture does "
                   "not show"
                 : "List only profiles with at most N mismatches: alleles (by bits: sites) that differ")
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
                    "Do not compare blocks with their checksums, right after `fastid db verify`");
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
          "  fastid search scene.snp people.h5 --max-chance-matches 0.01 -o scene.tsv\n"
          "  fastid search scene.snp people.h5 --format html -o scene.html\n"
          "  zcat scene.snp.gz | fastid search - people.h5 --max-mismatches 20 --top all\n\n"
          "Profiles are shortlisted by what they share with the query, at its average weight, and listed by\n"
          "log10_lr, then in the shortlist's order. With --sort rate, and without allele frequencies, the "
          "order\n"
          "is that of mismatches / compared, then more compared, then the lower row.");
}

void add_mixture(CLI::App& app, Run& run) {
  add_common(app, run, "mixture", "Who contributed to this mixture? Rank profiles as contributors",
             Comparison::kMixture)
      ->footer(
          "Examples:\n"
          "  fastid mixture stain.snp people.h5\n"
          "  fastid mixture stain.snp people.h5 --max-not-seen 5 --top all\n"
          "  fastid mixture stain.snp people.h5 --known victim.snp --contributors 2 --drop-out 0.2\n"
          "  fastid mixture --reverse person.snp stains.h5\n\n"
          "Profiles are shortlisted by the alleles that the mixture shows and does not show, at their "
          "average\n"
          "weight, and listed by log10_lr, then in the shortlist's order. With --sort rate, and without "
          "allele\n"
          "frequencies, the order is that of the share not seen, then more alleles, then more compared "
          "sites,\n"
          "then the lower row.");
}

}  // namespace fastid::cli
