// Writes small databases for the fuzz targets: as built, with missing calls, and appended to. Chunks of one
// block keep them at some tens of kilobytes.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "db/database.hpp"

namespace {

using namespace fastid;

Panel small_panel(std::uint32_t n_sites) {
  std::vector<Site> sites;
  Population population{"madeup", {}};
  for (std::uint32_t s = 0; s < n_sites; ++s) {
    sites.push_back({"rs" + std::to_string(1001 + s), std::to_string(1 + s / 3), 1000 * (s + 1),
                     "ACGT"[s % 4], "CATG"[s % 4]});
    population.minor_freq.push_back(0.1 + 0.01 * s);
  }
  return Panel(std::move(sites), {population}, GenomeBuild::kGRCh37, "seed");
}

BitBlocks people(std::uint64_t n, std::uint32_t n_sites, bool missing) {
  BitBlocks blocks({n, n_sites});
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint32_t s = 0; s < n_sites; ++s)
      if (!missing || (i + s) % 7 != 0) blocks.set(i, s, (i * 3 + s) % 5 < 2);
  return blocks;
}

std::vector<std::string> ids(std::uint64_t first, std::uint64_t n) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < n; ++i) names.push_back("P" + std::to_string(first + i));
  return names;
}

void write(const std::string& path, bool missing, bool appended) {
  constexpr std::uint32_t kSites = 9;
  constexpr std::uint64_t kPeople = 40;
  const db::LogInput input{"people.vcf", std::string(64, '0'), kPeople};
  db::Writer writer(path, small_panel(kSites), {.chunk_blocks = 1});
  writer.append(ids(0, kPeople), people(kPeople, kSites, missing).view());
  writer.finish({.action = "build", .command = "fastid db build", .inputs = {input}});
  if (!appended) return;
  db::Appender appender(path);
  appender.append(ids(1'000'000, kPeople), people(kPeople, kSites, true).view());
  appender.finish({.action = "append", .command = "fastid db append", .inputs = {input}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const std::string folder = argv[1];
    write(folder + "/called", false, false);
    write(folder + "/missing", true, false);
    write(folder + "/appended", false, true);
    return 0;
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
