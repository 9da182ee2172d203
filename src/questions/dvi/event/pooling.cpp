#include "questions/dvi/event/pooling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>

#include "base/checked.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "base/union_find.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "pipeline/all_pairs.hpp"
#include "stats/kinship.hpp"

namespace fastid::dvi {
namespace {

using stats::kGenotypes;

/// [x][y]: log10 P(x and y are read of one person) / P(x and y are read of full siblings), at a site.
using SiteRatios = std::array<std::array<double, kGenotypes>, kGenotypes>;

std::vector<SiteRatios> ratios_of(const stats::PopulationModel& model) {
  const stats::KinshipModel pairs(model);
  std::vector<SiteRatios> sites(model.n_sites());
  for (std::size_t site = 0; site < sites.size(); ++site)
    for (std::size_t x = 0; x < kGenotypes; ++x)
      for (std::size_t y = 0; y < kGenotypes; ++y)
        sites[site][x][y] = pairs.at(site)[x][y].between(stats::Relation::kSame, stats::Relation::kSibling);
  return sites;
}

/// The least likeness of two samples whose ratio may be above 10^bar, as a threshold: the log ratio is at
/// most a fixed amount for each site that both have, and lower by a fixed amount for each allele that
/// differs.
engine::Threshold least_alike(const std::vector<SiteRatios>& sites, double bar) {
  constexpr double kScale = 1 << 20, kMost = 1 << 30;
  double site = 0, allele = -std::numeric_limits<double>::infinity();
  for (const SiteRatios& of : sites)
    for (std::size_t x = 0; x < kGenotypes; ++x) site = std::max(site, of[x][x]);
  for (const SiteRatios& of : sites)
    for (std::size_t x = 0; x < kGenotypes; ++x)
      for (std::size_t y = 0; y < kGenotypes; ++y)
        if (x != y) allele = std::max(allele, (of[x][y] - site) / static_cast<double>(x > y ? x - y : y - x));
  return {.num = static_cast<std::uint32_t>(std::min(std::ceil(site * kScale), kMost)),
          .den = static_cast<std::uint32_t>(std::clamp(std::floor(-allele * kScale), 0.0, kMost)),
          .offset = -static_cast<std::int64_t>(std::floor(std::min(bar, kMost / kScale) * kScale))};
}

constexpr std::uint8_t kNone = 3;  ///< not read

/// [site]: minor copies, or kNone.
std::vector<std::uint8_t> genotypes_of(const stats::PersonReadings& readings) {
  std::vector<std::uint8_t> genotypes(readings.n_sites(), kNone);
  for (std::size_t site = 0; site < genotypes.size(); ++site)
    if (readings[site] != stats::kNotRead)
      genotypes[site] = static_cast<std::uint8_t>(stats::genotype_of(readings[site]));
  return genotypes;
}

using AllGenotypes = std::vector<std::vector<std::uint8_t>>;  ///< [sample][site]

BitBlocks blocks_of(const AllGenotypes& genotypes, std::uint32_t n_sites) {
  constexpr std::array<Seen, kGenotypes> kSeen{kMajorSeen, kBothSeen, kMinorSeen};
  BitBlocks blocks({genotypes.size(), n_sites, Encoding::kAlleles});
  for (std::size_t i = 0; i < genotypes.size(); ++i)
    for (std::uint32_t site = 0; site < n_sites; ++site)
      if (genotypes[i][site] != kNone) blocks.set_seen(i, site, kSeen[genotypes[i][site]]);
  return blocks;
}

/// [sample]: the earlier samples that may be of the same person.
std::vector<std::vector<std::size_t>> alike(const AllGenotypes& genotypes, std::uint32_t n_sites,
                                            const engine::Threshold& least, std::size_t threads) {
  const BitBlocks blocks = blocks_of(genotypes, n_sites);
  const MemorySource source(blocks.view());
  const std::unique_ptr<engine::Engine> engine = engine::make_cpu_engine({.threads = threads});
  Progress none(ProgressMode::kNever, "", "", 0);
  std::vector<std::vector<std::size_t>> before(genotypes.size());
  const pipeline::AllPairs all{.comparison = engine::Comparison::kIdentity,
                               .by = Encoding::kAlleles,
                               .columns = source,
                               .rows = source,
                               .threshold = least,
                               .rows_for = [](std::uint64_t end) { return end; },
                               .keep = [](std::uint64_t column, std::uint64_t row,
                                          const engine::PairCounts&) { return row < column; }};
  pipeline::stream_pairs(all, *engine, threads, none, [&](const pipeline::Strip& strip) {
    for (const engine::Pair& pair : strip.pairs) before[strip.first + pair.query].push_back(pair.row);
  });
  return before;
}

double log10_lr(const std::vector<SiteRatios>& sites, const stats::LinkageBlocks* blocks,
                const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double sum = 0;
  if (blocks == nullptr) {
    for (std::size_t site = 0; site < sites.size(); ++site)
      if (a[site] != kNone && b[site] != kNone) sum += sites[site][a[site]][b[site]];
    return sum;
  }
  std::vector<Word> compared(ceil_div<std::size_t>(sites.size(), kWordBits));
  for (std::size_t site = 0; site < sites.size(); ++site)
    if (a[site] != kNone && b[site] != kNone) compared[site / kWordBits] |= Word{1} << site % kWordBits;
  const stats::SiteWeights weights(blocks, compared);
  for (std::size_t site = 0; site < sites.size(); ++site)
    if (compared[site / kWordBits] >> site % kWordBits & 1)
      sum += weights[site] * sites[site][a[site]][b[site]];
  return sum;
}

}  // namespace

std::vector<std::vector<std::size_t>> pooled(const stats::AlleleModel& model,
                                             const std::vector<Remains>& remains, double bar,
                                             std::size_t threads) {
  std::vector<std::vector<SiteRatios>> sites;
  for (const stats::PopulationModel& of : model.models()) sites.push_back(ratios_of(of));
  AllGenotypes genotypes(remains.size());
  in_parallel(remains.size(), threads,
              [&](std::size_t i) { genotypes[i] = genotypes_of(remains[i].readings); });
  // The bound of least_alike() holds only where all sites weigh the same.
  const bool may_be_any = model.blocks() != nullptr;
  std::vector<std::vector<std::size_t>> same(remains.size());  // [sample]: the earlier ones
  if (!may_be_any)
    same = alike(genotypes, static_cast<std::uint32_t>(model.n_sites()), least_alike(sites[0], bar), threads);
  in_parallel(remains.size(), threads, [&](std::size_t i) {
    if (may_be_any) {
      same[i].resize(i);
      std::iota(same[i].begin(), same[i].end(), std::size_t{0});
    }
    std::erase_if(same[i], [&](std::size_t j) {
      return !std::ranges::all_of(sites, [&](const std::vector<SiteRatios>& of) {
        return log10_lr(of, model.blocks(), genotypes[j], genotypes[i]) > bar;
      });
    });
    same[i].shrink_to_fit();
  });
  UnionFind connected(remains.size());
  for (std::size_t i = 0; i < same.size(); ++i)
    for (const std::size_t j : same[i]) connected.join(j, i);
  std::vector<std::vector<std::size_t>> groups(remains.size());
  for (std::size_t i = 0; i < remains.size(); ++i) groups[connected.find(i)].push_back(i);
  std::erase_if(groups, [](const std::vector<std::size_t>& of) { return of.empty(); });
  return groups;
}

}  // namespace fastid::dvi
