#include "ingest/internal/chosen_sites.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

std::vector<bool> listed(const Panel& panel, const std::string& path) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const std::string text = read_whole_file(path, kMost);
  std::vector<bool> is_listed(panel.n_sites(), false);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view id = trim(line);
    if (id.empty() || id.starts_with('#')) continue;  // no id begins with it
    const auto site = panel.find_id(id);
    if (!site)
      throw InputError(path, fmt::format("line {}", number),
                       fmt::format("the panel has no site '{}'", printable(id)),
                       "list ids of the panel (fastid ld --prune prints those of its file)");
    is_listed[*site] = true;
  }
  return is_listed;
}

}  // namespace

Panel chosen_sites(const Panel& panel, const std::string& path) {
  const std::vector<bool> is_listed = listed(panel, path);
  std::vector<Site> sites;
  std::vector<Population> populations;
  for (const Population& population : panel.populations()) populations.push_back({population.name, {}});
  for (std::size_t s = 0; s < is_listed.size(); ++s) {
    if (!is_listed[s]) continue;
    sites.push_back(panel.sites()[s]);
    for (std::size_t p = 0; p < populations.size(); ++p)
      populations[p].minor_freq.push_back(panel.populations()[p].minor_freq[s]);
  }
  if (sites.empty()) throw InputError(path, "", "lists no site", "write the ids of sites, one a line");
  return Panel(std::move(sites), std::move(populations), panel.build(), path);
}

}  // namespace fastid
