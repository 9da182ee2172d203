#include "ingest/genotype_text.hpp"

#include <fmt/format.h>

#include <set>

#include "base/build_info.hpp"

namespace fastid::ingest {

Seen shown(const BlocksView& people, std::uint64_t profile, std::uint32_t site) {
  const auto bit = [site](Word word) { return word >> site % kWordBits & 1u; };
  const std::size_t word = site / kWordBits;
  const Word minor = people.bits_word(profile, word);
  const Word major = people.shape.encoding == Encoding::kAlleles ? people.major_word(profile, word)
                                                                 : people.called_word(profile, word);
  return static_cast<Seen>(bit(minor) * kMinorSeen | bit(major) * kMajorSeen);
}

std::string snp_text(const Panel& panel, const BlocksView& people, std::string_view sample,
                     std::string_view made, std::string_view remark) {
  std::string text = fmt::format("#sample {}\n# {} by fastid {}{}\n", sample, made, version(), remark);
  if (panel.build() != GenomeBuild::kUnknown)
    text += fmt::format("# genome build {}\n", fastid::name_of(panel.build()));
  text += "# rsid\tchromosome\tposition\tgenotype\n";
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    const std::string genotypes[] = {
        "--", {site.major, site.major}, {site.minor, site.minor}, {site.major, site.minor}};
    text += fmt::format("{}\t{}\t{}\t{}\n", site.id, site.chrom, site.pos, genotypes[shown(people, 0, s)]);
  }
  return text;
}

std::string vcf_head(const Panel& panel, const std::vector<std::string>& samples, std::string_view formats,
                     std::string_view remark, const ChromosomeNames& names) {
  std::string text = fmt::format("##fileformat=VCFv4.2\n##source=fastid {}{}\n", version(), remark);
  if (panel.build() != GenomeBuild::kUnknown)
    text += fmt::format("##reference={}\n", fastid::name_of(panel.build()));
  std::set<std::string> chromosomes;
  for (const Site& site : panel.sites()) chromosomes.insert(name_of(site.chrom, names));
  for (const std::string& chrom : chromosomes) text += fmt::format("##contig=<ID={}>\n", chrom);
  text.append(formats) += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& sample : samples) text += '\t' + sample;
  return text + '\n';
}

}  // namespace fastid::ingest
