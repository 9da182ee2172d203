#include "validate/internal/samples.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "base/file.hpp"

namespace fastid::validate {
namespace {

Genotype person_of(const std::vector<simulate::SiteAlleles>& block, std::uint64_t lane) {
  Genotype copies;
  copies.reserve(block.size());
  for (const simulate::SiteAlleles& site : block)
    copies.push_back(static_cast<std::uint8_t>((site.first >> lane & 1) + (site.second >> lane & 1)));
  return copies;
}

using Cell = std::function<std::string(std::size_t sample, std::uint32_t site)>;

void write_cells(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
                 std::string_view format, const Cell& cell) {
  OutputFile out(path);
  std::string text = "##fileformat=VCFv4.2\n";
  if (panel.build() != GenomeBuild::kUnknown) text += fmt::format("##reference={}\n", name_of(panel.build()));
  std::set<std::string> chromosomes;
  for (const Site& site : panel.sites()) chromosomes.insert(site.chrom);
  for (const std::string& chrom : chromosomes) text += fmt::format("##contig=<ID={}>\n", chrom);
  text +=
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Reads of each allele\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& name : names) text += '\t' + name;
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    text += fmt::format("\n{}\t{}\t{}\t{}\t{}\t.\t.\t.\t{}", site.chrom, site.pos, site.id, site.major,
                        site.minor, format);
    for (std::size_t i = 0; i < names.size(); ++i) text += '\t' + cell(i, s);
    out.write(text);
    text.clear();
  }
  out.write("\n");
  out.commit();
}

}  // namespace

simulate::People people_of(const std::vector<double>& minor_freq, std::uint64_t seed) {
  return {{minor_freq}, {}, seed};
}

Genotype stored_person(const simulate::People& people, std::uint64_t row) {
  return person_of(people.alleles(row / kLanes), row % kLanes);
}

Genotype absent_person(const simulate::People& people, std::uint64_t i) {
  return person_of(people.absent_alleles(i / kLanes), i % kLanes);
}

bool is_spaced(std::uint32_t site, std::uint32_t n, std::uint32_t of) {
  if (n == 0 || n >= of) return true;
  const auto before = [&](std::uint64_t s) { return s * n / of; };
  return before(site) != before(site + std::uint64_t{1});
}

Sample observed(const Genotype& person, const Damage& damage, simulate::Stream& stream) {
  Sample sample(person.size(), kNoneSeen);
  const auto n_sites = static_cast<std::uint32_t>(person.size());
  for (std::uint32_t s = 0; s < n_sites; ++s)
    for (int copy = 0; copy < 2; ++copy) {
      const bool minor = person[s] > copy, misread = stream.uniform() < damage.error;
      const bool lost = stream.uniform() < damage.drop_out;
      if (!lost && is_spaced(s, damage.sites, n_sites))
        sample[s] |= minor != misread ? kMinorSeen : kMajorSeen;
    }
  return sample;
}

ProfileRows rows_of(const std::vector<Sample>& samples, std::uint32_t n_sites) {
  ProfileRows rows(samples.size(), n_sites, Encoding::kAlleles);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::uint32_t s = 0; s < n_sites; ++s)
      if (samples[i][s] != kNoneSeen) rows.set_seen(i, s, samples[i][s]);
  return rows;
}

Reads mixed_reads(const std::vector<Genotype>& people, const std::vector<double>& shares, std::uint32_t depth,
                  double error, simulate::Stream& stream) {
  const std::size_t n_sites = people.front().size();
  Reads reads{std::vector<std::uint32_t>(n_sites), std::vector<std::uint32_t>(n_sites)};
  for (std::size_t s = 0; s < n_sites; ++s) {
    double minor = 0;
    for (std::size_t i = 0; i < people.size(); ++i) minor += shares[i] * people[i][s] / 2;
    const double shown = minor * (1 - error) + (1 - minor) * error;
    for (std::uint32_t read = 0; read < depth; ++read)
      ++(stream.uniform() < shown ? reads.minor : reads.major)[s];
  }
  return reads;
}

void write_vcf(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
               const std::vector<Sample>& samples) {
  static constexpr const char* kGenotypes[] = {"./.", "0/0", "1/1", "0/1"};  // by Seen
  write_cells(path, panel, names, "GT",
              [&](std::size_t i, std::uint32_t s) { return std::string(kGenotypes[samples[i][s]]); });
}

void write_depth_vcf(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
                     const std::vector<Reads>& samples) {
  write_cells(path, panel, names, "GT:AD", [&](std::size_t i, std::uint32_t s) {
    const std::uint32_t major = samples[i].major[s], minor = samples[i].minor[s];
    return fmt::format("{}:{},{}", minor == 0 ? "0/0" : major == 0 ? "1/1" : "0/1", major, minor);
  });
}

std::vector<std::string> numbered(const std::string& prefix, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(fmt::format("{}-{:03}", prefix, i));
  return names;
}

}  // namespace fastid::validate
