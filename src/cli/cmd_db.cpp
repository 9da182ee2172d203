// fastid db: build, info, verify, export, simulate.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "cli/common.hpp"
#include "cli/db_info.hpp"
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

void add_build(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("build", "Build a database from genotype files");
  const auto parsed = std::make_shared<Parsed<BuildOptions>>();
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
  app->add_option("INPUT", options.inputs, "VCF, BCF, PLINK .bed, 23andMe-style text, .snp")
      ->required()
      ->type_name("INPUT...");
  add_import(*app, options.import);
  add_verbosity(*app, parsed->verbosity);
  app->footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db build -o people.h5 --panel panel.tsv persons/*.snp\n"
      "  fastid db build -o stains.h5 --panel panel.tsv --kind mixtures stains/*.snp");
  app->callback([parsed, &run] {
    run = [parsed] {
      parsed->verbosity.apply();
      parsed->options.command = command_line();
      parsed->options.progress = parsed->verbosity.progress;
      std::vector<std::string> read = parsed->options.inputs;
      if (parsed->options.panel) read.push_back(*parsed->options.panel);
      refuse_overwriting(parsed->options.output, read);
      const BuildSummary summary = build_database(parsed->options);
      log::note("{}: {} of {}", parsed->options.output, counted(summary.profiles, "profile"),
                counted(summary.sites, "site"));
      return ExitCode::kDone;
    };
  });
}

struct InfoArguments {
  std::string database;
  bool json = false;
};

void add_info(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("info", "Say what a database holds");
  const auto parsed = std::make_shared<Parsed<InfoArguments>>();
  app->add_option("DB", parsed->options.database, "The database")->required()->type_name("DB");
  add_choice(*app, "--format", parsed->options.json, "text (default), json",
             {{"text", false}, {"json", true}})
      ->type_name("FORMAT");
  add_verbosity(*app, parsed->verbosity);
  app->footer("Example:\n  fastid db info people.h5 --format json");
  app->callback([parsed, &run] {
    run = [parsed] {
      parsed->verbosity.apply();
      const db::Reader reader(parsed->options.database);
      OutputFile out("-");
      out.write(parsed->options.json ? info_json(reader) : info_text(reader));
      out.commit();
      return ExitCode::kDone;
    };
  });
}

struct VerifyArguments {
  std::string database;
  std::size_t threads = 0;
};

ExitCode run_verify(const Parsed<VerifyArguments>& parsed) {
  parsed.verbosity.apply();
  const std::string& path = parsed.options.database;
  std::uint64_t blocks = 0;
  {
    const db::Reader reader(path);
    blocks = reader.shape().n_blocks();
  }
  std::vector<db::Damage> damages;
  {
    Progress progress(parsed.verbosity.progress, "verifying", "blocks", blocks);
    const std::size_t threads = parsed.options.threads > 0 ? parsed.options.threads : available_cpus();
    damages = db::verify(path, threads, [&progress](std::uint64_t n) { progress.add(n); });
  }
  constexpr std::size_t kListed = 20;
  for (std::size_t i = 0; i < std::min(kListed, damages.size()); ++i)
    log::error_text(path + ", " + damages[i].place + ": " + damages[i].problem);
  if (!damages.empty())
    throw InputError(path, "", counted(damages.size(), "place") + " damaged", "restore it from a copy");
  log::note("{}: sound: {}", path, counted(blocks, "block"));
  return ExitCode::kDone;
}

void add_verify(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("verify", "Check every block, id and checksum of a database");
  const auto parsed = std::make_shared<Parsed<VerifyArguments>>();
  app->add_option("DB", parsed->options.database, "The database")->required()->type_name("DB");
  app->add_option("--threads", parsed->options.threads, "CPU threads")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  add_verbosity(*app, parsed->verbosity);
  app->footer(
      "Example:\n  fastid db verify people.h5\n\nExits with 0 where all is sound, with 3 where anything is "
      "damaged.");
  app->callback([parsed, &run] { run = [parsed] { return run_verify(*parsed); }; });
}

void add_export(CLI::App& db, Run& run) {
  CLI::App* app = db.add_subcommand("export", "Write profiles, or the panel, as a file");
  const auto parsed = std::make_shared<Parsed<ExportOptions>>();
  ExportOptions& options = parsed->options;
  app->add_option("DB", options.database, "The database")->required()->type_name("DB");
  app->add_option("-o,--output", options.output, "The file to write; - is standard output")
      ->required()
      ->type_name("FILE");
  add_choice(*app, "--what", options.panel, "profiles (default), panel",
             {{"profiles", false}, {"panel", true}})
      ->type_name("WHAT");
  auto* format =
      add_choice(*app, "--format", options.format,
                 "profiles: snp (one profile), vcf (default), tsv; panel: tsv",
                 {{"snp", ExportFormat::kSnp}, {"vcf", ExportFormat::kVcf}, {"tsv", ExportFormat::kTsv}})
          ->type_name("FORMAT");
  app->add_option("--profile", options.profiles, "Only these profiles")->type_name("ID...");
  add_verbosity(*app, parsed->verbosity);
  app->footer(
      "Examples:\n"
      "  fastid db export people.h5 -o panel.tsv --what panel\n"
      "  fastid db export people.h5 -o one.snp --format snp --profile P000000007\n\n"
      "A minor allele is written as heterozygous: the database does not hold the number of copies.");
  app->callback([parsed, format, &run] {
    run = [parsed, format] {
      parsed->verbosity.apply();
      if (parsed->options.panel && format->count() > 0 && parsed->options.format != ExportFormat::kTsv)
        throw UsageError("a panel is written as tsv");
      if (parsed->options.panel && !parsed->options.profiles.empty())
        throw UsageError("--profile goes with --what profiles");
      refuse_overwriting(parsed->options.output, {parsed->options.database});
      export_database(parsed->options);
      return ExitCode::kDone;
    };
  });
}

}  // namespace

void add_db(CLI::App& app, Run& run) {
  CLI::App* db = app.add_subcommand("db", "Build, describe, verify, export and simulate databases");
  db->require_subcommand(1);
  db->footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db info people.h5\n\n"
      "`fastid db COMMAND --help` explains a command, with more examples.");
  add_build(*db, run);
  add_info(*db, run);
  add_verify(*db, run);
  add_export(*db, run);
  add_simulate(*db, run);
}

}  // namespace fastid::cli
