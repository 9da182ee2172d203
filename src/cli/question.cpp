#include "cli/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "asking/engines.hpp"
#include "base/file.hpp"
#include "base/stage_time.hpp"
#include "base/text.hpp"
#include "cli/output_format.hpp"
#include "cli/sharding.hpp"
#include "cli/team.hpp"
#include "import/text_output.hpp"
#include "report/columns.hpp"

namespace fastid::cli {
namespace {

std::string printed(const match::MatchTable& matches, const Question& question, Format format) {
  const InStage stage(AnswerStage::kPrint);
  if (question.summary) return report::summary(matches, question.report);
  switch (format) {
    case Format::kHtml:
      return report::html(matches, question.report);
    case Format::kJson:
      return report::json(matches, question.report);
    case Format::kJsonLines:
      return report::json_lines(matches);
    case Format::kTable:
      return report::table(matches, question.report);
    default:
      return report::tsv(matches, question.report);
  }
}

void parse_top(const std::string& text, match::KeepRule& rule) {
  const auto number = parse_number<std::uint64_t>(text);
  if (text != "all" && (!number || *number == 0))
    refuse_value("--top", text + " is neither a number from 1 nor 'all'");
  rule.top = text == "all" ? match::KeepRule::kAll : *number;
}

/// Accepts these words alone. \return what to do with a list of sites, which other commands call --sites
Check place_on_page(const std::vector<std::string>& words) {
  Check check = one_of(words);
  return {[check](const std::string& word) {
            const std::string problem = check.problem(word);
            return problem.empty() ? "" : problem + " (a list of sites goes to `fastid db build --sites`)";
          },
          words};
}

void add_case(Command app, report::Options& options) {
  add_number(app, "--report-cap", options.cap,
             "Table and html print a likelihood ratio beyond 10^N as more than that (9)")
      .check(within(0.0, 1e6))
      .value_name("N");
  app.add_option("--laboratory", options.laboratory, "html: who reports (FASTID_LABORATORY)")
      .variable("FASTID_LABORATORY")
      .value_name("TEXT");
  app.add_option("--examiner", options.examiner, "html: who signs").value_name("TEXT");
  const Choices<report::SitesOnPage> where = {{"annex", report::SitesOnPage::kAnnex},
                                              {"none", report::SitesOnPage::kNone}};
  app.take<std::string>(
         "--sites", [&options, where](const std::string& word) { options.sites = choice_of(word, where); },
         "html: the sites that speak against each match: in an annex at the end (annex, default), or none")
      .check(place_on_page(words_of(where)))
      .value_name("WHERE");
  app.add_option("--date", options.date, "html: the report's date (default: the day of the search)")
      .value_name("TEXT");
}

std::vector<std::string> columns_of(const std::string& names) {
  std::vector<std::string> columns;
  for (const std::string_view name : split(names, ',')) columns.emplace_back(name);
  return columns;
}

/// Refuses names of columns that no result of this question has.
void check_columns(const Question& question) {
  const std::vector<std::string> all = report::column_names(question.search.comparison, question.family);
  for (const std::string& name : question.report.columns)
    if (std::ranges::find(all, name) == all.end())
      throw UsageError(fmt::format("--columns: '{}' is no column of this result, which may have {}",
                                   printable(name), fmt::join(all, ", ")));
}

const Choices<Format> kMatchFormats = {{"table", Format::kTable},
                                       {"tsv", Format::kTsv},
                                       {"json", Format::kJson},
                                       {"jsonl", Format::kJsonLines},
                                       {"html", Format::kHtml}};

/// Files of queries that a file lists: one on each line, or, where it has zero bytes (find -print0), each
/// ended by one.
std::vector<std::string> listed_files(const std::string& list) {
  constexpr std::uint64_t kMostListBytes = std::uint64_t{1} << 30;
  const std::string text = read_whole_list(list, kMostListBytes);
  const char end = text.find('\0') == std::string::npos ? '\n' : '\0';
  std::vector<std::string> files;
  for (std::string_view name : split(text, end)) {
    if (end == '\n' && name.ends_with('\r')) name.remove_suffix(1);
    if (!name.empty()) files.emplace_back(name);
  }
  return files;
}

/// Which of the arguments are queries, and which is the database.
/// \param usage  a message that ends in how the command is written
void sort_files(Question& question, const std::string& usage) {
  asking::SearchOptions& search = question.search;
  search.queries = question.files;
  search.database = question.database;
  if (search.database.empty() && !search.queries.empty()) {
    search.database = search.queries.back();
    search.queries.pop_back();
  }
  if (!question.queries_from.empty() && !follows())
    for (std::string& file : listed_files(question.queries_from)) search.queries.push_back(std::move(file));
  // Parts hold their queries, and a leading process reads them.
  const bool asked = !search.queries.empty() || question.sharding.parts != nullptr || follows();
  if (search.database.empty() || !asked) throw UsageError(usage);
  if (!follows()) check_order(search.database, search.queries, "last" + usage.substr(usage.rfind(": ")));
}

/// Lists the files that were left out, at the end, where they are seen.
void say_failed(const match::MatchTable& matches) {
  for (const match::FailedInput& failed : matches.failed) log::error_text(failed.problem);
  log::error_text(counted(matches.failed.size(), "file") + " of queries left out (--keep-going)");
}

/// Opens the report on reading, once no file that is written is one that is read.
/// \param genotypes, others  files that are read besides the queries and the database
void check_paths(Question& question, const std::vector<std::string>& genotypes,
                 const std::vector<std::string>& others) {
  const asking::SearchOptions& search = question.search;
  std::vector<std::string> read = search.queries;
  read.push_back(search.database);
  read.push_back(question.queries_from);
  std::ranges::copy(genotypes, std::back_inserter(read));
  if (std::ranges::count(read, "-") > 1) throw UsageError("standard input (-) can be read only once");
  std::vector<std::string> read_too = others;
  for (const std::string& file :
       {question.device.engine.config_file, search.rows.ids, search.rows.exclude, search.evidence.blocks})
    read_too.push_back(file);
  question.reading.open_report({question.sharding.written({"-o", question.output}),
                                audit_file(question.account),
                                question.segments.written(),
                                {.option = "--deconvolve",
                                 .path = search.evidence.deconvolve,
                                 .to_stdout = false,
                                 .content = Content::kProfiles,
                                 .format = "vcf"}},
                               read, question.sharding.with_parts(std::move(read_too)));
  if (question.sharding.parts == nullptr) question.reading.refuse_idle(read);
}

/// Without --format and a suffix that says which, options of a tsv ask for one, on a terminal too.
void imply_tsv(Question& question) {
  const bool asked = question.summary || !question.report.columns.empty() || !question.report.header;
  if (asked && !question.format) question.format = Format::kTsv;
}

/// Refuses options of formats that are not printed. \throws UsageError
void refuse_idle(const Question& question) {
  std::vector<std::string_view> formats = {"table", "tsv"};  // as the output is a terminal or not
  for (const auto& [word, format] : kMatchFormats)
    if (question.format == format) formats = {word};
  refuse_idle_options(question.sharding.command, formats,
                      {{"--summary", {"tsv"}},
                       {"--columns", {"tsv"}},
                       {"--no-header", {"tsv"}},
                       {"--no-histograms", {"json", "html"}},
                       {"--run-info", {"json"}},
                       {"--report-cap", {"table", "html"}},
                       {"--examiner", {"html"}},
                       {"--sites", {"html"}},
                       {"--date", {"html"}}});
}

/// Asks, and prints what is found.
ExitCode write_matches(Question& question, asking::PairFinder& finder,
                       const std::function<std::optional<match::MatchTable>(asking::PairFinder&)>& ask) {
  imports::TextOutput out(question.output);
  question.report.style = out.file().style();
  question.segments.open();
  const Audit audit(question.account, {question.search.database});
  const match::MatchTable matches = *ask(finder);
  audit.record_search(matches);  // a search without a record must not have a result
  const Format terminal_or_not = to_terminal(out.file()) ? Format::kTable : Format::kTsv;
  out.write(printed(matches, question, question.format.value_or(terminal_or_not)));
  question.segments.add(matches);
  if (matches.provenance.evidence.map) question.segments.commit(*matches.provenance.evidence.map);
  out.commit();
  if (!matches.failed.empty()) {
    say_failed(matches);
    return ExitCode::kInput;
  }
  const bool none =
      std::ranges::all_of(matches.queries, &std::vector<match::MatchRow>::empty, &match::QueryMatches::rows);
  return none && question.fail_if_no_match ? ExitCode::kNoMatch : ExitCode::kDone;
}

}  // namespace

void add_output(Command app, Question& question, const std::vector<std::string>& columns) {
  app.group("Output");
  add_format(app, question.format,
             "table (default on a terminal), tsv (default elsewhere), json, jsonl (an object for each match "
             "on a line), "
             "html; without it, a suffix of -o says which",
             kMatchFormats);
  add_output_file(app, question.output);
  app.add_flag("--summary", question.summary,
               "tsv: one line for each query, with its best two profiles and what the best one suggests");
  app.take<std::string>(
         "--columns", [&question](const std::string& names) { question.report.columns = columns_of(names); },
         "tsv: these columns alone, in this order" +
             (columns.empty() ? std::string() : fmt::format(": {}", fmt::join(columns, ", "))))
      .value_name("NAME,...");
  app.add_flag(
      "--no-header", [&question] { question.report.header = false; }, "tsv: without the line of names");
  // Printing alone does without them, but a shard need not count them either.
  app.add_flag(
         "--no-histograms", [&question] { question.search.histograms = false; },
         "json, html: without the counts of all profiles; given to shards, they do not count them")
      .in_parts();
  app.add_flag(
      "--run-info", question.report.with_run,
      "json: add the facts of this run (command line, engine, times); without them two runs that found the "
      "same are equal byte by byte");
  add_case(app, question.report);
  app.add_flag("--fail-if-no-match", question.fail_if_no_match, "Exit with 5 where no query has a match");
  add_accountability(app, question.account, true);
  add_writing(app);
}

void add_files_and_rule(Command app, Question& question, const std::string& file,
                        const std::function<void()>& add_limit) {
  app.add_option("files", question.files,
                 file + " files (- is standard input) and, last, the database (unless --db names it)")
      .value_name(ascii_upper(file) + "... DB")
      .brief(file + " files and, last, the database");
  app.add_option("--db", question.database,
                 "The database; all other files are then queries, as xargs needs it")
      .value_name("DB");
  app.add_option(
         "--queries-from", question.queries_from,
         "More files of queries: those that FILE (- is standard input) lists, one on each line, or as find "
         "-print0 does")
      .value_name("FILE");
  app.add_flag("--keep-going", question.search.keep_going,
               "Leave out files that cannot be read, list them at the end, and exit with 3");
  match::KeepRule& rule = question.search.rule;
  app.take<std::string>(
         "-k,--top", [&rule](const std::string& text) { parse_top(text, rule); },
         "List the N best for each query (10), or all")
      .value_name("N")
      .brief();
  add_limit();
  add_number(app, "--min-compared", rule.min_compared,
             "List only profiles with at least N comparable sites (1)")
      .check(within(1u, UINT32_MAX))
      .value_name("N");
}

Option add_limit(Command app, const std::string& flag, std::optional<double>& value,
                 const std::string& what) {
  return app
      .take<double>(
          flag, [&value](const double& limit) { value = limit; }, what)
      .check(signed_decimal());
}

void add_margin(Command app, double& margin) {
  add_number(
      app, "--margin", margin,
      "Name a relation only where it is 10^X times as probable as the next one, else say undecided (1)")
      .value_name("X");
}

void add_map(Command app, asking::LinkedOptions& options, const std::string& unlinked, bool thins) {
  app.add_flag("--unlinked", options.unlinked, unlinked);
  app.add_option(
         "--map", options.map,
         "The genetic map: default, that of the panel's build that comes with fastid; none, 1.2 cM a Mb; "
         "or a file with columns chrom, pos and cM (default)")
      .value_name("FILE");
  if (!thins) return;
  app.take<double>(
         "--thin", [&options](const double& thin) { options.thin = thin; },
         "Along the map weigh one site of each stretch of so many centimorgans, that with the most frequent "
         "minor allele; 0: all (0.1; with --blocks 0)")
      .check(decimal())
      .value_name("CM");
}

void add_linked(Command app, asking::LinkedOptions& options) {
  add_map(app, options, "Take sites as unlinked: multiply them one by one, and name five relations only");
  app.add_option("--relations", options.relations,
                 "Consider only these of the relations along the map, separated by commas (all)")
      .value_name("NAME,...");
}

void add_populations(Command app, std::string& population, stats::Parameters& parameters, bool error_rate) {
  app.group("Evidence");
  app.add_option(
         "--population", population,
         "Allele frequencies to use: populations of the panel, separated by commas, or all (default): "
         "each figure is then of the one that speaks least for the match (FASTID_POPULATION)")
      .variable("FASTID_POPULATION")
      .value_name("NAME,...")
      .brief("Populations of the panel whose frequencies count");
  add_number(app, "--theta", parameters.theta,
             "How much more alike two people of one population are than its frequencies say: F_ST (0.01; "
             "FASTID_THETA)")
      .variable("FASTID_THETA")
      .value_name("T");
  if (error_rate)
    add_number(app, "--error-rate", parameters.error_rate,
               "How often one allele is read as the other (0.005)")
        .value_name("W");
}

void add_blocks(Command app, std::string& blocks) {
  app.add_option("--blocks", blocks,
                 "Blocks of linked sites, as `fastid ld --blocks` writes them: each weighs as one site, and "
                 "chance matches are a bound that holds for linked sites too")
      .value_name("FILE");
}

namespace {

/// What --columns may name, as the help lists it. A family's missing member adds columns of its own to kin's.
std::vector<std::string> columns_for_help(engine::Comparison comparison) {
  std::vector<std::string> names = report::column_names(comparison, false);
  if (comparison == engine::Comparison::kKinship)
    for (std::string& name : report::column_names(comparison, true))
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

}  // namespace

void add_common_options(Command app, Question& question, engine::Comparison comparison) {
  app.group("Which profiles");
  add_row_rule(app, question.search.rows);
  add_reading(app, question.reading);
  add_output(app, question, columns_for_help(comparison));
  add_device(app, question.device);
  app.add_flag("--skip-checksums", question.search.skip_checksums,
               "Do not compare blocks with their checksums, right after `fastid db verify`");
  question.sharding.add(app);
  add_verbosity(app, question.verbosity);
}

ExitCode answer(Question& question, const std::string& usage, const std::vector<std::string>& genotypes,
                const std::vector<std::string>& others,
                const std::function<std::optional<match::MatchTable>(asking::PairFinder&)>& ask) {
  asking::SearchOptions& search = question.search;
  question.verbosity.apply();
  sort_files(question, usage);
  search.progress = team() != nullptr ? ProgressMode::kNever : question.verbosity.progress;
  search.command_line = command_line();
  make_own(question.device);
  search.threads = question.device.engine.threads;
  check_columns(question);
  question.report.case_name = question.account.case_name;
  question.report.caveats = !question.verbosity.quiet;

  if (!follows()) check_paths(question, genotypes, others);
  if (!question.format && !question.sharding.shard)
    question.format = format_by_suffix(question.output, kMatchFormats);
  if (question.sharding.prints()) {
    imply_tsv(question);
    refuse_idle(question);
  }
  const bool sites_on_page =
      question.format == Format::kHtml && question.report.sites != report::SitesOnPage::kNone;
  search.details = question.sharding.shard || question.format == Format::kJson || sites_on_page;
  search.evidence.contributors = question.sharding.shard || question.format == Format::kHtml;
  search.import = question.reading.import;
  search.import.individuals = search.comparison != engine::Comparison::kMixture;
  begin_together(question.sharding.shard.has_value());
  const std::unique_ptr<engine::Engine> engine = asking::make_engine_on(question.device);
  return question.sharding.do_share(question.output, {search.database}, [&](asking::Work& work) {
    asking::PairFinder finder(*engine, work);
    if (question.sharding.prints()) return write_matches(question, finder, ask);
    if (!follows())
      Audit(question.account, {search.database}).record_action(question.sharding.action(), command_line());
    ask(finder);
    return ExitCode::kDone;
  });
}

}  // namespace fastid::cli
