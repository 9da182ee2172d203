#include "questions/dvi/event/pooling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/checked.hpp"
#include "base/thread_pool.hpp"
#include "base/union_find.hpp"
#include "stats/kinship.hpp"

namespace fastid::victims {
namespace {

using stats::kGenotypes;

constexpr std::size_t kSitesOfWord = 64;

/// [x][y]: log10 P(x and y are read of one person) / P(the same of full siblings), at a site.
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

/// A bound on the ratio of two samples: so much for each site that both have, and so much less for each
/// allele that they differ in.
struct Bound {
  double site = 0, allele = 0;

  explicit Bound(const std::vector<SiteRatios>& sites) {
    for (const SiteRatios& of : sites)
      for (std::size_t x = 0; x < kGenotypes; ++x) site = std::max(site, of[x][x]);
    allele = -std::numeric_limits<double>::infinity();
    for (const SiteRatios& of : sites)
      for (std::size_t x = 0; x < kGenotypes; ++x)
        for (std::size_t y = 0; y < kGenotypes; ++y)
          if (x != y)
            allele = std::max(allele, (of[x][y] - site) / static_cast<double>(x > y ? x - y : y - x));
  }
  double of(std::uint64_t sites, std::uint64_t alleles) const {
    return static_cast<double>(sites) * site + (alleles == 0 ? 0 : static_cast<double>(alleles) * allele);
  }
};

/// Where a sample shows each allele.
struct Planes {
  std::vector<std::uint64_t> minor, major;

  explicit Planes(const stats::PersonReadings& readings)
      : minor(ceil_div<std::size_t>(readings.n_sites(), kSitesOfWord)), major(minor.size()) {
    for (std::size_t site = 0; site < readings.n_sites(); ++site) {
      const stats::ReadingCounts counts = stats::reading_counts(readings[site]);
      const std::uint64_t bit = std::uint64_t{1} << site % kSitesOfWord;
      if (counts[stats::kBothAlleles] + counts[stats::kMinorOnly] > 0) minor[site / kSitesOfWord] |= bit;
      if (counts[stats::kBothAlleles] + counts[stats::kMajorOnly] > 0) major[site / kSitesOfWord] |= bit;
    }
  }
};

/// Adds up the bits of words; the sums of 8 bits are added up less often.
class BitSum {
 public:
  void add(std::uint64_t word) {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    bytes_ += (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  }
  /// To be called after kMost words at the latest.
  void fold() {
    bytes_ = (bytes_ & 0x00ff00ff00ff00ff) + (bytes_ >> 8 & 0x00ff00ff00ff00ff);
    sum_ += bytes_ * 0x0001000100010001 >> 48;
    bytes_ = 0;
  }
  std::uint64_t sum() const { return sum_; }
  static constexpr std::size_t kMost = 31;

 private:
  std::uint64_t bytes_ = 0, sum_ = 0;
};

double most_of(const Bound& bound, const Planes& a, const Planes& b) {
  BitSum sites, minor, major;
  for (std::size_t word = 0; word < a.minor.size();) {
    const std::size_t end = std::min(a.minor.size(), word + BitSum::kMost);
    for (; word < end; ++word) {
      const std::uint64_t both = (a.minor[word] | a.major[word]) & (b.minor[word] | b.major[word]);
      sites.add(both);
      minor.add((a.minor[word] ^ b.minor[word]) & both);
      major.add((a.major[word] ^ b.major[word]) & both);
    }
    sites.fold();
    minor.fold();
    major.fold();
  }
  return bound.of(sites.sum(), minor.sum() + major.sum());
}

double log10_lr(const std::vector<SiteRatios>& sites, const stats::LinkageBlocks* blocks,
                const stats::PersonReadings& a, const stats::PersonReadings& b) {
  std::vector<Word> compared(ceil_div<std::size_t>(sites.size(), kWordBits));
  for (std::size_t site = 0; site < sites.size(); ++site)
    if (a[site] != stats::kNotRead && b[site] != stats::kNotRead)
      compared[site / kWordBits] |= Word{1} << site % kWordBits;
  const stats::SiteWeights weights(blocks, compared);
  double sum = 0;
  for (std::size_t site = 0; site < sites.size(); ++site)
    if (compared[site / kWordBits] >> site % kWordBits & 1)
      sum += weights[site] * sites[site][stats::genotype_of(a[site])][stats::genotype_of(b[site])];
  return sum;
}

}  // namespace

std::vector<std::vector<std::size_t>> pooled(const stats::AlleleModel& model,
                                             const std::vector<Remains>& remains, double bar,
                                             std::size_t threads) {
  std::vector<std::vector<SiteRatios>> sites;
  for (const stats::PopulationModel& of : model.models()) sites.push_back(ratios_of(of));
  const Bound bound(sites[0]);
  std::vector<Planes> planes;
  for (const Remains& of : remains) planes.emplace_back(of.readings);
  std::vector<std::vector<std::size_t>> same(remains.size());  // of each those before it
  in_parallel(remains.size(), threads, [&](std::size_t i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (model.blocks() == nullptr && most_of(bound, planes[j], planes[i]) <= bar) continue;
      const auto is_same = [&](const std::vector<SiteRatios>& of) {
        return log10_lr(of, model.blocks(), remains[j].readings, remains[i].readings) > bar;
      };
      if (std::ranges::all_of(sites, is_same)) same[i].push_back(j);
    }
  });
  UnionFind connected(remains.size());
  for (std::size_t i = 0; i < same.size(); ++i)
    for (const std::size_t j : same[i]) connected.join(j, i);
  std::vector<std::vector<std::size_t>> groups(remains.size());
  for (std::size_t i = 0; i < remains.size(); ++i) groups[connected.find(i)].push_back(i);
  std::erase_if(groups, [](const std::vector<std::size_t>& of) { return of.empty(); });
  return groups;
}

}  // namespace fastid::victims
