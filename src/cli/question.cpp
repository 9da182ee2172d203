#include "cli/question.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "analysis/engines.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace fastid::cli {
namespace {

std::string printed(const MatchTable& matches, const Question& question, Format format) {
  switch (format) {
    case Format::kHtml:
      return report::html(matches, question.report);
    case Format::kJson:
      return report::json(matches, question.report);
    case Format::kTable:
      return report::table(matches, question.report);
    default:
      return report::tsv(matches);
  }
}

void parse_top(const std::string& text, KeepRule& rule) {
  const auto number = parse_number<std::uint64_t>(text);
  if (text != "all" && (!number || *number == 0))
    throw CLI::ValidationError("--top", text + " is neither a number from 1 nor 'all'");
  rule.top = text == "all" ? KeepRule::kAll : *number;
}

void add_case(CLI::App& app, report::Options& options) {
  add_number(app, "--report-cap", options.cap,
             "Table and html print a likelihood ratio beyond 10^N as more than that (9)")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("N");
  app.add_option("--laboratory", options.laboratory, "html: who reports")->type_name("TEXT");
  app.add_option("--examiner", options.examiner, "html: who signs")->type_name("TEXT");
  app.add_option("--date", options.date, "html: the report's date (default: the day of the search)")
      ->type_name("TEXT");
}

void add_output(CLI::App& app, Question& question) {
  app.option_defaults()->group("Output");
  add_choice(
      app, "--format", question.format, "table (default on a terminal), tsv (default elsewhere), json, html",
      {{"table", Format::kTable}, {"tsv", Format::kTsv}, {"json", Format::kJson}, {"html", Format::kHtml}})
      ->type_name("FORMAT");
  app.add_option("-o,--output", question.output,
                 "Write here instead of standard output; appears whole or not at all")
      ->type_name("FILE");
  app.add_flag(
      "--run-info", question.report.with_run,
      "json: add the facts of this run (command line, engine, times); without them two runs that found the "
      "same are equal byte by byte");
  add_case(app, question.report);
  app.add_flag("--fail-if-no-match", question.fail_if_no_match, "Exit with 5 where no query has a match");
  add_accountability(app, question.account, true);
  add_writing(app);
}

}  // namespace

void add_files_and_rule(CLI::App& app, Question& question, const std::string& file,
                        const std::function<void()>& add_limit) {
  app.add_option("files", question.files, file + " files (- is standard input) and, last, the database")
      ->type_name(ascii_upper(file) + "... DB");
  KeepRule& rule = question.search.rule;
  app.add_option_function<std::string>(
         "-k,--top", [&rule](const std::string& text) { parse_top(text, rule); },
         "List the N best for each query (10), or all")
      ->type_name("N");
  add_limit();
  add_number(app, "--min-compared", rule.min_compared,
             "List only profiles with at least N comparable sites (1)")
      ->check(CLI::Range(1u, UINT32_MAX))
      ->type_name("N");
}

void add_populations(CLI::App& app, EvidenceOptions& options, bool error_rate) {
  app.option_defaults()->group("Evidence");
  app.add_option(
         "--population", options.population,
         "Allele frequencies to use: populations of the panel, separated by commas, or all (default): "
         "each figure is then of the one that speaks least for the match")
      ->type_name("NAME,...");
  add_number(app, "--theta", options.parameters.theta,
             "How much more alike two people of one population are than its frequencies say: F_ST (0.01)")
      ->type_name("T");
  if (error_rate)
    add_number(app, "--error-rate", options.parameters.error_rate,
               "How often one allele is read as the other (0.005)")
        ->type_name("W");
}

void add_common_options(CLI::App& app, Question& question) {
  app.option_defaults()->group("Which profiles");
  add_row_rule(app, question.search.rows);
  add_reading(app, question.reading);
  add_output(app, question);
  add_device(app, question.device);
  app.add_flag("--skip-checksums", question.search.skip_checksums,
               "Do not compare blocks with their checksums, right after `fastid db verify`");
  add_verbosity(app, question.verbosity);
}

ExitCode answer(Question& question, const std::string& usage, const std::vector<std::string>& genotypes,
                const std::vector<std::string>& others, const std::function<MatchTable(Engine&)>& ask) {
  SearchOptions& search = question.search;
  question.verbosity.apply();
  if (question.files.size() < 2) throw UsageError(usage);
  search.database = question.files.back();
  search.queries.assign(question.files.begin(), question.files.end() - 1);
  search.progress = question.verbosity.progress;
  search.command_line = command_line();
  search.threads = question.device.engine.threads;
  search.details = question.format == Format::kJson || question.format == Format::kHtml;
  question.report.case_name = question.account.case_name;
  question.report.caveats = !question.verbosity.quiet;

  std::vector<std::string> read = question.files;
  std::ranges::copy(genotypes, std::back_inserter(read));
  if (std::ranges::count(read, "-") > 1) throw UsageError("standard input (-) can be read only once");
  std::vector<std::string> read_too = others;
  for (const std::string& file : {question.device.engine.config_file, search.rows.ids, search.rows.exclude})
    read_too.push_back(file);
  question.reading.open_report({{"-o", question.output}, audit_file(question.account)}, read, read_too);
  search.import = question.reading.import;
  search.import.individuals = search.comparison != Comparison::kMixture;
  OutputFile out(question.output);
  const Audit audit(question.account, {search.database});
  const std::unique_ptr<Engine> engine = make_engine(question.device.device, question.device.engine);
  const MatchTable matches = ask(*engine);
  audit.record(facts_of(matches));  // a search without a record must not have a result
  const Format terminal_or_not = out.is_terminal() ? Format::kTable : Format::kTsv;
  out.write(printed(matches, question, question.format == Format::kAuto ? terminal_or_not : question.format));
  out.commit();
  const bool none = std::ranges::all_of(matches.queries, &std::vector<MatchRow>::empty, &QueryMatches::rows);
  return none && question.fail_if_no_match ? ExitCode::kNoMatch : ExitCode::kDone;
}

}  // namespace fastid::cli
