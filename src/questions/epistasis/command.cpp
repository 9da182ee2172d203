// fastid epistasis: turn arguments into EpistasisOptions and print the best combinations of sites.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "cli/sharding.hpp"
#include "cli/team.hpp"
#include "import/text_output.hpp"
#include "questions/epistasis/command.hpp"
#include "questions/epistasis/print.hpp"
#include "questions/epistasis/run.hpp"

namespace fastid::epistasis {
namespace {

enum class EpistasisFormat { kTable, kTsv, kJson, kHtml };

const cli::Choices<EpistasisFormat> kEpistasisFormats = {{"table", EpistasisFormat::kTable},
                                                         {"tsv", EpistasisFormat::kTsv},
                                                         {"json", EpistasisFormat::kJson},
                                                         {"html", EpistasisFormat::kHtml}};

struct EpistasisArguments {
  cli::Sharding sharding;
  EpistasisOptions epistasis;
  cli::ReadingOptions reading;
  cli::Verbosity verbosity;
  std::optional<EpistasisFormat>
      format;  ///< not set: by the suffix of the output, else table on a terminal, else tsv
  std::string output = "-";
  cli::Accountability account;
  std::optional<std::uint64_t> seed;
};

std::string text_of(const EpistasisTable& found, EpistasisFormat format) {
  if (format == EpistasisFormat::kJson) return fastid::epistasis::epistasis_json(found);
  if (format == EpistasisFormat::kHtml) return fastid::epistasis::epistasis_html(found);
  return format == EpistasisFormat::kTable ? fastid::epistasis::epistasis_table(found)
                                           : fastid::epistasis::epistasis_tsv(found);
}

void say(const EpistasisTable& found) {
  if (found.rows.empty())
    log::warn("no {} is called in {} people; a lower --min-people lists those of fewer",
              combination_name(found.way), with_commas(found.min_people));
  log::note("{} of {} among {}", counted(found.rows.size(), combination_name(found.way)),
            with_commas(found.n_combinations), counted(found.n_sites, "site"));
  if (found.ties > 0)
    log::note("{} score as the last one and are not listed; --top lists more", with_commas(found.ties));
}

/// No file that is written is one that is read. \throws UsageError
void open_files(EpistasisArguments& arguments) {
  arguments.reading.open_report(
      {arguments.sharding.written({"-o", arguments.output}), cli::audit_file(arguments.account)},
      {arguments.epistasis.file},
      arguments.sharding.with_parts({arguments.epistasis.phenotypes, arguments.epistasis.sites}));
  if (arguments.sharding.parts == nullptr) arguments.reading.refuse_idle({arguments.epistasis.file});
}

ExitCode run_epistasis(EpistasisArguments& arguments) {
  EpistasisOptions& options = arguments.epistasis;
  arguments.verbosity.apply();
  if (options.file.empty())
    throw UsageError("name a database or a file of genotypes: fastid epistasis FILE --phenotype FILE");
  if (arguments.seed && options.permutations == 0)
    throw UsageError("--seed is that of permutations; give --permutations N");
  options.seed = arguments.seed.value_or(options.seed);
  options.progress = cli::team() != nullptr ? ProgressMode::kNever : arguments.verbosity.progress;
  cli::make_own(options.device);
  if (!cli::follows()) open_files(arguments);
  const bool prints = arguments.sharding.prints();
  if (!arguments.format && prints)
    arguments.format = cli::format_by_suffix(arguments.output, kEpistasisFormats);
  cli::begin_together(arguments.sharding.shard.has_value());
  options.import = arguments.reading.import;
  return arguments.sharding.do_share(arguments.output, {options.file}, [&](asking::Work& work) {
    std::optional<imports::TextOutput> out;
    if (prints) out.emplace(arguments.output);
    if (!cli::follows() && cli::header_if_database(options.file))
      cli::Audit(arguments.account, {options.file})
          .record_action(arguments.sharding.action(), cli::command_line());
    const std::optional<EpistasisTable> found = EpistasisSearch(options).find_share(work);
    if (!found) return ExitCode::kDone;
    const EpistasisFormat table_or_not =
        cli::to_terminal(out->file()) ? EpistasisFormat::kTable : EpistasisFormat::kTsv;
    out->write(text_of(*found, arguments.format.value_or(table_or_not)));
    out->commit();
    say(*found);
    return ExitCode::kDone;
  });
}

void add_question(cli::Command app, EpistasisArguments& arguments) {
  EpistasisOptions& options = arguments.epistasis;
  app.add_option("file", options.file, "A database, or genotypes (VCF, BCF, .bed, EIGENSTRAT)")
      .value_name("FILE");
  app.add_option(
         "--phenotype", options.phenotypes,
         "Who is a case: lines of id and phenotype, 1 (control) or 2 (case), or 0 and 1 (default: the "
         ".fam of a .bed)")
      .value_name("FILE")
      .brief("Lines of id and 1 (control) or 2 (case)");
  app.add_option("--sites", options.sites,
                 "Combine only the sites whose ids FILE lists, one a line, as fastid ld --prune writes them")
      .value_name("FILE")
      .in_parts();
  cli::add_number(app, "--way", options.way, "Combinations of 2, 3 or 4 sites (3)")
      .check(cli::within(2, 4))
      .value_name("N")
      .brief();
  cli::add_choice(
      app, "--score", options.score,
      "k2: the Bayesian score, less that of the classes alone, the lowest first (default); mi: mutual "
      "information in nats, the highest "
      "first",
      {{"k2", engine::EpistasisScore::kK2}, {"mi", engine::EpistasisScore::kMutualInformation}})
      .value_name("SCORE")
      .brief("k2 (Bayesian; default) or mi (mutual information)");
  cli::add_number(
      app, "--min-people", options.min_people,
      "List combinations of at least N people who are called at all of their sites (nine tenths of all)")
      .value_name("N");
  cli::add_number(
      app, "--permutations", options.permutations,
      "Deal the trait out again N times, and say for which share of these the best combination of all is as "
      "good (off); takes up to N times as long as the search")
      .check(cli::within(std::uint64_t{1}, std::uint64_t{1'000'000}))
      .value_name("N")
      .brief("p of the best by N permutations of the trait");
  cli::add_number(app, "--seed", arguments.seed, "Of the permutations (1)").value_name("N");
  cli::add_number(app, "-k,--top", options.top, "List the best N (10)")
      .check(cli::within(std::size_t{1}, std::size_t{1'000'000}))
      .value_name("N")
      .brief();
}

void add_output(cli::Command app, EpistasisArguments& arguments) {
  app.group("Output");
  cli::add_format(
      app, arguments.format,
      "table (default on a terminal), tsv (default elsewhere), json: with positions and the tables of "
      "genotypes, html: a page with pictures of the best; without it, a suffix of -o says which",
      kEpistasisFormats);
  cli::add_output_file(app, arguments.output);
  cli::add_writing(app);
  cli::add_accountability(app, arguments.account);
}

}  // namespace

void add_epistasis(cli::Command app, const part::PartSet* parts) {
  const cli::Command command =
      app.add_command("epistasis", "Which two to four sites together go with a trait?");
  const auto arguments = std::make_shared<EpistasisArguments>();
  arguments->sharding.parts = parts;
  EpistasisOptions& options = arguments->epistasis;
  add_question(command, *arguments);
  cli::add_reading(command, arguments->reading);
  add_output(command, *arguments);
  cli::add_device(command, options.device, cli::DeviceUse::kCounts);
  arguments->sharding.add(command);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_epistasis(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid epistasis cohort.h5 --phenotype cases.txt\n"
      "  fastid epistasis cohort.bed --way 2 --top 100 -o pairs.tsv\n"
      "  fastid epistasis cohort.vcf.gz --phenotype cases.txt --score mi --format json\n"
      "  fastid epistasis cohort.h5 --phenotype cases.txt --shard 1/8 -o 1.part\n\n"
      "Every combination is scored. Whoever is not called at one of its sites does not count for it.");
}

}  // namespace fastid::epistasis
