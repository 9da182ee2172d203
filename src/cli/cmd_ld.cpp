// fastid ld: turn arguments into LinkageOptions and print the pairs of sites, or the sites that are kept.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/linkage.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/linkage_files.hpp"
#include "import/text_output.hpp"
#include "report/linkage.hpp"
#include "report/linkage_plot.hpp"

namespace fastid::cli {
namespace {

struct Arguments {
  LinkageOptions linkage;
  ReadingOptions reading;
  Verbosity verbosity;
  std::optional<double> min_r2, prune;
  std::string output;  ///< "": standard output, unless only files of all pairs are asked for
  LinkageFileNames files;
  Accountability account;

  bool has_list() const { return prune || !output.empty() || !files.any(); }
};

void check(const Arguments& arguments) {
  const LinkageOptions& options = arguments.linkage;
  if (options.file.empty()) throw UsageError("name a database or a file of genotypes: fastid ld FILE");
  arguments.files.check(options);
  const SiteWindow& window = options.window;
  if (!arguments.has_list() && (window.all || window.sites || window.base_pairs || arguments.min_r2))
    throw UsageError(
        "--min-r2 and windows choose pairs of the list, and none is asked for; name it with -o, or "
        "leave them out: --matrix and --plot have every pair");
}

void write_kept(const LinkageSearch& search, double most, TextOutput& out) {
  const std::vector<std::uint32_t> kept = pruned(search, most);
  out.write("#sites that fastid ld kept\n");
  for (const std::uint32_t site : kept) out.write(search.facts().sites[site].id + '\n');
  log::note("{} of {} kept", with_commas(kept.size()), counted(search.facts().sites.size(), "site"));
}

void write_pairs(const LinkageSearch& search, TextOutput& out) {
  out.write(report::linkage_head());
  const std::uint64_t n = search.run(true, [&](std::span<const SitePair> pairs) {
    out.write(report::linkage_lines(search.facts(), pairs));
  });
  log::note("{} of {}, {} compared", counted(n, "pair"), counted(search.facts().sites.size(), "site"),
            counted(search.n_pairs(), "pair"));
}

ExitCode run_ld(Arguments& arguments) {
  LinkageOptions& options = arguments.linkage;
  arguments.verbosity.apply();
  check(arguments);
  options.progress = arguments.verbosity.progress;
  if (arguments.min_r2) options.min_r2 = *arguments.min_r2;
  if (arguments.prune) options.min_r2 = *arguments.prune;
  SiteWindow& window = options.window;
  if (!window.all && !window.sites && !window.base_pairs) window.base_pairs = 1'000'000;
  std::vector<WrittenFile> written = arguments.files.written();
  written.push_back({"-o", arguments.output});
  written.push_back(audit_file(arguments.account));
  arguments.reading.open_report(std::move(written), {options.file}, {});
  options.import = arguments.reading.import;
  std::optional<TextOutput> list;
  if (arguments.has_list()) list.emplace(arguments.output);
  LinkageFiles files(arguments.files);
  if (header_if_database(options.file))
    Audit(arguments.account, {options.file}).record_action("ld", command_line());
  const LinkageSearch search(options);
  if (arguments.files.any()) files.write(search, options.file);
  if (arguments.prune)
    write_kept(search, *arguments.prune, *list);
  else if (list)
    write_pairs(search, *list);
  if (list) list->commit();
  files.commit();
  return ExitCode::kDone;
}

}  // namespace

void add_ld(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("ld", "Which sites go together? Linkage disequilibrium, unlinked panels");
  const auto arguments = std::make_shared<Arguments>();
  LinkageOptions& options = arguments->linkage;
  command->add_option("file", options.file, "A database, or genotypes (VCF, BCF, .bed, EIGENSTRAT)")
      ->type_name("FILE");
  add_number(*command, "--min-r2", arguments->min_r2, "Pairs with an r2 of at least R (0.2)")->type_name("R");
  command
      ->add_option_function<double>(
          "--prune", [arguments](const double& most) { arguments->prune = most; },
          "List the ids of sites to keep, so that no two within the window have an r2 above R")
      ->check(decimal())
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("R");
  command
      ->add_option_function<std::string>(
          "--region", [&options](const std::string& text) { options.region = parse_region(text); },
          "Only sites of this part of a chromosome: CHROM or CHROM:BEGIN-END")
      ->type_name("REGION");
  command->add_flag("--phased", options.phased, "Of haplotypes: FILE is a VCF or BCF of phased genotypes");
  command->option_defaults()->group("Window (default: 1,000,000 base pairs)");
  command
      ->add_option_function<std::uint32_t>(
          "--window", [&options](const std::uint32_t& n) { options.window.sites = n; },
          "Pairs of sites of one chromosome, at most N places apart")
      ->check(decimal())
      ->type_name("N");
  command
      ->add_option_function<std::uint64_t>(
          "--window-bp", [&options](const std::uint64_t& n) { options.window.base_pairs = n; },
          "Pairs of sites of one chromosome, at most N base pairs apart")
      ->check(decimal())
      ->type_name("N");
  command->add_flag("--all", options.window.all, "Every pair, of different chromosomes too");
  add_reading(*command, arguments->reading);
  command->option_defaults()->group("Output");
  command
      ->add_option("-o,--output", arguments->output,
                   "Write here instead of standard output; appears whole or not at all")
      ->type_name("FILE");
  command
      ->add_option(
          "--matrix", arguments->files.matrix,
          "Write r2 of every site with every site: .npy (NumPy) or .h5 (HDF5, with the sites). No list "
          "of pairs then unless -o names one")
      ->type_name("FILE");
  command
      ->add_option(
          "--plot", arguments->files.plot,
          fmt::format("Draw r2 of all pairs of a --region, of up to {} sites: .svg. No list then, either",
                      report::kMostPlotted))
      ->type_name("FILE");
  add_writing(*command);
  add_accountability(*command, arguments->account);
  command->option_defaults()->group("Device");
  command
      ->add_option("--device", options.device,
                   "Where to count: cpu (default), opencl, opencl:SELECTOR, reference")
      ->check(suggested({"cpu", "opencl", "reference"}))
      ->type_name("DEVICE");
  add_threads(*command, options.threads);
  add_verbosity(*command, arguments->verbosity);
  command->callback([arguments, &run] { run = [arguments] { return run_ld(*arguments); }; });
  command->footer(
      "Examples:\n"
      "  fastid ld cohort.h5 -o cohort.ld\n"
      "  fastid ld region.vcf.gz --all --min-r2 0\n"
      "  fastid ld cohort.h5 --region 19:45000000-45500000 --plot apoe.svg\n"
      "  fastid ld reference.bed --prune 0.1 --window-bp 5000000 -o keep.txt");
}

}  // namespace fastid::cli
