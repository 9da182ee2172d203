// fastid pairs: turn arguments into PairsOptions and print the pairs as they are found.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "asking/engines.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/lines.hpp"
#include "cli/output_format.hpp"
#include "cli/question.hpp"
#include "cli/sharding.hpp"
#include "cli/stretches_file.hpp"
#include "cli/team.hpp"
#include "import/text_output.hpp"
#include "questions/pairs/cohort_output.hpp"
#include "questions/pairs/command.hpp"
#include "questions/pairs/print.hpp"
#include "questions/pairs/run.hpp"
#include "questions/pairs/samples.hpp"

namespace fastid::pairs {
namespace {

const cli::Choices<PairsFormat> kPairsFormats = {
    {"table", PairsFormat::kTable}, {"tsv", PairsFormat::kTsv}, {"jsonl", PairsFormat::kJsonLines}};

struct PairsArguments {
  cli::Sharding sharding;
  PairsOptions pairs;
  std::vector<std::string> databases;
  cli::Accountability account;
  asking::DeviceOptions device;
  cli::Verbosity verbosity;
  std::optional<PairsFormat> format;  ///< not set: table on a terminal, else tsv
  std::string output = "-";
  CohortArguments cohort;
  SampleFiles samples;  ///< in place of databases
  cli::ReadingOptions reading;
  cli::StretchesFile segments;
};

/// Checks that no file is both written and read. \throws UsageError
void check_paths(const PairsArguments& arguments) {
  const PairsOptions& options = arguments.pairs;
  std::vector<cli::WrittenFile> written = arguments.cohort.written();
  written.push_back(arguments.sharding.written({"-o", arguments.output}));
  written.push_back(cli::audit_file(arguments.account));
  written.push_back(arguments.segments.written());
  std::vector<std::string> read = {
      options.database,     options.second,          options.within,
      options.against,      arguments.cohort.expect, options.linked.map_file(),
      options.rows.exclude, options.blocks,          arguments.device.engine.config_file};
  cli::check_files(written, arguments.sharding.with_parts(std::move(read)));
}

/// Finds the pairs of a shard, or shards for the leading process.
ExitCode find_share(const PairsArguments& arguments, asking::Work& work) {
  const PairsOptions& options = arguments.pairs;
  std::optional<cli::Audit> audit;
  if (!cli::follows()) audit.emplace(arguments.account, std::vector{options.database, options.second});
  PairSearch search(options);
  if (audit) audit->record_action(arguments.sharding.action(), cli::command_line());
  match::RunInfo run;
  search.find(*asking::make_engine_on(arguments.device), work, run, {});
  return ExitCode::kDone;
}

/// Prints the number of pairs found, for databases and for files of samples.
void say_found(std::uint64_t found, const match::PairsFacts& facts) {
  log::note("{} among {}, {} compared", counted(found, "pair"), counted(facts.n_profiles, "profile"),
            counted(facts.n_pairs, "pair"));
}

ExitCode write_pairs(PairsArguments& arguments, asking::Work& work) {
  const PairsOptions& options = arguments.pairs;
  const Stopwatch total;
  match::RunInfo run{.command_line = cli::command_line(), .started_utc = utc_now()};
  if (!arguments.format) arguments.format = cli::format_by_suffix(arguments.output, kPairsFormats);
  imports::TextOutput out(arguments.output);
  const PairsFormat format =
      arguments.format.value_or(cli::to_terminal(out.file()) ? PairsFormat::kTable : PairsFormat::kTsv);
  const cli::Audit audit(arguments.account, {options.database, options.second});
  arguments.segments.open();
  PairSearch search(options);
  audit.record_action(arguments.sharding.action(), cli::command_line());
  std::optional<CohortOutput> cohort;
  if (arguments.cohort.asked()) cohort.emplace(arguments.cohort, search);
  const std::unique_ptr<engine::Engine> engine = asking::make_engine_on(arguments.device);
  out.begin_with(fastid::pairs::pairs_head(search.facts(), format));
  const auto found = search.find(*engine, work, run, [&](std::span<const match::NamedPair> pairs) {
    cli::write_lines(out, pairs, options.threads, [&](std::span<const match::NamedPair> some) {
      return fastid::pairs::pair_lines(search.facts(), some, format);
    });
    arguments.segments.add(pairs);
    if (cohort) cohort->take(pairs);
  });
  if (cohort) {
    run.total_seconds = total.seconds();
    cohort->write(run);
  }
  if (search.facts().along_map()) arguments.segments.commit(*search.facts().evidence.map);
  out.commit();
  say_found(*found, search.facts());
  return cohort ? cohort->commit() : ExitCode::kDone;
}

/// \throws UsageError where an option is given that pairs of databases, or of files, do not use
void refuse_idle_kind(const PairsArguments& arguments) {
  const bool of_files = !arguments.samples.panel.empty();
  const auto of_databases = {"--within",
                             "--against",
                             "--only",
                             "--exclude",
                             "--new-since",
                             "--min-kinship",
                             "--max-mismatch-rate",
                             "--duplicates",
                             "--by",
                             "--no-evidence",
                             "--skip-checksums",
                             "--device",
                             "--config",
                             "--memory",
                             "--buffers",
                             "--tile-blocks",
                             "--shard",
                             "--cohort",
                             "--expect",
                             "--unrelated",
                             "--multiqc",
                             "--groups",
                             "--fail-if-unexpected",
                             "--segments"};
  const auto of_samples = {"--likelihoods", "--contamination",   "--min-gq",         "--min-mapping-quality",
                           "--damage",      "--single-stranded", "--known-variants", "--reference"};
  for (const char* name :
       of_files ? std::vector<const char*>(of_databases) : std::vector<const char*>(of_samples))
    if (arguments.sharding.command.option(name).is_named())
      throw UsageError(of_files ? fmt::format("{}: is of pairs of databases; leave it out, or --panel", name)
                                : fmt::format("{}: no file holds aligned reads or likelihoods; leave it out, "
                                              "or give the --panel of such files",
                                              name));
}

/// Weighs the pairs of files of samples.
ExitCode run_samples(PairsArguments& arguments) {
  SampleFiles& samples = arguments.samples;
  const PairsOptions& options = arguments.pairs;
  samples.files = arguments.databases;
  samples.import = arguments.reading.import;
  arguments.reading.refuse_idle(samples.files);
  samples.import.individuals = true;
  samples.import.ignore_build = options.ignore_build;
  samples.import.threads = options.threads;
  cli::check_contamination(samples.import);
  std::vector<std::string> read = cli::with_siblings(samples.files);
  for (const std::string& file : cli::with_index(samples.import.reference)) read.push_back(file);
  for (const std::string& file :
       {samples.panel, samples.import.reads.known, options.linked.map_file(), options.blocks})
    read.push_back(file);
  cli::check_files({{"-o", arguments.output}, cli::audit_file(arguments.account)}, read);
  if (!arguments.format) arguments.format = cli::format_by_suffix(arguments.output, kPairsFormats);
  imports::TextOutput out(arguments.output);
  const PairsFormat format =
      arguments.format.value_or(cli::to_terminal(out.file()) ? PairsFormat::kTable : PairsFormat::kTsv);
  std::vector<std::string> databases;
  if (cli::header_if_database(samples.panel)) databases.push_back(samples.panel);
  const cli::Audit audit(arguments.account, databases);
  const SamplePairSearch search(options, samples);
  audit.record_action("pairs", cli::command_line());
  out.begin_with(fastid::pairs::pairs_head(search.facts(), format));
  const std::uint64_t found = search.run(
      [&](std::span<const match::NamedPair> pairs) { out.write(pair_lines(search.facts(), pairs, format)); });
  out.commit();
  say_found(found, search.facts());
  return ExitCode::kDone;
}

/// \throws UsageError where options of the evidence are given, and no evidence is weighed
void refuse_idle_evidence(const PairsArguments& arguments) {
  if (arguments.pairs.evidence) return;
  for (const char* name : {"--population", "--theta", "--error-rate", "--margin", "--unlinked", "--map",
                           "--thin", "--relations", "--min-lr", "--segments"})
    if (arguments.sharding.command.option(name).is_named())
      throw UsageError(fmt::format("{}: is of the evidence; leave it out, or --no-evidence", name));
}

ExitCode run_pairs(PairsArguments& arguments) {
  PairsOptions& options = arguments.pairs;
  arguments.verbosity.apply();
  refuse_idle_kind(arguments);
  const bool of_files = !arguments.samples.panel.empty();
  if (arguments.databases.empty())
    throw UsageError(of_files ? "name files of samples: fastid pairs --panel PANEL FILE..."
                              : "name a database: fastid pairs DB [DB2]");
  if (!of_files && arguments.databases.size() > 2)
    throw UsageError("name one database or two, or give the --panel of files of samples");
  options.database = arguments.databases.front();
  if (arguments.databases.size() > 1) options.second = arguments.databases.back();
  options.progress = cli::team() != nullptr ? ProgressMode::kNever : arguments.verbosity.progress;
  cli::make_own(arguments.device);
  options.threads = arguments.device.engine.threads;
  if (of_files) {
    if (cli::team() != nullptr)
      throw UsageError("pairs of files of samples are not shared among MPI's processes");
    return run_samples(arguments);
  }
  arguments.cohort.apply(options);
  options.by_kinship = arguments.cohort.asked();
  options.linked.stretches = arguments.segments.asked();
  refuse_idle_evidence(arguments);
  if (!cli::follows()) check_paths(arguments);
  cli::begin_together(arguments.sharding.shard.has_value());
  return arguments.sharding.do_share(arguments.output, arguments.databases, [&](asking::Work& work) {
    return arguments.sharding.prints() ? write_pairs(arguments, work) : find_share(arguments, work);
  });
}

void add_who(cli::Command app, PairsArguments& arguments) {
  PairsOptions& options = arguments.pairs;
  app.add_option("databases", arguments.databases,
                 "The database; with a second one, pairs of one profile of each")
      .value_name("DB [DB2]")
      .brief("The database; with two: pairs of one profile of each");
  app.add_option(
         "--panel", arguments.samples.panel,
         "In place of databases pairs of all samples of some FILES, weighed by the likelihoods of their "
         "genotypes where they have few reads. PANEL has sites and frequencies: a file (TSV), a panel "
         "that comes with fastid, or a database")
      .value_name("PANEL")
      .brief("Pairs of files of samples, at the sites of PANEL");
  app.add_flag("--ignore-build", options.ignore_build,
               "Of two databases: sites are the same by id alone, where their genome builds differ");
  app.add_option("--within", options.within, "Only the profiles of DB whose ids FILE lists, one a line")
      .value_name("FILE");
  app.add_option("--against", options.against,
                 "Only pairs with one of the profiles (of DB2, if given) whose ids FILE lists")
      .value_name("FILE")
      .brief("Only pairs with a profile whose id FILE lists");
  cli::add_row_rule(app, options.rows, cli::RowLists::kExcluded);
  cli::add_number(
      app, "--new-since", options.new_since,
      "Only pairs with a profile from row N of DB on: what was added since it had N profiles (off)")
      .value_name("N");
}

void add_limits(cli::Command app, PairsOptions& options) {
  app.group("Which pairs are close");
  cli::add_limit(
      app, "--min-lr", options.linked.min_lr,
      "Pairs whose likelihood ratio of any relative is at least 10^X (6; with another limit, or a file of "
      "--cohort, off)")
      .value_name("X")
      .brief("Pairs with a ratio of any relative of at least 10^X (6)");
  cli::add_limit(app, "--min-kinship", options.min_kinship,
                 "Pairs with a kinship coefficient of at least PHI: .354 the same person, .177, .0884, .0442 "
                 "relatives of the first, second, third degree (off; with --unlinked .0884)")
      .value_name("PHI")
      .brief("Pairs with a kinship of at least PHI (off)");
  cli::add_limit(app, "--max-mismatch-rate", options.max_mismatch_rate,
                 "Pairs of whose alleles (by bits: sites) at most this share differs (off; by bits .05)")
      .value_name("R");
  app.add_flag("--duplicates", options.duplicates,
               "Pairs that seem to be one person: --min-kinship .354, by bits --max-mismatch-rate .05")
      .brief("Pairs that seem to be one person");
  cli::add_choice<std::optional<Encoding>>(
      app, "--by", options.by,
      "Compare alleles: both that were seen at each site; or bits: whether a minor one was (default: alleles "
      "where the databases say which were seen)",
      {{"alleles", Encoding::kAlleles}, {"bits", Encoding::kMinor}})
      .value_name("WHAT");
  cli::add_number(app, "--min-compared", options.min_compared,
                  "Only pairs with at least N comparable sites (1)")
      .check(cli::within(1u, UINT32_MAX))
      .value_name("N");
  cli::add_number(app, "--max-pairs", options.max_pairs, "More pairs than N are an error (10000000)")
      .check(cli::within(std::uint64_t{1}, UINT64_MAX))
      .value_name("N");
}

void add_evidence(cli::Command app, PairsOptions& options, cli::StretchesFile& segments) {
  cli::add_populations(app, options.population, options.parameters, true);
  app.add_flag(
      "--no-evidence", [&options] { options.evidence = false; },
      "Counts and kinship alone: no likelihood ratios, no relations");
  cli::add_blocks(app, options.blocks);
  cli::add_margin(app, options.margin);
  cli::add_linked(app, options.linked);
  segments.add_option(app);
}

void add_samples(cli::Command app, imports::ImportOptions& import) {
  app.group("Files of samples (--panel)");
  cli::add_likelihoods(app, import);
  cli::add_read_options(app, import, "--known-variants", true);
  app.add_option("--reference", import.reference,
                 "The genome (FASTA with its .fai) that BAM, CRAM and SAM were aligned to")
      .value_name("FILE");
}

void add_output(cli::Command app, PairsArguments& arguments) {
  app.group("Output");
  cli::add_format(
      app, arguments.format,
      "table (default on a terminal), tsv (default elsewhere), jsonl: a json object a line; without it, a "
      "suffix of -o says which",
      kPairsFormats);
  cli::add_output_file(app, arguments.output);
  cli::add_accountability(app, arguments.account);
  cli::add_writing(app);
}

}  // namespace

void add_pairs(cli::Command app, const part::PartSet* parts) {
  const cli::Command command =
      app.add_command("pairs", "Who is close to whom? Duplicates, swaps and relatives among all pairs");
  const auto arguments = std::make_shared<PairsArguments>();
  arguments->sharding.parts = parts;
  add_who(command, *arguments);
  add_limits(command, arguments->pairs);
  add_evidence(command, arguments->pairs, arguments->segments);
  add_samples(command, arguments->reading.import);
  add_cohort(command, arguments->cohort);
  add_output(command, *arguments);
  cli::add_device(command, arguments->device);
  command.add_flag("--skip-checksums", arguments->pairs.skip_checksums,
                   "Do not compare blocks with their checksums, right after `fastid db verify`");
  arguments->sharding.add(command);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_pairs(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid pairs cohort.h5 -o cohort.kin0\n"
      "  fastid pairs cohort.h5 --duplicates\n"
      "  fastid pairs cohort.h5 --new-since 20000 --min-kinship 0.177\n"
      "  fastid pairs tumours.h5 normals.h5 --duplicates --format jsonl\n"
      "  fastid pairs study.h5 --expect samples.tsv --cohort study.html --fail-if-unexpected\n"
      "  fastid pairs cohort.h5 --expect cohort.fam --unrelated keep.txt --multiqc qc -o cohort.kin0\n"
      "  fastid pairs bone.bam hair.bam --panel people.h5 --reference GRCh38.fa --min-lr 0\n\n"
      "Each pair is compared once. Pairs are listed in the order of the later profile's row, then of the\n"
      "earlier one's; with two databases of the row in DB, then in DB2. The first six columns are those of\n"
      "PLINK 2's .kin0.");
}

}  // namespace fastid::pairs
