// fastid dvi: turn arguments into VictimsOptions and print whose the remains are.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "cli/question.hpp"
#include "cli/sharding.hpp"
#include "cli/team.hpp"
#include "import/text_output.hpp"
#include "questions/dvi/command.hpp"
#include "questions/dvi/files.hpp"
#include "questions/dvi/print.hpp"
#include "questions/dvi/run.hpp"

namespace fastid::dvi {
namespace {

enum class VictimsFormat { kTable, kTsv, kJson, kHtml };

const cli::Choices<VictimsFormat> kVictimsFormats = {{"table", VictimsFormat::kTable},
                                                     {"tsv", VictimsFormat::kTsv},
                                                     {"json", VictimsFormat::kJson},
                                                     {"html", VictimsFormat::kHtml}};

struct VictimsArguments {
  cli::Sharding sharding;
  VictimsOptions victims;
  cli::ReadingOptions reading;
  cli::Verbosity verbosity;
  std::vector<std::string> files;  ///< families, samples, and last the database of remains
  std::string odds = "auto";
  bool no_pool = false;
  std::optional<VictimsFormat> format;
  std::string output = "-";
  VictimsFiles beside;
  cli::Accountability account;
};

void sort_victims_files(VictimsArguments& arguments) {
  constexpr const char* kUsage =
      "name the families, their samples and, last, the database of remains: fastid dvi FAMILIES.ped "
      "SAMPLE... REMAINS.h5";
  std::vector<std::string>& files = arguments.files;
  VictimsOptions& options = arguments.victims;
  const bool in_database = !options.typed_in.empty();
  if (files.size() < (in_database ? 2U : 3U)) throw UsageError(kUsage);
  if (in_database && files.size() > 2)
    throw UsageError("--am names a database of all samples; leave files of samples out");
  options.families = files.front();
  options.remains = files.back();
  options.typed.assign(files.begin() + 1, files.end() - 1);
  if (db::is_database(options.families)) throw UsageError(kUsage);
  const bool is_shared =
      arguments.sharding.shard || arguments.sharding.parts != nullptr || cli::team() != nullptr;
  if (is_shared && std::ranges::find(options.typed, "-") != options.typed.end())
    throw UsageError("-: each of those who share the work reads the samples; name a file");
}

std::optional<double> odds_of(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "flat") return 0;
  double odds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), odds);
  if (error != std::errc() || end != text.data() + text.size() || !(odds > 0) || !std::isfinite(odds))
    throw UsageError("--odds is '" + printable(text) + "'; give flat, auto or a number above 0");
  return std::log10(odds);
}

std::string text_of(const fastid::dvi::Table& found, VictimsFormat format) {
  switch (format) {
    case VictimsFormat::kJson:
      return fastid::dvi::victims_json(found);
    case VictimsFormat::kHtml:
      return fastid::dvi::victims_html(found);
    case VictimsFormat::kTable:
      return fastid::dvi::victims_table(found);
    case VictimsFormat::kTsv:
      break;
  }
  return fastid::dvi::victims_tsv(found);
}

void say(const fastid::dvi::Table& found) {
  log::note("{} samples of {} people; somebody is named for {} of {}", with_commas(found.remains.size()),
            with_commas(found.findings.people.size()), with_commas(found.n_named()),
            counted(found.findings.missing.size(), "missing member"));
  log::note(
      "sites are taken as unlinked, so that ratios vary more than they say; a relative whom no family "
      "lists may be among the remains");
}

/// Checks that no file is both written and read, and opens the files. \throws UsageError
void open_victims_files(VictimsArguments& arguments) {
  const VictimsOptions& options = arguments.victims;
  if (!arguments.sharding.prints() && (arguments.beside.any() || arguments.format))
    throw UsageError(
        "--format, --matrix, --people, --assignments and --families: a part has no result to print yet; give "
        "them to `fastid merge`");
  std::vector<cli::WrittenFile> written = arguments.beside.written();
  written.push_back(arguments.sharding.written({"-o", arguments.output}));
  written.push_back(cli::audit_file(arguments.account));
  arguments.reading.open_report(written, arguments.sharding.with_parts(options.typed),
                                {options.families, options.remains, options.typed_in, options.looked_for,
                                 options.priors, options.blocks});
  if (arguments.sharding.parts == nullptr) arguments.reading.refuse_idle(options.typed);
}

/// Runs the question, and prints the findings.
ExitCode write_victims(VictimsArguments& arguments, asking::Work& work) {
  const VictimsOptions& options = arguments.victims;
  const bool prints = arguments.sharding.prints();
  std::optional<imports::TextOutput> out;
  if (prints) {
    out.emplace(arguments.output);
    arguments.beside.open();
  }
  std::vector<std::string> databases = {options.remains};
  if (!options.typed_in.empty()) databases.push_back(options.typed_in);
  if (!cli::follows())
    cli::Audit(arguments.account, databases).record_action(arguments.sharding.action(), cli::command_line());
  const std::optional<fastid::dvi::Table> found = find_victims(options, work);
  if (!found) return ExitCode::kDone;
  const VictimsFormat usual = cli::to_terminal(out->file()) ? VictimsFormat::kTable : VictimsFormat::kTsv;
  out->write(text_of(*found, arguments.format.value_or(usual)));
  arguments.beside.write(*found);
  out->commit();
  arguments.beside.commit();
  say(*found);
  return ExitCode::kDone;
}

ExitCode run_dvi(VictimsArguments& arguments) {
  VictimsOptions& options = arguments.victims;
  arguments.verbosity.apply();
  sort_victims_files(arguments);
  options.rules.odds = odds_of(arguments.odds);
  options.rules.pool = !arguments.no_pool;
  options.progress = cli::team() != nullptr ? ProgressMode::kNever : arguments.verbosity.progress;
  options.threads = cli::own_threads(options.threads);
  if (!cli::follows()) open_victims_files(arguments);
  cli::begin_together(arguments.sharding.shard.has_value());
  options.import = arguments.reading.import;
  if (arguments.sharding.prints() && !arguments.format)
    arguments.format = cli::format_by_suffix(arguments.output, kVictimsFormats);
  return arguments.sharding.do_share(arguments.output, arguments.files,
                                     [&](asking::Work& work) { return write_victims(arguments, work); });
}

void add_rules(cli::Command app, VictimsArguments& arguments) {
  fastid::dvi::Rules& rules = arguments.victims.rules;
  app.group("What is concluded");
  cli::add_number(
      app, "--lr", rules.bar,
      "A pair is undisputed where its ratio, and its ratio to every other of the person and of the "
      "missing member, is at least 10^X (4)")
      .value_name("X")
      .brief("A pair of this ratio (10^X) is undisputed (4)");
  cli::add_number(app, "--posterior", rules.posterior, "Name assignments of at least this posterior (0.9995)")
      .value_name("P")
      .brief();
  app.add_option("--odds", arguments.odds,
                 "Odds of one identification before anything is read: flat (1), auto (1 / people or missing "
                 "members, whichever are more), or a number (auto)")
      .value_name("ODDS");
  app.add_option("--priors", arguments.victims.priors,
                 "Factors of other evidence: lines of missing member, remains and factor; 0 forbids")
      .value_name("FILE");
  app.add_flag("--no-pool", arguments.no_pool, "Take each sample of remains as a person of its own");
  cli::add_number(
      app, "--max-assignments", rules.most_assignments,
      "List at most N assignments of missing members who belong together; where there are more, pairs "
      "of low ratios are left out (100000)")
      .check(cli::within(std::uint64_t{1}, std::uint64_t{10'000'000}))
      .value_name("N");
  app.add_flag("--power", arguments.victims.power,
               "Reckon what each family could find before anything is: see --families")
      .brief("What each family could find before anything is");
}

}  // namespace

void add_dvi(cli::Command app, const part::PartSet* parts) {
  const cli::Command command =
      app.add_command("dvi", "Who of the remains is which missing member? All remains, all families");
  const auto arguments = std::make_shared<VictimsArguments>();
  arguments->sharding.parts = parts;
  VictimsOptions& options = arguments->victims;
  command
      .add_option("files", arguments->files,
                  "A PED file of all families, files of the samples of their members, and last the database "
                  "of remains")
      .value_name("FAMILIES SAMPLE... DB")
      .brief("Families (PED), their samples and, last, the remains");
  command.add_option("--am", options.typed_in, "The families' samples, as a database on the same panel")
      .value_name("DB")
      .brief("The families' samples, as a database");
  command
      .add_option("--looked-for", options.looked_for,
                  "Who is missing: names, one on each line (default: those whose sixth column in the PED "
                  "file is 2 or "
                  "missing)")
      .value_name("FILE")
      .brief("Who is missing: names, one on each line");
  add_rules(command, *arguments);
  cli::add_populations(command, options.population, options.parameters, true);
  cli::add_blocks(command, options.blocks);
  command.group("Which remains");
  cli::add_row_rule(command, options.rows);
  cli::add_reading(command, arguments->reading);
  command.group("Output");
  cli::add_format(
      command, arguments->format,
      "table (default on a terminal), tsv (default elsewhere), json, html: a page with families and matrix; "
      "without it, a suffix of -o says which",
      kVictimsFormats);
  cli::add_output_file(command, arguments->output);
  arguments->beside.add_options(command);
  cli::add_accountability(command, arguments->account, true);
  cli::add_writing(command);
  cli::add_threads(command, options.threads);
  arguments->sharding.add(command);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_dvi(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid dvi families.ped samples.vcf.gz remains.h5\n"
      "  fastid dvi families.ped mother.txt sister.txt remains.h5 --matrix matrix.tsv -o found.html\n"
      "  fastid dvi families.ped --am relatives.h5 remains.h5 --lr 6 --format json\n\n"
      "Remains of one person are taken together, every person is weighed as every missing member, and what "
      "is\n"
      "undisputed types the family for the rest. No conclusion says that somebody is identified.");
}

}  // namespace fastid::dvi
