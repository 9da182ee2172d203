// fastid db: export; the other commands are in their own files.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bank/commands.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "db/id_list.hpp"
#include "import/text_output.hpp"
#include "ingest/ingest.hpp"

namespace fastid::bank {
namespace {

struct DbArguments {
  ingest::ExportOptions options;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

std::vector<cli::WrittenFile> written_by(const ingest::ExportOptions& options) {
  const std::vector<std::string> files = ingest::files_of(options);
  if (files.size() > 1 && options.output == "-")
    throw UsageError("-o -: a bed is three files, which cannot go to standard output; name one of them");
  std::vector<cli::WrittenFile> written;
  const cli::Content content = options.panel ? cli::Content::kPanel : cli::Content::kProfiles;
  for (const std::string& file : files) written.push_back({"-o", file, true, content});
  return written;
}

/// The ids, with each @FILE replaced by the ids that the file lists.
std::vector<std::string> with_lists(const std::vector<std::string>& given) {
  std::vector<std::string> ids;
  for (const std::string& one : given) {
    if (!one.starts_with('@')) {
      ids.push_back(one);
      continue;
    }
    const std::vector<std::string> listed = db::read_id_list(one.substr(1));
    ids.insert(ids.end(), listed.begin(), listed.end());
  }
  return ids;
}

const cli::Choices<ingest::ExportFormat> kExportFormats = {{"snp", ingest::ExportFormat::kSnp},
                                                           {"vcf", ingest::ExportFormat::kVcf},
                                                           {"bed", ingest::ExportFormat::kBed},
                                                           {"tsv", ingest::ExportFormat::kTsv},
                                                           {"gedmatch", ingest::ExportFormat::kGedmatch}};

/// The format to use where --format is not given.
ingest::ExportFormat export_format(const std::string& output, bool panel) {
  if (panel) return ingest::ExportFormat::kTsv;
  const std::string name = imports::name_of_text(output);
  if (name.ends_with(".bed") && name.size() < output.size())
    throw UsageError(fmt::format("-o {}: a .bed is not compressed; name it FILE.bed", printable(output)));
  return cli::format_by_suffix(output, kExportFormats).value_or(ingest::ExportFormat::kVcf);
}

std::vector<std::string> files_read(const ingest::ExportOptions& options) {
  std::vector<std::string> files = {options.database, options.rows.ids, options.rows.exclude};
  for (const std::string& one : options.profiles)
    if (one.starts_with('@')) files.push_back(one.substr(1));
  return files;
}

/// \param by_option  whether --format was given
ExitCode run_export(DbArguments& arguments, bool by_option) {
  arguments.verbosity.apply();
  ingest::ExportOptions& asked = arguments.options;
  if (asked.panel && by_option && asked.format != ingest::ExportFormat::kTsv)
    throw UsageError("a panel is written as tsv");
  if (asked.panel && !asked.profiles.empty()) throw UsageError("--profile goes with --what profiles");
  if (!asked.profiles.empty() && !asked.rows.empty())
    throw UsageError("--profile names who is exported; leave --only, --ids and --exclude out, or it");
  cli::check_files({{"-o", asked.output, true, asked.panel ? cli::Content::kPanel : cli::Content::kProfiles,
                     asked.panel ? "tsv" : ""}},
                   files_read(asked));
  if (!by_option) asked.format = export_format(asked.output, asked.panel);
  std::vector<cli::WrittenFile> written = written_by(asked);
  written.push_back(cli::audit_file(arguments.account));
  cli::check_files(written, files_read(asked));
  asked.profiles = with_lists(asked.profiles);
  const cli::Audit audit(arguments.account, {asked.database});
  if (!asked.panel) audit.record_action("export", cli::command_line());
  ingest::export_database(asked);
  return ExitCode::kDone;
}

void add_export(cli::Command db) {
  const cli::Command app = db.add_command("export", "Write profiles, or the panel, as a file");
  const auto arguments = std::make_shared<DbArguments>();
  ingest::ExportOptions& options = arguments->options;
  app.add_option("DB", options.database, "The database").required().value_name("DB");
  app.add_option("-o,--output", options.output,
                 "The file to write, in bgzip where it ends in .gz; - is standard output. With bed: "
                 "FILE.bed, FILE.bim "
                 "and FILE.fam, which appear together or not at all")
      .required()
      .value_name("FILE")
      .brief("The file to write; - is standard output");
  cli::add_choice(app, "--what", options.panel, "profiles (default), panel",
                  {{"profiles", false}, {"panel", true}})
      .value_name("WHAT")
      .brief();
  const cli::Option format =
      cli::add_choice(app, "--format", options.format,
                      "profiles: snp (one profile), gedmatch (one, as GEDmatch PRO takes it), vcf, "
                      "bed (PLINK), tsv; panel: tsv; without it, the suffix of -o says which, else vcf",
                      kExportFormats)
          .value_name("FORMAT")
          .brief("snp, gedmatch, vcf, bed, tsv; or by -o's suffix");
  app.add_option("--profile,--profiles", options.profiles,
                 "Only these profiles, in this order; @FILE lists ids, one on each line")
      .value_name("ID...")
      .brief("Only these profiles; @FILE lists ids");
  cli::add_row_rule(app, options.rows);
  cli::add_accountability(app, arguments->account);
  cli::add_writing(app);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db export people.h5 -o panel.tsv --what panel\n"
      "  fastid db export people.h5 -o one.snp --profile P000000007\n"
      "  fastid db export people.h5 -o some.vcf.gz --profiles @ids.txt\n"
      "  fastid db export people.h5 -o people.bed\n\n"
      "Of a database of encoding minor a minor allele is written as heterozygous: it does not hold the "
      "number of copies. As a bed it cannot be written, which has no place to say so.");
  app.runs([arguments, format] { return run_export(*arguments, format.count() > 0); });
}

}  // namespace

void add_db(cli::Command app) {
  const cli::Command db = app.add_command("db", "Make, change, check, export and simulate databases");
  db.require_command();
  db.footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid db info people.h5\n\n"
      "`fastid db COMMAND --help` explains a command, with more examples.");
  add_build(db);
  add_convert(db);
  add_append(db);
  add_replace(db);
  add_remove(db);
  add_merge(db);
  add_tag(db);
  add_policy(db);
  add_compact(db);
  add_list(db);
  add_info(db);
  add_verify(db);
  add_export(db);
  add_simulate(db);
}

}  // namespace fastid::bank
