// fastid db build and db convert: turn arguments into BuildOptions and print a line about the database.
#include <memory>
#include <string>

#include "bank/commands.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "ingest/ingest.hpp"

namespace fastid::bank {
namespace {

struct BuildArguments {
  ingest::BuildOptions options;
  std::string source;  ///< of db convert
  cli::ReadingOptions reading;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

/// \param others  files that are read too, "": none
ingest::BuildOptions& prepare(BuildArguments& arguments, const std::vector<std::string>& others) {
  arguments.verbosity.apply();
  ingest::BuildOptions& options = arguments.options;
  options.command = cli::command_line();
  options.progress = arguments.verbosity.progress;
  arguments.reading.open_report(
      {{"-o", options.output, false, cli::Content::kDatabase, "hdf5"}, cli::audit_file(arguments.account)},
      options.inputs, others);
  arguments.reading.refuse_idle(options.inputs);
  options.import = arguments.reading.import;
  options.import.individuals = options.kind == db::Kind::kIndividuals;
  return options;
}

ExitCode say_what(const ingest::BuildSummary& built, const ingest::BuildOptions& options) {
  log::note("{}: {} of {}", options.output, counted(built.profiles, "profile"), counted(built.sites, "site"));
  return ExitCode::kDone;
}

ExitCode run_build(BuildArguments& arguments) {
  ingest::BuildOptions& options = prepare(
      arguments,
      {arguments.options.panel.value_or(""), arguments.options.sites, arguments.options.sample_sheet});
  const cli::Audit audit(arguments.account, {}, options.output);
  options.audit = audit.record_action("build", options.command);
  return say_what(ingest::build_database(options), options);
}

ExitCode run_convert(BuildArguments& arguments) {
  ingest::BuildOptions& options = prepare(arguments, {arguments.source});
  const cli::Audit audit(arguments.account, {arguments.source}, options.output);
  options.audit = audit.record_action("convert", options.command);
  return say_what(ingest::convert_database(arguments.source, options), options);
}

void add_output(cli::Command app, ingest::BuildOptions& options) {
  app.add_option("-o,--output", options.output, "The database to write; it appears whole or not at all")
      .required()
      .value_name("DB")
      .brief("The database to write");
}

void add_inputs(cli::Command app, BuildArguments& arguments, const char* what) {
  ingest::BuildOptions& options = arguments.options;
  app.add_option("INPUT", options.inputs, what).required().value_name("INPUT...");
  cli::add_choice(
      app, "--duplicates", options.duplicates,
      "Where two inputs have one id: refuse (default), rename the later one (ID.2), merge both into one "
      "person, or replace the earlier one",
      {{"refuse", ingest::DuplicateRule::kRefuse},
       {"rename", ingest::DuplicateRule::kRename},
       {"merge", ingest::DuplicateRule::kMerge},
       {"replace", ingest::DuplicateRule::kReplace}})
      .value_name("RULE")
      .brief("Of two of one id: refuse, rename, merge or replace");
  app.add_flag("--resume", options.resume,
               "Keep what was read in DB.resume until the build is done; the same command goes on from there")
      .brief("A build that was cut off goes on from there");
  cli::add_threads(app, options.threads, "Inputs that are read side by side");
  cli::add_writing(app);
  cli::add_accountability(app, arguments.account);
  cli::add_reading(app, arguments.reading);
  cli::add_verbosity(app, arguments.verbosity);
}

}  // namespace

void add_build(cli::Command db) {
  const cli::Command app = db.add_command("build", "Build a database from genotype files");
  const auto arguments = std::make_shared<BuildArguments>();
  ingest::BuildOptions& options = arguments->options;
  add_output(app, options);
  app.add_option(
         "--panel", options.panel,
         "Sites, alleles and frequencies: a file (TSV), or a panel that comes with fastid (`fastid panel "
         "list`; NAME:GRCh38 has that build's positions); else taken from the first input")
      .value_name("PANEL")
      .brief("TSV, or a name of `fastid panel list`; else as INPUT");
  app.add_option(
         "--sites", options.sites,
         "Only the sites of the panel whose ids FILE lists, one a line, as fastid ld --prune writes them")
      .value_name("FILE");
  app.take<std::string>(
         "--build",
         [&options](const std::string& text) {
           options.build = parse_build(text);
           if (options.build == GenomeBuild::kUnknown)
             cli::refuse_value(
                 "--build", printable(text) + " is no build: NCBI36, GRCh37, GRCh38 (or hg18, hg19, hg38)");
         },
         "The genome build of the panel's positions, where neither it nor the first input states one: "
         "NCBI36, "
         "GRCh37, GRCh38 (default: as its sites' positions show, else unknown)")
      .value_name("BUILD")
      .brief("NCBI36, GRCh37 or GRCh38 (default: as sites show)");
  cli::add_choice(app, "--kind", options.kind, "What the profiles are: individuals (default), mixtures",
                  {{"individuals", db::Kind::kIndividuals}, {"mixtures", db::Kind::kMixtures}})
      .value_name("KIND")
      .brief("individuals (default) or mixtures");
  cli::add_encoding(app, arguments->reading.import.encoding);
  app.add_option("--sample-sheet", options.sample_sheet,
                 "Tags of the profiles: a table of ids and tags (see db tag)")
      .value_name("FILE")
      .brief("Tags of the profiles: a table of ids and tags");
  add_inputs(app, *arguments,
             "VCF, BCF, gVCF, PLINK .bed, EIGENSTRAT .geno, .snp, texts of 23andMe, AncestryDNA, FTDNA and "
             "others; plain or in gzip, xz or zstd");
  app.footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db build -o people.h5 --panel panel.tsv persons/*.snp\n"
      "  fastid db build -o stains.h5 --panel panel.tsv --kind mixtures stains/*.snp");
  app.runs([arguments] { return run_build(*arguments); });
}

void add_convert(cli::Command db) {
  const cli::Command app = db.add_command("convert", "Build a minor-allele database anew, with alleles seen");
  const auto arguments = std::make_shared<BuildArguments>();
  app.add_option("SOURCE", arguments->source, "A database of encoding minor; it stays as it is")
      .required()
      .value_name("SOURCE");
  add_output(app, arguments->options);
  add_inputs(app, *arguments, "The files that it was built from, those of appends too, in that order");
  app.footer(
      "Examples:\n"
      "  fastid db convert old.h5 -o people.h5 cohort.vcf.gz\n"
      "  fastid db convert old.h5 -o people.h5 cohort.vcf.gz later/*.snp\n\n"
      "The new database has the panel, kind, profiles and order of the old one, and says of minor alleles "
      "and "
      "calls what that says; where the inputs say something else it is not written. How files are read must "
      "be "
      "said as it was then: `fastid db info --format json` shows the commands.");
  app.runs([arguments] { return run_convert(*arguments); });
}

}  // namespace fastid::bank
