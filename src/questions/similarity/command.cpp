// fastid similarity: turn arguments into SimilarityOptions and write the values of pairs or triples.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
#include "questions/similarity/command.hpp"
#include "questions/similarity/numbers.hpp"
#include "questions/similarity/output.hpp"
#include "questions/similarity/run.hpp"

namespace fastid::similarity {
namespace {

const cli::Choices<ValueFormat> kValueFormats = {{"tsv", ValueFormat::kTsv},
                                                 {"jsonl", ValueFormat::kJsonLines},
                                                 {"hdf5", ValueFormat::kHdf5},
                                                 {"bytes", ValueFormat::kBytes}};

struct SimilarityArguments {
  cli::Sharding sharding;
  SimilarityOptions similarity;
  cli::ReadingOptions reading;
  std::optional<std::size_t> best;
  std::optional<std::uint32_t> n_vectors, n_units;
  std::optional<ValueFormat> asked_format;  ///< not set: by the suffix of the output, else tsv
  ValueFormat format = ValueFormat::kTsv;
  std::string output;  ///< "": standard output, unless only the checksum is asked for
  cli::Verbosity verbosity;
  cli::Accountability account;

  /// As they were given.
  std::vector<std::string> inputs() const {
    return similarity.file.empty() ? std::vector<std::string>() : std::vector{similarity.file};
  }
  /// The same without a dataset's name.
  std::vector<std::string> files() const {
    std::vector<std::string> files = inputs();
    for (std::string& file : files) file = file_of_real_matrix(file);
    return files;
  }
};

void check_vectors(const SimilarityArguments& arguments) {
  const SimilarityOptions& options = arguments.similarity;
  if (options.synthetic == Synthetic::kNone) {
    if (options.file.empty())
      throw UsageError(
          "name a database, genotypes, or a matrix of numbers: fastid similarity FILE (or give --synthetic)");
    if (arguments.n_vectors || arguments.n_units || options.made.missing > 0)
      throw UsageError("--vectors, --units and --missing make up vectors; give --synthetic too");
    for (const char* name : {"--seed", "--type"})
      if (arguments.sharding.command.option(name).is_named())
        throw UsageError(fmt::format("{}: is of vectors that are made up; give --synthetic too", name));
    return;
  }
  if (!options.file.empty()) throw UsageError("--synthetic makes up vectors; name no file");
  if (!arguments.n_vectors || !arguments.n_units)
    throw UsageError("--synthetic: say how many by --vectors N, and how long by --units N");
  if (*arguments.n_vectors < options.way)
    throw UsageError(
        fmt::format("--vectors {}: are too few for --way {}", *arguments.n_vectors, options.way));
}

ValuesWanted wanted_of(const SimilarityArguments& arguments) {
  const SimilarityOptions& options = arguments.similarity;
  if (arguments.best && options.threshold)
    throw UsageError("--threshold and --best choose values each; ask for one after the other");
  if (options.checksum && arguments.output == "-")
    throw UsageError("--checksum goes to standard output; name the file of values with -o FILE");
  const bool in_parts = arguments.sharding.shard || arguments.sharding.parts != nullptr;
  if (!is_text(arguments.format)) {
    if (arguments.best || options.threshold)
      throw UsageError(
          "--format hdf5 and bytes have every value; --threshold and --best are for tsv and jsonl");
    if (arguments.output.empty() && !in_parts)
      throw UsageError("--format hdf5 and bytes write a file: name it with -o FILE");
    return arguments.format == ValueFormat::kBytes ? ValuesWanted::kBytes : ValuesWanted::kEvery;
  }
  if (options.checksum && !arguments.best && !options.threshold && (arguments.output.empty() || in_parts)) {
    if (arguments.sharding.parts != nullptr && !arguments.output.empty())
      throw UsageError("-o: the parts have a checksum and no values; leave it out");
    return ValuesWanted::kNone;
  }
  return arguments.best ? ValuesWanted::kBest : ValuesWanted::kFound;
}

/// A part has the values of its format, so that a merge writes text of what was text.
ValueFormat format_of(const SimilarityArguments& arguments) {
  if (arguments.asked_format || arguments.sharding.shard || arguments.output.empty())
    return arguments.asked_format.value_or(ValueFormat::kTsv);
  const ValueFormat format =
      cli::format_by_suffix(arguments.output, kValueFormats).value_or(ValueFormat::kTsv);
  if (arguments.sharding.parts != nullptr && !is_text(format))
    throw UsageError(
        fmt::format("-o {}: the parts have values for tsv and jsonl; give --format to the shards, or name "
                    "another file",
                    printable(arguments.output)));
  return format;
}

void check(SimilarityArguments& arguments) {
  SimilarityOptions& options = arguments.similarity;
  arguments.format = format_of(arguments);
  check_vectors(arguments);
  if (options.stage.index > options.stage.of)
    throw UsageError(fmt::format("--stage {}: there are {}; --stages says how many", options.stage.index,
                                 counted(options.stage.of, "stage")));
  options.wanted = wanted_of(arguments);
  options.best = arguments.best.value_or(1);
  options.made.n_vectors = arguments.n_vectors.value_or(0);
  options.made.n_units = arguments.n_units.value_or(0);
}

void check_written(SimilarityArguments& arguments) {
  std::vector<cli::WrittenFile> written = {
      arguments.sharding.written(values_file(arguments.output, arguments.format)),
      cli::audit_file(arguments.account)};
  arguments.reading.open_report(std::move(written), arguments.files(), arguments.sharding.with_parts({}));
  if (arguments.sharding.parts == nullptr) arguments.reading.refuse_idle(arguments.files());
  arguments.similarity.import = arguments.reading.import;
}

void say(const match::SimilarityFacts& facts, const SimilarityTotals& totals) {
  log::note("{} listed; {} of {} have {}", counted(totals.n_values, "value"),
            facts.way == 2 ? "pairs" : "triples", counted(facts.names.size(), "vector"),
            with_commas(facts.indices.size()));
  if (totals.verified > 0) log::note("{} were known, and are right", counted(totals.verified, "value"));
}

void print_checksum(const match::SimilarityFacts& facts, const SimilarityTotals& totals) {
  OutputFile out("-");
  out.write(fmt::format("checksum\tvalues\n{}\t{}\n", totals.checksum.text(), facts.indices.size()));
  out.commit();
}

void audit(const SimilarityArguments& arguments) {
  if (!arguments.files().empty() && cli::header_if_database(arguments.similarity.file))
    cli::Audit(arguments.account, arguments.files())
        .record_action(arguments.sharding.action(), cli::command_line());
}

ExitCode run_similarity(SimilarityArguments& arguments) {
  SimilarityOptions& options = arguments.similarity;
  arguments.verbosity.apply();
  check(arguments);
  options.progress = cli::team() != nullptr ? ProgressMode::kNever : arguments.verbosity.progress;
  cli::make_own(options.device);
  if (!cli::follows()) check_written(arguments);
  cli::begin_together(arguments.sharding.shard.has_value());
  return arguments.sharding.do_share(arguments.output, arguments.inputs(), [&](asking::Work& work) {
    if (!cli::follows()) audit(arguments);
    SimilaritySearch search(options);
    const match::SimilarityFacts& facts = search.facts();
    const std::optional<Shard>& shard = arguments.sharding.shard;
    if (!cli::follows())
      check_values_fit(arguments.output, arguments.format, options, facts, shard,
                       shard ? search.bytes_of_sums(*shard) : 0);
    std::optional<SimilarityOutput> out;
    if (arguments.sharding.prints()) out.emplace(arguments.output, arguments.format, options.wanted, facts);
    const std::optional<SimilarityTotals> totals = search.find(work, out ? out->take() : SimilarityTake{});
    if (!totals) return ExitCode::kDone;
    if (options.checksum) print_checksum(facts, *totals);
    out->commit();
    say(facts, *totals);
    return ExitCode::kDone;
  });
}

void add_question(cli::Command app, SimilarityArguments& arguments) {
  SimilarityOptions& options = arguments.similarity;
  app.add_option("file", options.file,
                 "A database, genotypes (VCF, BCF, .bed, EIGENSTRAT), or a matrix of numbers")
      .value_name("FILE")
      .brief("A database, genotypes, or a matrix of numbers");
  cli::add_number(app, "--way", options.way, "Pairs (2, default) or triples (3)")
      .check(cli::within(2, 3))
      .value_name("N")
      .brief();
  cli::add_choice<std::optional<VectorsOf>>(
      app, "--of", options.of,
      "Compare profiles by their sites (default), sites by their profiles, or numbers: rows of a matrix "
      "(default of a "
      ".npy, of another HDF5 file, FILE:DATASET, and of lines of numbers between tabs)",
      {{"profiles", VectorsOf::kProfiles}, {"sites", VectorsOf::kSites}, {"numbers", VectorsOf::kNumbers}})
      .value_name("WHAT")
      .brief("profiles (default), sites, or numbers of a matrix");
  cli::add_choice<std::optional<engine::SimilarityMetric>>(
      app, "--metric", options.metric,
      "sorensen: of where a minor allele was seen (default); "
      "czekanowski: of minor copies, or of numbers; ccc: "
      "the custom correlation coefficient of each choice of alleles",
      {{"sorensen", engine::SimilarityMetric::kSorensen},
       {"czekanowski", engine::SimilarityMetric::kCzekanowski},
       {"ccc", engine::SimilarityMetric::kCcc}})
      .value_name("METRIC")
      .brief("sorensen (default), czekanowski or ccc");
}

void add_synthetic(cli::Command app, SimilarityArguments& arguments) {
  app.group("Vectors that are made up, in place of FILE");
  SimilarityOptions& options = arguments.similarity;
  cli::add_choice(
      app, "--synthetic", options.synthetic,
      "random genotypes, or analytic ones, whose every value is known and verified; with --of numbers "
      "the same of "
      "numbers",
      {{"random", Synthetic::kRandom}, {"analytic", Synthetic::kAnalytic}})
      .value_name("KIND");
  cli::add_choice(app, "--type", options.made_of, "Of numbers: float (default) or double",
                  {{"float", engine::RealType::kFloat}, {"double", engine::RealType::kDouble}})
      .value_name("TYPE");
  const auto add = [&](const char* flag, std::optional<std::uint32_t>& value, const char* what) {
    app.take<std::uint32_t>(
           flag, [&value](const std::uint32_t& n) { value = n; }, what)
        .check(cli::decimal())
        .check(cli::within(1u, 1u << 31))
        .value_name("N");
  };
  add("--vectors", arguments.n_vectors, "How many");
  add("--units", arguments.n_units, "How long each is");
  cli::add_number(app, "--missing", options.made.missing, "Share of calls that are missing (0)")
      .check(cli::within(0.0, 0.5))
      .value_name("SHARE");
  cli::add_number(app, "--seed", options.made.seed, "Of the random numbers (1)").value_name("N");
}

void add_values(cli::Command app, SimilarityArguments& arguments) {
  app.group("Which values (default: all)");
  SimilarityOptions& options = arguments.similarity;
  app.take<double>(
         "--threshold", [&options](const double& least) { options.threshold = least; },
         "Those of at least T (off)")
      .check(cli::decimal())
      .check(cli::within(0.0, 1.0))
      .value_name("T")
      .brief("Keep values >= T (off)");
  app.take<std::uint64_t>(
         "--best", [&arguments](const std::size_t& best) { arguments.best = best; },
         "The best K of each vector (off)")
      .check(cli::decimal())
      .check(cli::within(std::size_t{1}, std::size_t{1'000'000}))
      .value_name("K")
      .brief("Keep the best K of each vector (off)");
  app.add_flag(
      "--checksum", options.checksum,
      "Print an exact checksum of all values, the same however the work is cut. No values then unless -o "
      "names a file for them");
}

void add_output(cli::Command app, SimilarityArguments& arguments) {
  app.group("Output");
  cli::add_format(
      app, arguments.asked_format,
      "tsv (default), jsonl: an object for each value on a line; hdf5: every value, without ids; bytes: "
      "the same in 8 bits, 255 for 1; without it, a suffix of -o says which (.u8: bytes)",
      kValueFormats)
      .in_parts();
  cli::add_output_file(app, arguments.output);
  cli::add_writing(app);
  cli::add_accountability(app, arguments.account);
}

void add_campaign(cli::Command app, SimilarityArguments& arguments) {
  SimilarityOptions& options = arguments.similarity;
  arguments.sharding.add(app);
  cli::add_choice(
      app, "--split", options.split,
      "What shards and processes share: vectors (default), or elements of all vectors, which none then "
      "holds whole",
      {{"vectors", Split::kVectors}, {"elements", Split::kElements}})
      .value_name("BY");
  cli::add_number(app, "--stages", options.stage.of,
                  "Cut the campaign into N runs, each with a result of its own (1)")
      .check(cli::within(1u, 1'000'000u))
      .value_name("N");
  cli::add_number(
      app, "--stage", options.stage.index,
      "Which of them this run is; the values of all, one after the other, are those of one run (1)")
      .check(cli::within(1u, 1'000'000u))
      .value_name("I");
}

}  // namespace

void add_similarity(cli::Command app, const part::PartSet* parts) {
  const cli::Command command =
      app.add_command("similarity", "How similar are profiles, or sites? All pairs or triples of them");
  const auto arguments = std::make_shared<SimilarityArguments>();
  SimilarityOptions& options = arguments->similarity;
  arguments->sharding.parts = parts;
  add_question(command, *arguments);
  add_values(command, *arguments);
  add_synthetic(command, *arguments);
  cli::add_reading(command, arguments->reading);
  add_output(command, *arguments);
  cli::add_device(command, options.device, cli::DeviceUse::kCounts);
  add_campaign(command, *arguments);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_similarity(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid similarity people.h5 --threshold 0.9 -o alike.tsv\n"
      "  fastid similarity cohort.vcf.gz --of sites --metric ccc --best 5\n"
      "  fastid similarity cohort.bed --way 3 --metric czekanowski --format bytes -o triples.u8\n"
      "  fastid similarity cohort.bed --way 3 --stages 10 --stage 1 --format bytes -o triples.1.u8\n"
      "  fastid similarity --synthetic analytic --vectors 1000 --units 4096 --way 3 --checksum\n\n"
      "Each pair and triple is compared once, at the units that all of its members are called at.");
}

}  // namespace fastid::similarity
