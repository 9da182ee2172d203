#include "cli/near_name.hpp"

#include <algorithm>

namespace fastid::cli {
namespace {

/// How many letters must be added, left out, changed, or exchanged with their neighbour to make b of a.
std::size_t distance_of(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> of(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      of[i][j] = std::min({of[i - 1][j] + 1, of[i][j - 1] + 1, of[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
    }
  return of[a.size()][b.size()];
}

}  // namespace

std::string meant(std::string_view said, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;
  const std::string* best = nullptr;
  std::size_t nearest = std::max<std::size_t>(1, said.size() / 3) + 1;
  for (const std::string& name : names)
    if (const std::size_t far = said.size() > kLongest ? nearest : distance_of(said, name); far < nearest) {
      best = &name;
      nearest = far;
    }
  return best == nullptr ? "" : "; did you mean '" + *best + "'?";
}

}  // namespace fastid::cli
