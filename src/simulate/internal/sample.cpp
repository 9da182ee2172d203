#include "simulate/internal/sample.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/build_info.hpp"
#include "base/file.hpp"

namespace fastid::simulate {

std::string profile_id(std::uint64_t row) {
  return fmt::format("P{:09}", row + 1);
}

Person person_of(const std::vector<SiteAlleles>& block, std::uint32_t men, std::uint64_t lane) {
  Person person{(men >> lane & 1) != 0 ? Sex::kMale : Sex::kFemale, {}, {}};
  for (const SiteAlleles& site : block) {
    person.first.push_back((site.first >> lane & 1) != 0);
    person.second.push_back((site.second >> lane & 1) != 0);
  }
  return person;
}

Person stored_person(const People& people, std::uint64_t row) {
  return person_of(people.alleles(row / kLanes), people.men(row / kLanes), row % kLanes);
}

std::string path_in(const SimulateOptions& options, const std::string& file) {
  return (std::filesystem::path(options.cases_dir) / file).string();
}

std::string sample_head(const SimulateOptions& options, const std::string& name) {
  return fmt::format("#sample {}\n# simulated by fastid {}, seed {}\n", name, version(), options.seed);
}

std::string snp_head(const SimulateOptions& options, const Panel& panel, const std::string& name) {
  std::string head = sample_head(options, name);
  if (panel.build() != GenomeBuild::kUnknown)
    head += fmt::format("# build {}\n", fastid::name_of(panel.build()));
  return head + "# rsid\tchromosome\tposition\tgenotype\n";
}

std::string snp_line(const Site& site, Shown shown) {
  std::string letters = "--";
  if (shown.major || shown.minor)
    letters = {shown.major ? site.major : site.minor, shown.minor ? site.minor : site.major};
  return fmt::format("{}\t{}\t{}\t{}\n", site.id, site.chrom, site.pos, letters);
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace fastid::simulate
