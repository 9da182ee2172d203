/// \file
/// Builds a database from genotype files, builds it again with all alleles, and exports it to files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "db/database.hpp"
#include "db/row_choice.hpp"
#include "import/import.hpp"
#include "ingest/internal/roster.hpp"
#include "panel/panel.hpp"

namespace fastid::ingest {

/// The beginning of the first line in a list of pruned sites; the highest r2 of two sites and a colon follow.
inline constexpr std::string_view kPrunedMark = "#r2 ";

struct BuildOptions {
  std::string output;
  std::optional<std::string> panel;       ///< a panel TSV; else the panel is derived from the first input
  std::optional<GenomeBuild> build = {};  ///< of the panel, where it states none
  /// A file of ids: only these sites of the panel; "": all. kPrunedMark in its first line goes to the log.
  std::string sites;
  db::Kind kind = db::Kind::kIndividuals;
  std::vector<std::string> inputs;
  imports::ImportOptions import;
  std::string command;                   ///< for the log
  std::optional<db::AuditAnchor> audit;  ///< for the log: the state of the audit log that records this
  ProgressMode progress = ProgressMode::kAuto;
  DuplicateRule duplicates = DuplicateRule::kRefuse;
  std::string sample_sheet;  ///< tags of the profiles; "": none
  bool resume = false;  ///< keep what was read in OUTPUT.resume until the build is done, and start from it
  std::size_t threads = 0;  ///< 0: one for each CPU
};

struct BuildSummary {
  std::uint64_t profiles = 0;
  std::uint32_t sites = 0;
};

/// Builds a database beside its target and puts it in place. Profiles are in the order of the inputs and,
/// within one, of its samples, whatever the number of threads. Prints one line of counts for each input.
/// \throws InputError: an input is rejected, or two profiles have the same id; Failure: the target cannot be
/// written.
BuildSummary build_database(const BuildOptions& options);

/// Builds a database of Encoding::kAlleles, options.output, from the inputs of `source`, which is of kMinor:
/// the same profiles in the same order, with its panel, kind and log. options.panel and options.kind are not
/// used. Each profile shows the same minor alleles and calls as in `source`, except that a site is not called
/// where a person's records show different numbers of minor copies; warns of the number of such sites.
/// \throws InputError as build_database(), and where `source` is of kAlleles, or a profile is not in the
/// inputs or differs in them; Failure.
BuildSummary convert_database(const std::string& source, const BuildOptions& options);

enum class ExportFormat { kSnp, kVcf, kBed, kTsv, kGedmatch };

struct ExportOptions {
  std::string database;
  std::string output;  ///< "-" is standard output; for kBed the .bed, or the prefix of its three files
  bool panel = false;  ///< the panel (as TSV) instead of profiles
  ExportFormat format = ExportFormat::kVcf;
  std::vector<std::string> profiles;  ///< ids, in the order of the file; empty: all that `rows` chooses
  db::RowRule rows = {.expired = true};
};

/// Writes profiles, or the panel, so that importing the file onto the same panel gives the same planes.
///
/// In Encoding::kMinor a bit says "at least one minor allele", not how many: such sites are written as
/// heterozygous, and the file says so. In kAlleles a site where one allele was seen is written as homozygous.
///   kSnp  one profile, columns of a 23andMe export
///   kVcf  any number, REF = major, ALT = minor
///   kBed  any number, as .bed, .bim and .fam; allele 1 = minor. Only of kAlleles: it has no place for a
///   remark
///   kTsv  one line per profile, one column per site: 1, 0, or NA where not called
///   kGedmatch  one profile, as GEDmatch PRO takes it: rsid, chromosome, position, allele1, allele2, of the
///   sites that are called. Only of kAlleles, of a person, with positions of GRCh37
/// All formats but .bed are compressed by bgzip where the file's name ends in .gz or .bgz.
/// \throws UsageError: a .snp of more than one profile; InputError: no such profile, or one that the format
/// cannot hold; Failure.
void export_database(const ExportOptions& options);

/// The files that export_database() writes.
std::vector<std::string> files_of(const ExportOptions& options);

}  // namespace fastid::ingest
