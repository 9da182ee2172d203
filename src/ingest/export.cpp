// db export: profiles as genotypes again, so that importing them onto the same panel gives the same planes.
#include <fmt/format.h>

#include <numeric>
#include <set>
#include <unordered_set>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/one_bit.hpp"
#include "ingest/ingest.hpp"

namespace fastid {
namespace {

/// Some profiles of a database, in memory.
struct Selected {
  std::vector<std::string> ids;
  BitBlocks blocks;
};

Selected select(const db::Reader& reader, const std::vector<std::string>& wanted) {
  std::vector<std::uint64_t> rows = reader.rows_of(wanted);
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!seen.insert(rows[i]).second)
      throw UsageError(fmt::format("--profile {}: is given more than once", printable(wanted[i])));
  if (wanted.empty()) {
    rows.resize(reader.shape().n_profiles);
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  }
  Selected selected{reader.profile_ids(rows), BitBlocks(reader.shape().with(rows.size()))};

  const std::size_t words = reader.shape().block_words();
  WordBuffer bits(words), second(reader.has_second() ? words : 0);
  std::uint64_t held = UINT64_MAX;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t block = rows[i] / kLanes;
    if (block != held) reader.read(block, 1, bits.data(), second.data());
    held = block;
    const BlocksView view{reader.shape().with(kLanes), bits.data(), second.data()};
    selected.blocks.copy_profile(i, view, rows[i] % kLanes);
    check_interrupt();
  }
  return selected;
}

std::string build_comment(const Panel& panel) {
  return panel.build() == GenomeBuild::kUnknown ? ""
                                                : fmt::format("# genome build {}\n", name_of(panel.build()));
}

/// What the header says of the genotypes, if anything.
std::string remark(const Selected& selected) {
  if (selected.blocks.shape().encoding == Encoding::kAlleles) return {};
  return fmt::format("; {}", kOneBit);
}

/// The alleles that a genotype is written with.
Seen shown(const BlocksView& people, std::uint64_t profile, std::uint32_t site) {
  const auto bit = [site](Word word) { return word >> site % kWordBits & 1u; };
  const std::size_t word = site / kWordBits;
  const Word minor = people.bits_word(profile, word);
  const Word major = people.shape.encoding == Encoding::kAlleles ? people.major_word(profile, word)
                                                                 : people.called_word(profile, word);
  return static_cast<Seen>(bit(minor) * kMinorSeen | bit(major) * kMajorSeen);
}

void write_snp(const Panel& panel, const Selected& selected, OutputFile& out) {
  const BlocksView people = selected.blocks.view();
  out.write(fmt::format("#sample {}\n# exported by fastid {}{}\n{}# rsid\tchromosome\tposition\tgenotype\n",
                        selected.ids[0], version(), remark(selected), build_comment(panel)));
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    const std::string genotypes[] = {
        "--", {site.major, site.major}, {site.minor, site.minor}, {site.major, site.minor}};
    const std::string& genotype = genotypes[shown(people, 0, s)];
    out.write(fmt::format("{}\t{}\t{}\t{}\n", site.id, site.chrom, site.pos, genotype));
  }
}

void write_vcf(const Panel& panel, const Selected& selected, OutputFile& out) {
  static constexpr std::string_view kGenotypes[] = {"\t./.", "\t0/0", "\t1/1", "\t0/1"};
  const BlocksView people = selected.blocks.view();
  std::string text = fmt::format("##fileformat=VCFv4.2\n##source=fastid {}{}\n", version(), remark(selected));
  if (panel.build() != GenomeBuild::kUnknown) text += fmt::format("##reference={}\n", name_of(panel.build()));
  std::set<std::string> chromosomes;
  for (const Site& site : panel.sites()) chromosomes.insert(site.chrom);
  for (const std::string& chrom : chromosomes) text += fmt::format("##contig=<ID={}>\n", chrom);
  text += "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n";
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& id : selected.ids) text += '\t' + id;
  out.write(text + '\n');

  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    text =
        fmt::format("{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT", site.chrom, site.pos, site.id, site.major, site.minor);
    for (std::uint64_t i = 0; i < selected.ids.size(); ++i) text += kGenotypes[shown(people, i, s)];
    out.write(text + '\n');
    check_interrupt();
  }
}

void write_tsv(const Panel& panel, const Selected& selected, OutputFile& out) {
  std::string text = "profile";
  for (const Site& site : panel.sites()) text += '\t' + site.id;
  out.write(text + '\n');
  for (std::uint64_t i = 0; i < selected.ids.size(); ++i) {
    text = selected.ids[i];
    for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
      text += !selected.blocks.called(i, s) ? "\tNA" : selected.blocks.bit(i, s) ? "\t1" : "\t0";
    out.write(text + '\n');
    check_interrupt();
  }
}

}  // namespace

void export_database(const ExportOptions& options) {
  const db::Reader reader(options.database);
  OutputFile out(options.output);
  if (options.panel) {
    out.write(write_panel_tsv(reader.panel()));
    out.commit();
    return;
  }
  const std::uint64_t n = options.profiles.empty() ? reader.shape().n_profiles : options.profiles.size();
  if (options.format == ExportFormat::kSnp && n != 1)
    throw UsageError(
        fmt::format("a .snp file holds one profile, and {} were asked for; name one with --profile, or "
                    "use --format vcf",
                    n));
  const Selected selected = select(reader, options.profiles);
  switch (options.format) {
    case ExportFormat::kSnp:
      write_snp(reader.panel(), selected, out);
      break;
    case ExportFormat::kVcf:
      write_vcf(reader.panel(), selected, out);
      break;
    case ExportFormat::kTsv:
      write_tsv(reader.panel(), selected, out);
      break;
  }
  out.commit();
}

}  // namespace fastid
