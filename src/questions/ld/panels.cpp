#include "questions/ld/panels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "stats/panel_power.hpp"

namespace fastid::ld {
namespace {

double rarer(const SiteFacts& facts, std::uint32_t site) {
  return std::min(facts.minor_share[site], 1 - facts.minor_share[site]);
}

std::vector<double> worth_of(const SiteFacts& facts, PruneBy by) {
  if (by == PruneBy::kPower) return site_power(facts);
  std::vector<double> worth;
  for (std::uint32_t site = 0; site < facts.sites.size(); ++site) worth.push_back(rarer(facts, site));
  return worth;
}

/// The last of the sites that are at one position with each; a site of unknown position is alone.
std::vector<std::uint32_t> last_at_position(const std::vector<Site>& sites) {
  std::vector<std::uint32_t> last(sites.size());
  for (std::size_t i = sites.size(); i-- > 0;) {
    const bool with_next = i + 1 < sites.size() && sites[i].pos > 0 && sites[i].pos == sites[i + 1].pos &&
                           sites[i].chrom == sites[i + 1].chrom;
    last[i] = with_next ? last[i + 1] : static_cast<std::uint32_t>(i);
  }
  return last;
}

}  // namespace

std::vector<double> site_power(const SiteFacts& facts) {
  std::vector<double> power;
  for (std::size_t site = 0; site < facts.sites.size(); ++site) {
    double least = facts.populations.empty() ? stats::site_power(facts.minor_share[site])
                                             : std::numeric_limits<double>::infinity();
    for (const Population& population : facts.populations)
      least = std::min(least, stats::site_power(population.minor_freq[site]));
    power.push_back(least * facts.called_share[site]);
  }
  return power;
}

std::vector<std::uint32_t> pruned(const LdSearch& search, double most, PruneBy by) {
  const SiteFacts& facts = search.facts();
  std::vector<std::vector<std::uint32_t>> linked(facts.sites.size());
  search.find_all(false, [&](std::span<const SitePair> pairs) {
    for (const SitePair& pair : pairs) {
      if (!(pair.r2 > most)) continue;
      linked[pair.sites.first].push_back(pair.sites.second);
      linked[pair.sites.second].push_back(pair.sites.first);
    }
  });
  const std::vector<double> worth = worth_of(facts, by);
  std::vector<std::uint32_t> order(facts.sites.size()), kept;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t site) { return worth[site]; });
  std::vector<bool> out(facts.sites.size(), false);
  for (const std::uint32_t site : order) {
    if (out[site] || rarer(facts, site) == 0) continue;
    kept.push_back(site);
    for (const std::uint32_t other : linked[site]) out[other] = true;
  }
  std::ranges::sort(kept);
  return kept;
}

std::vector<SiteBlock> linkage_blocks(const LdSearch& search, double least) {
  const std::vector<Site>& sites = search.facts().sites;
  std::vector<std::uint32_t> reach =
      last_at_position(sites);  // of each site the last one that it is linked to
  search.find_all(false, [&](std::span<const SitePair> pairs) {
    for (const SitePair& pair : pairs)
      if (pair.r2 >= least && sites[pair.sites.first].pos > 0)
        reach[pair.sites.first] = std::max(reach[pair.sites.first], pair.sites.second);
  });
  std::vector<SiteBlock> blocks;
  for (std::uint32_t first = 0; first < sites.size();) {
    std::uint32_t last = reach[first];
    for (std::uint32_t site = first; site <= last; ++site) last = std::max(last, reach[site]);
    if (last > first) blocks.push_back({first, last});
    first = last + 1;
  }
  return blocks;
}

}  // namespace fastid::ld
