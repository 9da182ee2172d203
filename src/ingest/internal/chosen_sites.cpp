#include "ingest/internal/chosen_sites.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ingest/ingest.hpp"
#include "panel/listed_sites.hpp"

namespace fastid::ingest {
namespace {

std::optional<double> pruned_r2(const std::string& path, std::string_view text) {
  if (!text.starts_with(kPrunedMark)) return std::nullopt;
  const std::string_view line = text.substr(kPrunedMark.size(), text.find('\n') - kPrunedMark.size());
  const auto r2 = parse_number<double>(trim(line.substr(0, line.find(':'))));
  if (!r2 || !(*r2 >= 0 && *r2 <= 1))
    throw InputError(path, "line 1", fmt::format("'{}' states no r2", printable(line)),
                     "write a number from 0 to 1, as fastid ld --prune does, or leave the line out");
  return r2;
}

}  // namespace

ChosenSites chosen_sites(const Panel& panel, const std::string& path) {
  const auto [is_listed, text] = read_listed_sites(panel, path);
  std::vector<Site> sites;
  std::vector<Population> populations;
  for (const Population& population : panel.populations()) populations.push_back({population.name, {}});
  for (std::size_t s = 0; s < is_listed.size(); ++s) {
    if (!is_listed[s]) continue;
    sites.push_back(panel.sites()[s]);
    for (std::size_t p = 0; p < populations.size(); ++p) {
      const Population& all = panel.populations()[p];
      populations[p].minor_freq.push_back(all.minor_freq[s]);
      if (!all.counted.empty()) populations[p].counted.push_back(all.counted[s]);
    }
  }
  return {Panel(std::move(sites), std::move(populations), panel.build(), path), pruned_r2(path, text)};
}

}  // namespace fastid::ingest
