#include "db/id_list.hpp"

#include <unordered_set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace fastid::db {

std::vector<std::string> read_id_list(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
  const std::string text = read_whole_list(path, kMostBytes);
  std::vector<std::string> ids;
  std::unordered_set<std::string_view> seen;
  for (const std::string_view line : split(text, '\n'))
    if (const std::string_view id = trim(line); !id.empty() && seen.insert(id).second) ids.emplace_back(id);
  if (ids.empty()) throw InputError(display_name(path), "", "lists no profile", "write one id on each line");
  return ids;
}

}  // namespace fastid::db
