// fastid pairhmm: reads and haplotypes from a file, a line of log10 likelihoods for each read.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "import/pair_cases.hpp"
#include "import/text_output.hpp"
#include "opencl/pair_hmm.hpp"
#include "questions/pairhmm/command.hpp"

namespace fastid::pairhmm {
namespace {

constexpr std::uint64_t kCells = std::uint64_t{1} << 32;  // computed at a time: a second of a CPU

struct PairHmmArguments {
  std::string file;
  asking::DeviceOptions device;
  cli::Verbosity verbosity;
  std::string output = "-";
};

/// A line for each read: its likelihoods.
std::string lines_of(const hmm::Groups& groups, const std::vector<double>& log10) {
  std::string text;
  for (std::uint32_t read = 0; read < groups.reads().end; ++read) {
    const auto of_read =
        std::span(log10).subspan(groups.pair_starts()[read], groups.haplotypes_of(read).size());
    fmt::format_to(std::back_inserter(text), "{:.6f}\n", fmt::join(of_read, "\t"));
  }
  return text;
}

ExitCode run_pairhmm(PairHmmArguments& arguments) {
  arguments.verbosity.apply();
  if (arguments.file.empty()) throw UsageError("name a file of pairs: fastid pairhmm FILE");
  cli::check_files({{.option = "-o", .path = arguments.output, .format = "txt"}}, {arguments.file});
  imports::PairCases cases(arguments.file);
  const auto engine =
      opencl::make_likelihood_engine(arguments.device.device, arguments.device.engine.threads);
  log::detail("{}", engine->description());
  imports::TextOutput out(arguments.output);
  hmm::Groups groups;
  std::uint64_t n = 0, cells = 0, rescued = 0;
  while (cases.next(groups, kCells)) {
    out.write(lines_of(groups, engine->log10_likelihoods(groups)));
    n += groups.n_pairs();
    cells += groups.cells();
    rescued += engine->rescued();
    groups.clear();
  }
  if (n == 0)
    throw InputError(display_name(arguments.file), "", "holds no pair", "see `fastid pairhmm --help`");
  out.commit();
  log::detail("{}, {}, {} of them in double", counted(n, "pair"), counted(cells, "cell"),
              with_commas(rescued));
  return ExitCode::kDone;
}

}  // namespace

void add_pairhmm(cli::Command app) {
  const cli::Command command =
      app.add_command("pairhmm", "How probable is a read, given a haplotype? The pair-HMM alone");
  const auto arguments = std::make_shared<PairHmmArguments>();
  command.add_option("file", arguments->file, "Pairs or groups of reads and haplotypes (- is standard input)")
      .value_name("FILE");
  cli::add_output_file(command, arguments->output);
  cli::add_writing(command);
  cli::add_device(command, arguments->device, cli::DeviceUse::kLikelihoods);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_pairhmm(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid pairhmm cases.txt\n"
      "  zcat cases.txt.gz | fastid pairhmm - -o likelihoods.txt\n\n"
      "A line of FILE has the columns of GATK's test cases, separated by blanks or tabs: haplotype, read, "
      "and the read's qualities of base, insertion, deletion and continuation, one letter for each base "
      "as in FASTQ; a seventh column is not read. Groups have a line of two counts, of reads and of "
      "haplotypes; then each read with its qualities in a line, then each haplotype. Lines that begin with # "
      "are comments. For each read a line is printed: log10 of its probability given each haplotype, -inf "
      "where it is 0.");
}

}  // namespace fastid::pairhmm
