// fastid call: turn arguments into CallOptions.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "hmm/pair_hmm.hpp"
#include "import/text_output.hpp"
#include "opencl/pair_hmm.hpp"
#include "questions/call/command.hpp"
#include "questions/call/run.hpp"

namespace fastid::call {
namespace {

/// The value is true for a VCF.
const cli::Choices<bool> kCallFormats = {{"snp", false}, {"vcf", true}};

struct CallArguments {
  CallOptions call;
  asking::DeviceOptions device;
  std::optional<bool> as_vcf;  ///< not set: by the suffix of the output, else not
  bool mixture = false;
  cli::Verbosity verbosity;
};

/// \throws UsageError where an option is given that persons, or mixtures, do not use
void refuse_idle(const imports::ImportOptions& import) {
  if (import.individuals) {
    if (import.depths)
      throw UsageError("--min-reads and --min-share go with --mixture: a person has a genotype");
    return;
  }
  const imports::ReadOptions& reads = import.reads;
  const char* const idle = import.min_genotype_quality ? "--min-gq"
                           : reads.sex                 ? "--sex"
                           : !reads.prior.empty()      ? "--prior"
                                                       : "";
  if (*idle != 0) throw UsageError(fmt::format("{} goes not with --mixture, which has no genotype", idle));
}

ExitCode run_call(CallArguments& arguments) {
  arguments.verbosity.apply();
  CallOptions& options = arguments.call;
  options.import.individuals = !arguments.mixture;
  refuse_idle(options.import);
  if (arguments.device.engine.threads > 0) options.import.threads = arguments.device.engine.threads - 1;
  std::vector<std::string> read = cli::with_siblings(options.reads);
  for (const std::string& file : cli::with_index(options.import.reference)) read.push_back(file);
  read.push_back(options.panel);
  read.push_back(options.import.reads.known);
  cli::check_files({{"-o", options.output, true, cli::Content::kProfiles}}, read);
  options.vcf = arguments.as_vcf ? *arguments.as_vcf
                                 : cli::format_by_suffix(options.output, kCallFormats).value_or(false);
  options.import.reads.engine =
      opencl::make_likelihood_engine(arguments.device.device, arguments.device.engine.threads);
  call(options);
  return ExitCode::kDone;
}

/// Adds the options on how genotypes are called.
void add_genotypes(cli::Command command, CallArguments& arguments) {
  command.group("Genotypes");
  cli::add_read_options(command, arguments.call.import, "--known,--known-variants", false);
  command
      .add_option(
          "--prior", arguments.call.import.reads.prior,
          "Weigh genotypes by the frequencies of this population of the panel (default: all genotypes "
          "of a site are equally probable)")
      .value_name("NAME")
      .brief("Weigh by frequencies of this population of the panel");
  cli::add_choice(
      command, "--sex", arguments.call.import.reads.sex,
      "The person's: a man's X is called as haploid, and nothing of a woman's Y; auto (default): as X and "
      "Y show; of unknown sex, X is diploid and Y haploid",
      {{"auto", std::nullopt}, {"male", Sex::kMale}, {"female", Sex::kFemale}})
      .value_name("SEX")
      .brief("auto (default), male or female");
  command
      .add_flag("--mixture", arguments.mixture,
                "The reads are of several people: each allele counts that has its share of a site's reads")
      .brief("The reads are of several people");
  cli::add_depth_rule(command, arguments.call.import, "With --mixture the reads of either allele are counted",
                      true);
}

}  // namespace

void add_call(cli::Command app) {
  const cli::Command command = app.add_command("call", "A profile from aligned reads: BAM, CRAM, SAM");
  const auto arguments = std::make_shared<CallArguments>();
  CallOptions& options = arguments->call;
  command
      .add_option("reads", options.reads,
                  "Reads, sorted by coordinate, of one sample each (- is standard input)")
      .required()
      .value_name("READS...")
      .brief("Reads, sorted by coordinate, of one sample each");
  command
      .add_option("--panel", options.panel,
                  "Sites: a file (TSV), a panel that comes with fastid (`fastid panel list`), or a database")
      .required()
      .value_name("FILE")
      .brief("TSV, a name of `fastid panel list`, or a DB");
  command
      .add_option("--reference", options.import.reference,
                  "The genome that the reads were aligned to (FASTA with its .fai)")
      .required()
      .value_name("FILE")
      .brief("The genome (FASTA with its .fai)");
  add_genotypes(command, *arguments);
  command.group("Output");
  cli::add_output_file(command, options.output);
  cli::add_format(command, arguments->as_vcf,
                  "snp (one sample; default), vcf; without it, a suffix of -o says which", kCallFormats);
  cli::add_writing(command);
  cli::add_device(command, arguments->device, cli::DeviceUse::kLikelihoods);
  cli::add_verbosity(command, arguments->verbosity);
  command.runs([arguments] { return run_call(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid call bone.bam --panel force --reference GRCh37.fa -o bone.snp\n"
      "  fastid call bone.cram --panel people.h5 --reference GRCh38.fa -o bone.vcf\n"
      "  fastid search bone.bam people.h5 --reference GRCh38.fa\n\n"
      "A genotype is the one that makes the reads most probable (pair-HMM: docs/commands/call.md), and is "
      "no call below --min-gq. Left out are duplicates, secondary and supplementary alignments, failed "
      "reads, and all but one of a fragment's mates at a site.");
}

}  // namespace fastid::call
