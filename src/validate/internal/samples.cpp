#include "validate/internal/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/file.hpp"

namespace fastid::validate {
namespace {

Genotype person_of(const simulate::People& people, const std::vector<simulate::SiteAlleles>& block,
                   std::uint32_t men, std::uint64_t lane) {
  Genotype copies;
  copies.reserve(block.size());
  for (const simulate::SiteAlleles& site : block) {
    const std::uint32_t having = simulate::copies_at(people.classes().of(copies.size()), men).any;
    const auto minor = static_cast<std::uint8_t>((site.first >> lane & 1) + (site.second >> lane & 1));
    copies.push_back((having >> lane & 1) != 0 ? minor : kNoCopy);
  }
  return copies;
}

constexpr std::string_view kWithLikelihoods = "GT:PL";

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
      "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Reads of each allele\">\n";
  if (format == kWithLikelihoods)
    text += "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Genotype likelihoods\">\n";
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
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

simulate::People people_of(const Panel& panel, const std::vector<double>& minor_freq, std::uint64_t seed) {
  return {panel, {minor_freq}, {}, seed};
}

Genotype stored_person(const simulate::People& people, std::uint64_t row) {
  const std::uint64_t block = row / kLanes;
  return person_of(people, people.alleles(block), people.men(block), row % kLanes);
}

Genotype absent_person(const simulate::People& people, std::uint64_t i) {
  const std::uint64_t block = i / kLanes;
  return person_of(people, people.absent_alleles(block), people.absent_men(block), i % kLanes);
}

std::vector<bool> typed_sites(const SiteClasses& classes, std::uint32_t n) {
  const std::uint32_t of = classes.count(SiteClass::kAutosomal);
  if (n == 0 || n >= of) return std::vector<bool>(classes.n_sites(), true);
  std::vector<bool> typed(classes.n_sites());
  std::uint64_t i = 0;
  for (const std::uint32_t s : classes.sites(SiteClass::kAutosomal)) {
    typed[s] = i * n / of != (i + 1) * n / of;
    ++i;
  }
  return typed;
}

Sample observed(const Genotype& person, const SiteClasses& classes, const Damage& damage,
                simulate::Stream& stream) {
  Sample sample(person.size(), kNoneSeen);
  const std::vector<bool> typed = typed_sites(classes, damage.sites);
  for (std::size_t s = 0; s < sample.size(); ++s) {
    if (person[s] == kNoCopy) continue;
    for (int copy = 0; copy < 2; ++copy) {
      const bool minor = person[s] > copy, misread = stream.uniform() < damage.error;
      const bool lost = stream.uniform() < damage.drop_out;
      if (!lost && typed[s]) sample[s] |= minor != misread ? kMinorSeen : kMajorSeen;
    }
  }
  return sample;
}

ProfileRows rows_of(const std::vector<Sample>& samples, const SiteClasses& classes) {
  ProfileRows rows(samples.size(), classes.n_sites(), Encoding::kAlleles);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::uint32_t s = 0; s < classes.n_sites(); ++s)
      if (samples[i][s] != kNoneSeen) rows.set_seen(i, s, samples[i][s]);
  rows.keep_sites(classes.mask(SiteClass::kAutosomal));
  return rows;
}

Reads mixed_reads(const std::vector<Genotype>& people, const std::vector<double>& shares, std::uint32_t depth,
                  double error, simulate::Stream& stream) {
  const std::size_t n_sites = people.front().size();
  Reads reads{std::vector<std::uint32_t>(n_sites), std::vector<std::uint32_t>(n_sites)};
  for (std::size_t s = 0; s < n_sites; ++s) {
    double minor = 0, without = 0;
    std::size_t having = 0;
    for (std::size_t i = 0; i < people.size(); ++i)
      if (people[i][s] == kNoCopy) {
        without += shares[i];
      } else {
        minor += shares[i] * people[i][s] / 2;
        ++having;
      }
    if (having == 0) continue;
    minor /= 1 - without;
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
    const char* const genotype = minor == 0 ? (major == 0 ? "./." : "0/0") : major == 0 ? "1/1" : "0/1";
    return fmt::format("{}:{},{}", genotype, major, minor);
  });
}

std::array<std::uint32_t, 3> phred_of(std::uint32_t major, std::uint32_t minor, double error) {
  std::array<double, 3> log10{};
  for (std::size_t g = 0; g < log10.size(); ++g) {
    const double share = static_cast<double>(g) / 2, shown = share * (1 - error) + (1 - share) * error;
    log10[g] = major * std::log10(1 - shown) + minor * std::log10(shown);
  }
  std::array<std::uint32_t, 3> phred{};
  for (std::size_t g = 0; g < log10.size(); ++g)
    phred[g] = static_cast<std::uint32_t>(std::lround(10 * (std::ranges::max(log10) - log10[g])));
  return phred;
}

void write_likelihood_vcf(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
                          const std::vector<Reads>& samples, double error) {
  write_cells(path, panel, names, kWithLikelihoods, [&](std::size_t i, std::uint32_t s) {
    const std::uint32_t major = samples[i].major[s], minor = samples[i].minor[s];
    if (major + minor == 0) return std::string("./.:.");
    return fmt::format("./.:{}", fmt::join(phred_of(major, minor, error), ","));
  });
}

std::vector<std::string> numbered(const std::string& prefix, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(fmt::format("{}-{:03}", prefix, i));
  return names;
}

}  // namespace fastid::validate
