// fastid db: export; the other commands are in their own files.
#include <memory>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "ingest/ingest.hpp"

namespace fastid::cli {
namespace {

struct Arguments {
  ExportOptions options;
  Verbosity verbosity;
};

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
  const auto arguments = std::make_shared<Arguments>();
  ExportOptions& options = arguments->options;
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
                            "profiles: snp (one profile), gedmatch (one, as GEDmatch PRO takes it), vcf "
                            "(default), bed (PLINK), tsv; "
                            "panel: tsv",
                            {{"snp", ExportFormat::kSnp},
                             {"vcf", ExportFormat::kVcf},
                             {"bed", ExportFormat::kBed},
                             {"tsv", ExportFormat::kTsv},
                             {"gedmatch", ExportFormat::kGedmatch}})
                     ->type_name("FORMAT");
  app->add_option("--profile", options.profiles, "Only these profiles")->type_name("ID...");
  add_sharing(*app);
  add_verbosity(*app, arguments->verbosity);
  app->footer(
      "Examples:\n"
      "  fastid db export people.h5 -o panel.tsv --what panel\n"
      "  fastid db export people.h5 -o one.snp --format snp --profile P000000007\n"
      "  fastid db export people.h5 -o people.bed --format bed\n\n"
      "Of a database of encoding minor a minor allele is written as heterozygous: it does not hold the "
      "number of copies. As a bed it cannot be written, which has no place to say so.");
  app->callback([arguments, format, &run] {
    run = [arguments, format] {
      arguments->verbosity.apply();
      if (arguments->options.panel && format->count() > 0 && arguments->options.format != ExportFormat::kTsv)
        throw UsageError("a panel is written as tsv");
      if (arguments->options.panel && !arguments->options.profiles.empty())
        throw UsageError("--profile goes with --what profiles");
      check_files(written_by(arguments->options), {arguments->options.database});
      export_database(arguments->options);
      return ExitCode::kDone;
    };
  });
}

}  // namespace

void add_db(CLI::App& app, Run& run) {
  CLI::App* db =
      app.add_subcommand("db", "Build, convert, extend, describe, verify, export and simulate databases");
  db->require_subcommand(1);
  db->footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db info people.h5\n\n"
      "`fastid db COMMAND --help` explains a command, with more examples.");
  add_build(*db, run);
  add_convert(*db, run);
  add_append(*db, run);
  add_info(*db, run);
  add_verify(*db, run);
  add_export(*db, run);
  add_simulate(*db, run);
}

}  // namespace fastid::cli
