// fastid db: build and export; the other commands are in their own files.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "db/database.hpp"
#include "ingest/ingest.hpp"
#include "simulate/simulate.hpp"

namespace fastid::cli {
namespace {

template <class T>
struct Parsed {
  T options;
  Verbosity verbosity;
};
struct ParsedBuild : Parsed<BuildOptions> {
  ReadingOptions reading;
};

ExitCode run_build(ParsedBuild& parsed) {
  parsed.verbosity.apply();
  BuildOptions& options = parsed.options;
  options.command = command_line();
  options.progress = parsed.verbosity.progress;
  parsed.reading.open_report({{"-o", options.output, false}}, options.inputs, {options.panel.value_or("")});
  options.import = parsed.reading.import;
  options.import.individuals = options.kind == db::Kind::kIndividuals;
  const BuildSummary summary = build_database(options);
  log::note("{}: {} of {}", options.output, counted(summary.profiles, "profile"),
            counted(summary.sites, "site"));
  return ExitCode::kDone;
}

void add_build(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("build", "Build a database from genotype files");
  const auto parsed = std::make_shared<ParsedBuild>();
  BuildOptions& options = parsed->options;
  app->add_option("-o,--output", options.output, "The database to write; it appears whole or not at all")
      ->required()
      ->type_name("DB");
  app->add_option("--panel", options.panel,
                  "Sites, alleles and frequencies (TSV); else taken from the first input")
      ->type_name("FILE");
  add_choice(*app, "--kind", options.kind, "What the profiles are: individuals (default), mixtures",
             {{"individuals", db::Kind::kIndividuals}, {"mixtures", db::Kind::kMixtures}})
      ->type_name("KIND");
  add_encoding(*app, parsed->reading.import.encoding);
  app->add_option(
         "INPUT", options.inputs,
         "VCF, BCF, gVCF, PLINK .bed, EIGENSTRAT .geno, .snp, texts of 23andMe, AncestryDNA, FTDNA and "
         "others; plain or in gzip, xz or zstd")
      ->required()
      ->type_name("INPUT...");
  add_choice(
      *app, "--duplicates", options.duplicates,
      "Where two inputs have one id: refuse (default), rename the later one (ID.2), or merge both into one "
      "person",
      {{"refuse", DuplicateRule::kRefuse},
       {"rename", DuplicateRule::kRename},
       {"merge", DuplicateRule::kMerge}})
      ->type_name("RULE");
  app->add_flag(
      "--resume", options.resume,
      "Keep what was read in DB.resume until the build is done; the same command goes on from there");
  add_number(*app, "--threads", options.threads,
             "Inputs that are read side by side (default: one for each CPU)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  add_sharing(*app);
  add_reading(*app, parsed->reading);
  add_verbosity(*app, parsed->verbosity);
  app->footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db build -o people.h5 --panel panel.tsv persons/*.snp\n"
      "  fastid db build -o stains.h5 --panel panel.tsv --kind mixtures stains/*.snp");
  app->callback([parsed, &run] { run = [parsed] { return run_build(*parsed); }; });
}

std::vector<WrittenFile> written_by(const ExportOptions& options) {
  const std::vector<std::string> files = files_of(options);
  if (files.size() > 1 && options.output == "-")
    throw UsageError("-o -: a bed is three files, which cannot go to standard output; name one of them");
  std::vector<WrittenFile> written;
  for (const std::string& file : files) written.push_back({"-o", file});
  return written;
}

void add_export(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("export", "Write profiles, or the panel, as a file");
  const auto parsed = std::make_shared<Parsed<ExportOptions>>();
  ExportOptions& options = parsed->options;
  app->add_option("DB", options.database, "The database")->required()->type_name("DB");
  app->add_option(
         "-o,--output", options.output,
         "The file to write; - is standard output. With bed: FILE.bed, FILE.bim and FILE.fam, which appear "
         "together or not at all")
      ->required()
      ->type_name("FILE");
  add_choice(*app, "--what", options.panel, "profiles (default), panel",
             {{"profiles", false}, {"panel", true}})
      ->type_name("WHAT");
  auto* format = add_choice(*app, "--format", options.format,
                            "profiles: snp (one profile), vcf (default), bed (PLINK), tsv; panel: tsv",
                            {{"snp", ExportFormat::kSnp},
                             {"vcf", ExportFormat::kVcf},
                             {"bed", ExportFormat::kBed},
                             {"tsv", ExportFormat::kTsv}})
                     ->type_name("FORMAT");
  app->add_option("--profile", options.profiles, "Only these profiles")->type_name("ID...");
  add_sharing(*app);
  add_verbosity(*app, parsed->verbosity);
  app->footer(
      "Examples:\n"
      "  fastid db export people.h5 -o panel.tsv --what panel\n"
      "  fastid db export people.h5 -o one.snp --format snp --profile P000000007\n"
      "  fastid db export people.h5 -o people.bed --format bed\n\n"
      "Of a database of encoding minor a minor allele is written as heterozygous: it does not hold the "
      "number of copies. As a bed it cannot be written, which has no place to say so.");
  app->callback([parsed, format, &run] {
    run = [parsed, format] {
      parsed->verbosity.apply();
      if (parsed->options.panel && format->count() > 0 && parsed->options.format != ExportFormat::kTsv)
        throw UsageError("a panel is written as tsv");
      if (parsed->options.panel && !parsed->options.profiles.empty())
        throw UsageError("--profile goes with --what profiles");
      check_files(written_by(parsed->options), {parsed->options.database});
      export_database(parsed->options);
      return ExitCode::kDone;
    };
  });
}

}  // namespace

void add_db(CLI::App& app, Run& run) {
  CLI::App* db = app.add_subcommand("db", "Build, extend, describe, verify, export and simulate databases");
  db->require_subcommand(1);
  db->footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db info people.h5\n\n"
      "`fastid db COMMAND --help` explains a command, with more examples.");
  add_build(*db, run);
  add_append(*db, run);
  add_info(*db, run);
  add_verify(*db, run);
  add_export(*db, run);
  add_simulate(*db, run);
}

}  // namespace fastid::cli
