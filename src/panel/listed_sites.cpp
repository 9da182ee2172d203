#include "panel/listed_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace fastid {

ListedSites read_listed_sites(const Panel& panel, const std::string& path) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  ListedSites read{.is_listed = std::vector<bool>(panel.n_sites(), false),
                   .text = without_encoding_mark(read_whole_file(path, kMost), path)};
  std::size_t number = 0;
  for (const std::string_view line : split(read.text, '\n')) {
    ++number;
    const std::string_view id = trim(line);
    if (id.empty() || id.starts_with('#')) continue;  // no id begins with it
    const auto site = panel.find_id(id);
    if (!site)
      throw InputError(path, fmt::format("line {}", number),
                       fmt::format("the panel has no site '{}'", printable(id)),
                       "list ids of the panel (fastid ld --prune prints those of its file)");
    read.is_listed[*site] = true;
  }
  if (std::ranges::find(read.is_listed, true) == read.is_listed.end())
    throw InputError(path, "", "lists no site", "write the ids of sites, one a line");
  return read;
}

}  // namespace fastid
