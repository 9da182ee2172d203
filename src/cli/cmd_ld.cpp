// fastid ld: turn arguments into LinkageOptions and print the pairs of sites, or the sites that are kept.
#include <memory>
#include <string>
#include <vector>

#include "analysis/linkage.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "report/linkage.hpp"

namespace fastid::cli {
namespace {

struct Arguments {
  LinkageOptions linkage;
  ReadingOptions reading;
  Verbosity verbosity;
  std::optional<double> prune;
  std::string output = "-";
  Accountability account;
};

ExitCode run_ld(Arguments& arguments) {
  LinkageOptions& options = arguments.linkage;
  arguments.verbosity.apply();
  if (options.file.empty()) throw UsageError("name a database or a file of genotypes: fastid ld FILE");
  options.progress = arguments.verbosity.progress;
  if (arguments.prune) options.min_r2 = *arguments.prune;
  SiteWindow& window = options.window;
  if (!window.all && !window.sites && !window.base_pairs) window.base_pairs = 1'000'000;
  arguments.reading.open_report({{"-o", arguments.output}, audit_file(arguments.account)}, {options.file},
                                {});
  options.import = arguments.reading.import;
  OutputFile out(arguments.output);
  if (header_if_database(options.file))
    Audit(arguments.account, {options.file}).record_action("ld", command_line());
  const LinkageSearch search(options);
  if (arguments.prune) {
    const std::vector<std::uint32_t> kept = pruned(search, *arguments.prune);
    out.write("#sites that fastid ld kept\n");
    for (const std::uint32_t site : kept) out.write(search.facts().sites[site].id + '\n');
    out.commit();
    log::note("{} of {} kept", with_commas(kept.size()), counted(search.facts().sites.size(), "site"));
    return ExitCode::kDone;
  }
  out.write(report::linkage_head());
  const std::uint64_t n = search.run(true, [&](std::span<const SitePair> pairs) {
    out.write(report::linkage_lines(search.facts(), pairs));
  });
  out.commit();
  log::note("{} of {}, {} compared", counted(n, "pair"), counted(search.facts().sites.size(), "site"),
            counted(search.n_pairs(), "pair"));
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
  add_number(*command, "--min-r2", options.min_r2, "Pairs with an r2 of at least R (0.2)")->type_name("R");
  command
      ->add_option_function<double>(
          "--prune", [arguments](const double& most) { arguments->prune = most; },
          "List the ids of sites to keep, so that no two within the window have an r2 above R")
      ->check(decimal())
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("R");
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
      "  fastid ld reference.bed --prune 0.1 --window-bp 5000000 -o keep.txt");
}

}  // namespace fastid::cli
