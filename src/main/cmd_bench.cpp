// fastid bench: measures the best rates of this machine, and how near searches come to them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

#include "asking/engines.hpp"
#include "asking/queries.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/output_format.hpp"
#include "db/database.hpp"
#include "main/bench_arguments.hpp"
#include "main/commands.hpp"
#include "panel/panel.hpp"

namespace fastid::cli {
namespace {

using bench::Depth;
using bench::Masks;
using bench::Point;

std::vector<Point> points_of(const Grid& grid, const Point& usual) {
  std::vector<Point> points;
  for (const std::uint32_t sites : or_else(grid.sites, usual.sites))
    for (const std::uint64_t profiles : or_else(grid.profiles, usual.profiles))
      for (const bench::Task& task : or_else(grid.tasks, bench::kTasks.front()))
        for (const Masks masks : or_else(grid.masks, usual.masks))
          for (const bool from_file : or_else(grid.from_file, usual.from_file))
            for (const std::uint64_t queries : or_else(grid.queries, usual.queries))
              points.push_back(
                  {task.comparison, masks, queries, profiles, sites, from_file, grid.max_count, task.by});
  return points;
}

void choose_points(BenchArguments& arguments) {
  bench::Options& options = arguments.bench;
  const bool of_a_file = !options.database.empty();
  if (of_a_file || arguments.grid.asked()) {
    options.points = points_of(arguments.grid, {.from_file = of_a_file});
    return;
  }
  options.points = bench::usual_points(arguments.depth);
  const char* launcher = std::getenv("FASTID_LAUNCHER");  // what a user starts (packaging/launcher)
  options.program = launcher != nullptr ? launcher : program_file();
}

/// Runs the measurements. Their line of progress is cleared before they are returned.
bench::Report measured(const bench::Options& options, ProgressMode mode) {
  Progress progress(mode, "measuring", "points", options.points.size() * options.devices.size());
  return bench::run(options, asking::make_engine, [&progress](const bench::Result&) { progress.add(1); });
}

ExitCode run_bench(BenchArguments& arguments) {
  arguments.verbosity.apply();
  bench::Options& options = arguments.bench;
  choose_points(arguments);
  options.engine = arguments.device.engine;
  options.devices.clear();
  for (const std::string_view device : split(arguments.device.device, ','))
    options.devices.emplace_back(device);
  std::vector<std::string> read = with_siblings(arguments.queries);
  read.push_back(options.database);
  read.push_back(options.engine.config_file);
  check_files({{"-o", arguments.output}, audit_file(arguments.account)}, read);
  if (!arguments.format) arguments.format = format_by_suffix(arguments.output, kBenchFormats);
  if (arguments.kernel && !arguments.epistasis && !arguments.linkage)
    throw UsageError("--kernel: is for --ld and --epistasis; leave it out, or give one of them too");
  if (!arguments.ways.empty() && !arguments.epistasis && !arguments.similarity)
    throw UsageError("--way: is for --similarity and --epistasis; leave it out, or give one of them too");
  if (arguments.format == BenchFormat::kHtml && !arguments.roofline)
    throw UsageError("--format html: is for --roofline; take table, tsv or json, or give that too");
  if (arguments.pair_hmm) return run_hmm_bench(arguments);
  bench::refuse_auto(options.devices);
  if (arguments.linkage) return run_ld_bench(arguments);
  if (arguments.epistasis) return run_epistasis_bench(arguments);
  if (arguments.pairs) return run_pairs_bench(arguments);
  if (arguments.similarity) return run_similarity_bench(arguments);
  if (arguments.rows) return run_rows_bench(arguments);
  if (arguments.roofline) return run_roofline_bench(arguments);
  const Audit audit(arguments.account, {options.database});
  if (!arguments.queries.empty())
    options.queries = asking::read_queries(arguments.queries, db::Reader(options.database).panel(), {}).rows;
  imports::TextOutput out(arguments.output);
  if (!options.database.empty()) audit.record_action("bench", command_line());
  const bench::Report report = measured(options, arguments.verbosity.progress);
  return write(arguments, report, out);
}

/// Parses "a,b,c", where each is one of a few words.
template <class T>
Option add_words(Command app, const std::string& flag, std::vector<T>& values, const std::string& what,
                 const Choices<T>& choices) {
  return app
      .take<std::vector<std::string>>(
          flag,
          [&values, choices](const std::vector<std::string>& words) {
            for (const std::string& word : words) values.push_back(choice_of(word, choices));
          },
          what)
      .list()
      .check(one_of(words_of(choices)))
      .value_name("LIST");
}

void add_grid(Command app, BenchArguments& arguments) {
  constexpr std::uint64_t kMostQueries = 1'000'000;
  Grid& grid = arguments.grid;
  app.group("What to measure (lists, separated by commas: every combination)");
  Choices<bench::Task> tasks;
  for (const bench::Task& task : bench::kTasks) tasks.emplace_back(task.name, task);
  add_words<bench::Task>(app, "--task", grid.tasks,
                         "search, mixture, reverse (mixtures in the database), alleles (a search by both "
                         "alleles), kin",
                         tasks)
      .brief("search, mixture, reverse, alleles, kin");
  add_words<Masks>(app, "--masks", grid.masks, "Where calls are missing: none, query, database, both",
                   {{"none", Masks::kNone},
                    {"query", Masks::kQuery},
                    {"database", Masks::kStored},
                    {"both", Masks::kBoth}});
  const Option queries = add_number(app, "--queries", grid.queries, "How many queries (32)")
                             .list()
                             .check(within(std::uint64_t{1}, kMostQueries))
                             .value_name("LIST")
                             .brief();
  const Option profiles = add_number(app, "--profiles", grid.profiles, "How many profiles (1000000)")
                              .list()
                              .check(within(std::uint64_t{1}, UINT64_MAX >> 16))
                              .value_name("LIST")
                              .brief();
  const Option sites = add_number(app, "--sites", grid.sites, "How many sites (1024)")
                           .list()
                           .check(within(std::uint32_t{1}, static_cast<std::uint32_t>(kMostSites)))
                           .value_name("LIST")
                           .brief();
  app.take<std::uint32_t>(
         "--max-mismatches", [&grid](const std::uint32_t& most) { grid.max_count = most; },
         "Search with this limit, which lets comparing stop early (off)")
      .check(decimal())
      .value_name("N");
  add_words<bool>(app, "--from", grid.from_file, "Where the profiles are: memory, file (with --db: file)",
                  {{"memory", false}, {"file", true}});
  const Option database = app.add_option("--db", arguments.bench.database, "Search this database")
                              .excludes(profiles)
                              .excludes(sites)
                              .value_name("DB");
  app.add_option("--query", arguments.queries, "Search with the samples of this file; may be given again")
      .needs(database)
      .excludes(queries)
      .value_name("FILE");
  const Option quick = app.add_flag(
                              "--quick", [&arguments] { arguments.depth = Depth::kQuick; },
                              "Fewer and smaller points: some seconds")
                           .brief();
  app.add_flag(
         "--full", [&arguments] { arguments.depth = Depth::kFull; },
         "Also a file of 20,000,000 profiles (2.6 GB, removed afterwards)")
      .excludes(quick);
  app.add_flag("--pairhmm", arguments.pair_hmm,
               "The pair-HMM instead of searches: cells a second, end to end, and on a CPU the share of what "
               "its instructions could reach")
      .brief("The pair-HMM instead");
  app.add_flag("--ld", arguments.linkage,
               "All pairs of sites instead (--sites, --profiles, --masks none or both): bits a second, r2 "
               "computed and filtered, and on a CPU the share of what its instructions could reach")
      .brief("All pairs of sites instead");
  app.add_flag(
         "--epistasis", arguments.epistasis,
         "The search for triples of sites, or pairs (--way), instead: triples times people (--sites, "
         "--profiles, --masks none or both) a second, and on a CPU the share of what its instructions could "
         "reach")
      .brief("Triples of sites instead");
  app.add_flag("--pairs", arguments.pairs,
               "All pairs of people along the map instead (--profiles, --sites): pairs a second");
  app.add_flag(
         "--rows", arguments.rows,
         "Answers with many rows instead (pairs, ld, search, mixture; of --profiles, --sites, --queries "
         "people and as many mixtures): rows a second, the processor's time, and the share of each stage "
         "of it")
      .brief("Answers with many rows instead: the share of each stage");
  app.add_flag(
         "--roofline", arguments.roofline,
         "What bounds kernels instead: rates of each level of memory and of instructions, and where each "
         "question's kernel lies below them; the same by the number of threads, or of work-groups")
      .brief("What bounds each question's kernel instead");
  const Option similarity = app.add_flag(
      "--similarity", arguments.similarity,
      "The proportional similarity and CCC of all pairs and triples of vectors instead (--profiles, of "
      "--sites elements): "
      "elements compared a second, and on a CPU the share of what its instructions could reach");
  using enum bench::SimilarityOf;
  add_words<bench::SimilarityOf>(app, "--elements", arguments.elements,
                                 "Of --similarity: bits, ccc, float, double (all of them)",
                                 {{"bits", kBits}, {"ccc", kCcc}, {"float", kFloat}, {"double", kDouble}});
  app.option("--elements").needs(similarity);
  add_words<std::uint32_t>(app, "--way", arguments.ways,
                           "Of --similarity (both) and --epistasis (3): 2 for pairs, 3 for triples",
                           {{"2", 2U}, {"3", 3U}});
}

/// Refuses options that do not go together: only one measurement may replace the searches, and a roofline has
/// its own problems.
void refuse_together(Command app) {
  constexpr std::array kInstead = {"--pairhmm", "--ld", "--epistasis", "--pairs", "--rows", "--similarity"};
  for (std::size_t i = 0; i < kInstead.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) app.option(kInstead[i]).excludes(app.option(kInstead[j]));
  const Option roofline = app.option("--roofline");
  for (const char* const name : kInstead) roofline.excludes(app.option(name));
  for (const char* const name : {"--task", "--masks", "--queries", "--profiles", "--sites",
                                 "--max-mismatches", "--from", "--db", "--query", "--full"})
    roofline.excludes(app.option(name));
}

void add_how(Command app, BenchArguments& arguments) {
  bench::Options& options = arguments.bench;
  app.group("How");
  add_number(app, "--repeats", options.repeats, "Of each point; the median counts (11)")
      .check(within(1, 100000))
      .value_name("N");
  add_choice<std::optional<opencl::BitProducts>>(
      app, "--kernel", arguments.kernel,
      "Of --ld and --epistasis on an OpenCL device: best (default); popcount, also where it multiplies "
      "matrices of bits",
      {{"best", opencl::BitProducts::kBest}, {"popcount", opencl::BitProducts::kPopcounts}})
      .value_name("KERNEL");
  add_number(app, "--seed", options.seed, "Of the simulated people (1)").value_name("S");
  app.add_option("--scratch", options.scratch, "Folder for simulated databases ($TMPDIR, else /tmp)")
      .value_name("DIR");
}

void add_output(Command app, BenchArguments& arguments) {
  app.group("Output");
  add_format(app, arguments.format,
             "table (default on a terminal), tsv (default elsewhere), json, html (of --roofline); without "
             "it, a suffix "
             "of -o says which",
             kBenchFormats);
  add_output_file(app, arguments.output);
  add_accountability(app, arguments.account);
  add_writing(app);
}

}  // namespace

void add_bench(Command app) {
  const Command command = app.add_command("bench", "Measure this machine and how near searches come to it");
  const auto arguments = std::make_shared<BenchArguments>();
  add_grid(command, *arguments);
  refuse_together(command);
  add_how(command, *arguments);
  add_device(command, arguments->device);
  command.option("--device")
      .help("Where to compare: cpu, cpu:TARGET, reference, opencl, opencl:SELECTOR, opencl:all")
      .brief("cpu, cpu:TARGET, opencl, opencl:SELECTOR, opencl:all")
      .variable("")  // what is measured is said, not what is usual
      .value_name("LIST");
  add_output(command, *arguments);
  add_verbosity(command, arguments->verbosity);
  command.footer(
      "Examples:\n"
      "  fastid bench --quick\n"
      "  fastid bench --queries 1,32,256 --profiles 1000000,4000000 -o rates.tsv\n"
      "  fastid bench --db people.h5 --queries 32 --device cpu,opencl\n"
      "  fastid bench --pairhmm --device cpu,opencl\n"
      "  fastid bench --ld --device cpu,opencl\n"
      "  fastid bench --epistasis\n"
      "  fastid bench --pairs --device cpu,opencl --repeats 3\n"
      "  fastid bench --similarity --elements float --way 2,3\n"
      "  fastid bench --rows --profiles 2504 --sites 7417\n"
      "  fastid bench --roofline --device cpu,opencl -o machine.html\n\n"
      "A rate counts comparisons of one bit of a query with one bit of a profile. The bound\n"
      "is the longest of comparing, reading memory, reading the file, and uploading, each\n"
      "measured beside every repeat. That of comparing is what counting bit by bit could reach;\n"
      "lookups and matrix products can pass it. --device takes several, separated by commas\n"
      "(default: cpu), of which cpu:TARGET is one instruction set of `fastid --version`; it\n"
      "takes no auto, whose device depends on the search.");
  command.runs([arguments] { return run_bench(*arguments); });
}

}  // namespace fastid::cli
