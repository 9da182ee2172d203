#include "engine/path_count.hpp"

#include <algorithm>

#include "bits/popcount.hpp"

namespace fastid {

std::uint32_t PathTest::missing(const RowView& row) const {
  int n = 0;
  for (std::size_t word = 0; word < sites.size(); ++word)
    n += bits_set(sites[word] & ~(row.bits[word] | row.major[word]));
  return static_cast<std::uint32_t>(n);
}

std::uint32_t PathTest::missing(const BlocksView& view, std::uint64_t profile) const {
  int n = 0;
  for (std::size_t word = 0; word < sites.size(); ++word)
    n += bits_set(sites[word] & ~(view.bits_word(profile, word) | view.major_word(profile, word)));
  return static_cast<std::uint32_t>(n);
}

std::uint32_t PathTest::most_missing() const {
  std::uint32_t most = 0;
  for (const PathTable& table : tables) most = std::max(most, table.most_missing);
  return most;
}

bool PathTest::passes(const RowView& query, const BlocksView& view, std::uint64_t profile) const {
  const std::vector<std::uint8_t> codes = path_codes(units, query);
  const std::uint32_t of_pair = missing(query) + missing(view, profile);
  return std::ranges::all_of(tables, [&](const PathTable& table) {
    return table.passes(plain_path_score(table, units, path_scores(table, codes), view, profile), of_pair);
  });
}

}  // namespace fastid
