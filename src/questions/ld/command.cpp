// fastid ld: turn arguments into LdOptions and print the pairs of sites, or the sites that are kept.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/lines.hpp"
#include "cli/output_format.hpp"
#include "cli/sharding.hpp"
#include "cli/team.hpp"
#include "import/text_output.hpp"
#include "ingest/ingest.hpp"
#include "questions/ld/command.hpp"
#include "questions/ld/files.hpp"
#include "questions/ld/panels.hpp"
#include "questions/ld/plot.hpp"
#include "questions/ld/print.hpp"
#include "questions/ld/run.hpp"

namespace fastid::ld {
namespace {

enum class LdFormat { kTsv, kJsonLines };

const cli::Choices<LdFormat> kLdFormats = {{"tsv", LdFormat::kTsv}, {"jsonl", LdFormat::kJsonLines}};

struct LdArguments {
  cli::Sharding sharding;
  LdOptions ld;
  cli::ReadingOptions reading;
  cli::Verbosity verbosity;
  std::optional<double> min_r2, prune, blocks;
  std::optional<PruneBy> by;
  std::optional<LdFormat> format;  ///< not set: by the suffix of the output, else tsv
  std::string output;              ///< "": standard output, unless only files of all pairs are asked for
  LdFileNames files;
  cli::Accountability account;

  bool has_list() const { return prune || blocks || !output.empty() || !files.any(); }
  /// Whether the work may be shared: then only pairs are listed.
  bool only_pairs() const { return !prune && !blocks && !files.any(); }
};

void check(const LdArguments& arguments) {
  const LdOptions& options = arguments.ld;
  if (options.file.empty()) throw UsageError("name a database or a file of genotypes: fastid ld FILE");
  arguments.files.check(options);
  const bool is_shared =
      arguments.sharding.shard || arguments.sharding.parts != nullptr || cli::team() != nullptr;
  if (is_shared && !arguments.only_pairs())
    throw UsageError(
        "what is shared among machines is the list of pairs; leave --prune, --blocks, --matrix and --plot to "
        "one");
  if (arguments.format == LdFormat::kJsonLines && (arguments.prune || arguments.blocks))
    throw UsageError(
        "--format jsonl: is for pairs; --prune and --blocks make lists that other commands read");
  const LdWindow& window = options.window;
  if (!arguments.has_list() && (window.all || window.sites || window.base_pairs || arguments.min_r2))
    throw UsageError(
        "--min-r2 and windows choose pairs of the list, and none is asked for; name it with -o, or "
        "leave them out: --matrix and --plot have every pair");
  if (arguments.prune && arguments.blocks)
    throw UsageError("--prune and --blocks make a list each; ask for one after the other");
  if (arguments.by && !arguments.prune)
    throw UsageError("--by says which of two linked sites --prune keeps; give --prune too");
  if (arguments.blocks && window.all)
    throw UsageError("--blocks: lie on one chromosome; give a window, or leave --all out");
  if ((arguments.prune || arguments.blocks) && arguments.min_r2)
    throw UsageError(
        "--min-r2 chooses the pairs that are listed; --prune and --blocks have an r2 of their own");
}

std::string window_text(const LdWindow& window) {
  std::string text;
  if (window.sites) text = counted(*window.sites, "place");
  if (window.base_pairs) text += (text.empty() ? "" : " and ") + counted(*window.base_pairs, "base pair");
  return text;
}

void write_kept(const LdSearch& search, double most, PruneBy by, const LdWindow& window,
                imports::TextOutput& out) {
  const std::vector<std::uint32_t> kept = pruned(search, most, by);
  out.write(fmt::format("{}{}: sites that fastid ld kept; no two{} have a higher one\n", ingest::kPrunedMark,
                        most, window.all ? "" : fmt::format(" at most {} apart", window_text(window))));
  for (const std::uint32_t site : kept) out.write(search.facts().sites[site].id + '\n');
  log::note("{} of {} kept", with_commas(kept.size()), counted(search.facts().sites.size(), "site"));
}

void write_blocks(const LdSearch& search, double least, const LdWindow& window, imports::TextOutput& out) {
  const SiteFacts& facts = search.facts();
  const std::vector<SiteBlock> blocks = linkage_blocks(search, least);
  std::uint64_t linked = 0;
  for (const auto& [first, last] : blocks) linked += last - first + 1;
  out.write(linkage_blocks(
      facts, blocks,
      fmt::format("blocks by r2 of {} of at least {:g}, at most {} apart, of {}: {}", facts.what(), least,
                  window_text(window), counted(facts.n_units, facts.unit_name()),
                  counted(facts.sites.size(), "site"))));
  log::note("{} of {} linked sites; {} weigh as {}", counted(blocks.size(), "block"), with_commas(linked),
            counted(facts.sites.size(), "site"), with_commas(facts.sites.size() - linked + blocks.size()));
}

/// Writes the pairs, where this process has them. \param out  null: it has not
ExitCode write_pairs(const LdSearch& search, asking::Work& work, const LdArguments& arguments,
                     imports::TextOutput* out) {
  const bool json = arguments.format == LdFormat::kJsonLines;
  const std::size_t threads = arguments.ld.device.engine.threads;
  if (out != nullptr && !json) out->begin_with(fastid::ld::ld_head());
  const auto n = search.find_share(work, [&](std::span<const SitePair> pairs) {
    cli::write_lines(*out, pairs, threads, [&](std::span<const SitePair> some) {
      return json ? fastid::ld::ld_json_lines(search.facts(), some)
                  : fastid::ld::ld_lines(search.facts(), some);
    });
  });
  if (!n) return ExitCode::kDone;
  log::note("{} of {}, {} compared", counted(*n, "pair"), counted(search.facts().sites.size(), "site"),
            counted(search.n_pairs(), "pair"));
  out->commit();
  return ExitCode::kDone;
}

/// The lists and files that are asked for.
ExitCode write_results(const LdArguments& arguments, const LdSearch& search, asking::Work& work,
                       imports::TextOutput* list) {
  if (arguments.only_pairs()) return write_pairs(search, work, arguments, list);
  LdFiles files(arguments.files);
  if (arguments.files.any()) files.write(search, arguments.ld.file);
  if (arguments.prune)
    write_kept(search, *arguments.prune, arguments.by.value_or(PruneBy::kFrequency), arguments.ld.window,
               *list);
  else if (arguments.blocks)
    write_blocks(search, *arguments.blocks, arguments.ld.window, *list);
  else if (list != nullptr)
    write_pairs(search, work, arguments, list);
  if (list != nullptr && (arguments.prune || arguments.blocks)) list->commit();
  files.commit();
  return ExitCode::kDone;
}

/// No file that is written is one that is read. \throws UsageError
void open_files(LdArguments& arguments) {
  std::vector<cli::WrittenFile> written = arguments.files.written();
  written.push_back(arguments.sharding.written({"-o", arguments.output}));
  written.push_back(cli::audit_file(arguments.account));
  arguments.reading.open_report(std::move(written), arguments.sharding.with_parts({arguments.ld.file}), {});
  if (arguments.sharding.parts == nullptr) arguments.reading.refuse_idle({arguments.ld.file});
}

/// By the suffix, where --format is not given. \throws UsageError where what is listed has no such format
void choose_format(LdArguments& arguments) {
  if (arguments.prune || arguments.blocks) return cli::check_suffix("-o", arguments.output, "tsv");
  if (!arguments.format) arguments.format = cli::format_by_suffix(arguments.output, kLdFormats);
}

void set_usual(LdArguments& arguments) {
  LdOptions& options = arguments.ld;
  options.progress = cli::team() != nullptr ? ProgressMode::kNever : arguments.verbosity.progress;
  cli::make_own(options.device);
  options.every_pair = arguments.files.any();
  if (arguments.min_r2) options.min_r2 = *arguments.min_r2;
  if (arguments.prune) options.min_r2 = *arguments.prune;
  if (arguments.blocks) options.min_r2 = *arguments.blocks;
  LdWindow& window = options.window;
  if (!window.all && !window.sites && !window.base_pairs) window.base_pairs = 1'000'000;
}

ExitCode run_ld(LdArguments& arguments) {
  LdOptions& options = arguments.ld;
  arguments.verbosity.apply();
  check(arguments);
  set_usual(arguments);
  if (!cli::follows()) open_files(arguments);
  cli::begin_together(arguments.sharding.shard.has_value());
  options.import = arguments.reading.import;
  const bool prints = arguments.sharding.prints();
  if (prints) choose_format(arguments);
  return arguments.sharding.do_share(arguments.output, {options.file}, [&](asking::Work& work) {
    std::optional<imports::TextOutput> list;
    if (prints && arguments.has_list()) list.emplace(arguments.output);
    if (!cli::follows() && cli::header_if_database(options.file))
      cli::Audit(arguments.account, {options.file})
          .record_action(arguments.sharding.action(), cli::command_line());
    const LdSearch search(options);
    return write_results(arguments, search, work, list ? &*list : nullptr);
  });
}

cli::Option add_r2(cli::Command app, const std::string& flag, std::optional<double>& r2,
                   const std::string& what) {
  return app
      .take<double>(
          flag, [&r2](const double& value) { r2 = value; }, what)
      .check(cli::decimal())
      .check(cli::within(0.0, 1.0))
      .value_name("R");
}

/// What is listed.
void add_lists(cli::Command command, LdArguments& arguments) {
  LdOptions& options = arguments.ld;
  cli::add_number(command, "--min-r2", arguments.min_r2, "Pairs with an r2 of at least R (0.2)")
      .value_name("R")
      .brief();
  add_r2(command, "--prune", arguments.prune,
         "List the ids of sites to keep, so that no two within the window have an r2 above R")
      .brief("List sites to keep: no two have an r2 above R");
  cli::add_choice<std::optional<PruneBy>>(
      command, "--by", arguments.by,
      "Of two linked sites --prune keeps that with the higher minor-allele frequency (maf, default), or that "
      "which adds more to the evidence of an identity, in the panel's population in which that is least "
      "(power)",
      {{"maf", PruneBy::kFrequency}, {"power", PruneBy::kPower}})
      .value_name("WHAT");
  add_r2(command, "--blocks", arguments.blocks,
         "List blocks of sites instead, for --blocks of search, mixture and kin: neighbours are in one block "
         "where any two sites around them have an r2 of at least R within the window")
      .brief("List blocks of sites, for --blocks of search and kin");
  command
      .take<std::string>(
          "--region", [&options](const std::string& text) { options.region = parse_region(text); },
          "Only sites of this part of a chromosome: CHROM or CHROM:BEGIN-END")
      .value_name("REGION")
      .brief("Only sites of CHROM or CHROM:BEGIN-END");
  command.add_flag("--phased", options.phased, "Of haplotypes: FILE is a VCF or BCF of phased genotypes");
}

void add_window(cli::Command command, LdWindow& window) {
  command.group("Window (default: 1,000,000 base pairs)");
  command
      .take<std::uint32_t>(
          "--window", [&window](const std::uint32_t& n) { window.sites = n; },
          "Pairs of sites of one chromosome, at most N places apart (off)")
      .check(cli::decimal())
      .value_name("N");
  command
      .take<std::uint64_t>(
          "--window-bp", [&window](const std::uint64_t& n) { window.base_pairs = n; },
          "Pairs of sites of one chromosome, at most N base pairs apart (1000000; off with --window alone)")
      .check(cli::decimal())
      .value_name("N")
      .brief("At most N base pairs apart (1000000)");
  command.add_flag("--all", window.all, "Every pair, of different chromosomes too").brief();
}

void add_outputs(cli::Command command, LdArguments& arguments) {
  command.group("Output");
  cli::add_format(
      command, arguments.format,
      "tsv (default), jsonl: an object for each pair on a line; without it, a suffix of -o says which",
      kLdFormats);
  cli::add_output_file(command, arguments.output);
  command
      .add_option(
          "--matrix", arguments.files.matrix,
          "Write r2 of every site with every site: .npy (NumPy) or .h5 (HDF5, with the sites). No list "
          "of pairs then unless -o names one")
      .value_name("FILE")
      .brief("Write r2 of all pairs: .npy or .h5");
  command
      .add_option(
          "--plot", arguments.files.plot,
          fmt::format("Draw r2 of all pairs of a --region, of up to {} sites: .svg. No list then, either",
                      fastid::ld::kMostPlotted))
      .value_name("FILE")
      .brief("Draw r2 of all pairs of a --region: .svg");
}

}  // namespace

void add_ld(cli::Command app, const part::PartSet* parts) {
  const cli::Command command =
      app.add_command("ld", "Which sites go together? Linkage disequilibrium, unlinked panels");
  const auto arguments = std::make_shared<LdArguments>();
  arguments->sharding.parts = parts;
  LdOptions& options = arguments->ld;
  command.add_option("file", options.file, "A database, or genotypes (VCF, BCF, .bed, EIGENSTRAT)")
      .value_name("FILE");
  add_lists(command, *arguments);
  add_window(command, options.window);
  cli::add_reading(command, arguments->reading);
  add_outputs(command, *arguments);
  cli::add_writing(command);
  cli::add_accountability(command, arguments->account);
  cli::add_device(command, options.device, cli::DeviceUse::kCountsSites);
  arguments->sharding.add(command);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_ld(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid ld cohort.h5 -o cohort.ld\n"
      "  fastid ld region.vcf.gz --all --min-r2 0\n"
      "  fastid ld cohort.h5 --region 19:45000000-45500000 --plot apoe.svg\n"
      "  fastid ld reference.bed --prune 0.1 --window-bp 5000000 -o keep.txt\n"
      "  fastid ld reference.bed --blocks 0.1 -o blocks.tsv\n"
      "  fastid search scene.snp people.h5 --blocks blocks.tsv");
}

}  // namespace fastid::ld
