// db export: profiles as genotypes again, so that importing them onto the same panel gives the same planes.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/one_bit.hpp"
#include "import/text_output.hpp"
#include "ingest/genotype_text.hpp"
#include "ingest/ingest.hpp"
#include "ingest/internal/bed_export.hpp"
#include "ingest/internal/selection.hpp"

namespace fastid::ingest {
namespace {

/// The header's remark on the genotypes, if any.
std::string remark(const Selection& selected) {
  if (selected.shape().encoding == Encoding::kAlleles) return {};
  return fmt::format("; {}", imports::kOneBit);
}

void write_snp(const Panel& panel, const Selection& selected, imports::TextOutput& out) {
  const BitBlocks blocks = selected.profiles(0, 1);
  out.write(snp_text(panel, blocks.view(), selected.ids(0, 1)[0], "exported", remark(selected)));
}

/// \throws InputError where GEDmatch PRO would misread the file
void check_gedmatch(const db::Reader& reader) {
  const auto refuse = [&](std::string_view problem, std::string_view cure) {
    throw InputError(reader.path(), "", problem, cure);
  };
  if (reader.header().kind == db::Kind::kMixtures)
    refuse("holds mixtures, and GEDmatch PRO takes one person",
           "export a person of a database of individuals");
  if (reader.shape().encoding == Encoding::kMinor)
    refuse("is of encoding minor, which does not say how many copies a person has",
           "build it of the same files with --encoding alleles (fastid db convert)");
  if (reader.panel().build() != GenomeBuild::kGRCh37)
    refuse(fmt::format("has positions of build {}, and GEDmatch PRO takes those of GRCh37",
                       name_of(reader.panel().build())),
           "build it on a panel with #build GRCh37");
}

/// The columns of a GEDmatch PRO report. Sites that are not called are left out.
void write_gedmatch(const Panel& panel, const Selection& selected, imports::TextOutput& out) {
  const BitBlocks blocks = selected.profiles(0, 1);
  const BlocksView people = blocks.view();
  out.write("rsid\tchromosome\tposition\tallele1\tallele2\n");
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Seen seen = shown(people, 0, s);
    if (seen == kNoneSeen) continue;
    const Site& site = panel.sites()[s];
    out.write(fmt::format("{}\t{}\t{}\t{}\t{}\n", site.id, site.chrom, site.pos,
                          (seen & kMajorSeen) != 0 ? site.major : site.minor,
                          (seen & kMinorSeen) != 0 ? site.minor : site.major));
  }
}

void write_vcf(const Panel& panel, const Selection& selected, imports::TextOutput& out) {
  static constexpr std::string_view kGenotypes[] = {"\t./.", "\t0/0", "\t1/1", "\t0/1"};
  const std::uint64_t n = selected.shape().n_profiles;
  const BitBlocks blocks = selected.profiles(0, n);
  const BlocksView people = blocks.view();
  std::string text =
      vcf_head(panel, selected.ids(0, n), "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n",
               remark(selected));
  out.write(text);

  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    text =
        fmt::format("{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT", site.chrom, site.pos, site.id, site.major, site.minor);
    for (std::uint64_t i = 0; i < n; ++i) text += kGenotypes[shown(people, i, s)];
    out.write(text + '\n');
    check_interrupt();
  }
}

void write_tsv(const Panel& panel, const Selection& selected, imports::TextOutput& out) {
  std::string text = "profile";
  for (const Site& site : panel.sites()) text += '\t' + site.id;
  out.write(text + '\n');
  selected.for_each_part([&](std::uint64_t first, const BitBlocks& part) {
    const std::vector<std::string> ids = selected.ids(first, part.shape().n_profiles);
    for (std::uint64_t i = 0; i < ids.size(); ++i) {
      text = ids[i];
      for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
        text += !part.called(i, s) ? "\tNA" : part.bit(i, s) ? "\t1" : "\t0";
      out.write(text + '\n');
      check_interrupt();
    }
  });
}

void write_profiles(const Panel& panel, const Selection& selected, ExportFormat format,
                    imports::TextOutput& out) {
  if (format == ExportFormat::kVcf) return write_vcf(panel, selected, out);
  if (format == ExportFormat::kTsv) return write_tsv(panel, selected, out);
  if (selected.shape().n_profiles != 1)
    throw UsageError(
        fmt::format("{} holds one profile, and {} were asked for; name one with --profile, or "
                    "use --format vcf",
                    format == ExportFormat::kSnp ? "a .snp file" : "a file for GEDmatch PRO",
                    selected.shape().n_profiles));
  if (format == ExportFormat::kGedmatch) return write_gedmatch(panel, selected, out);
  write_snp(panel, selected, out);
}

}  // namespace

std::vector<std::string> files_of(const ExportOptions& options) {
  return options.panel || options.format != ExportFormat::kBed ? std::vector{options.output}
                                                               : bed_files(options.output);
}

void export_database(const ExportOptions& options) {
  const db::Reader reader(options.database);
  const Panel& panel = reader.panel();
  if (!options.panel && options.format == ExportFormat::kBed)
    return export_bed(options.database, panel, Selection(reader, options.profiles, options.rows),
                      options.output);
  if (!options.panel && options.format == ExportFormat::kGedmatch) check_gedmatch(reader);
  imports::TextOutput out(options.output);
  if (options.panel)
    out.write(write_panel_tsv(panel));
  else
    write_profiles(panel, Selection(reader, options.profiles, options.rows), options.format, out);
  out.commit();
}

}  // namespace fastid::ingest
