#include "engine/path_finder.hpp"

#include <algorithm>

#include "bits/popcount.hpp"

namespace fastid::engine {

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

PathQueries::PathQueries(const PathTest& test, const ProfileRows& queries)
    : test_(test), most_missing_(test.most_missing()) {
  for (std::size_t query = 0; query < queries.n_rows(); ++query) {
    codes_.push_back(path_codes(test.units, queries.row(query)));
    missing_.push_back(test.missing(queries.row(query)));
  }
  ascending_ = missing_;
  std::ranges::sort(ascending_);
}

std::size_t PathQueries::untested(std::uint32_t missing_of_profile) const {
  if (missing_of_profile > most_missing_) return size();
  const auto first = std::ranges::upper_bound(ascending_, most_missing_ - missing_of_profile);
  return static_cast<std::size_t>(ascending_.end() - first);
}

std::size_t PathQueries::most_blocks(const BlockShape& profiles) const {
  constexpr std::size_t kCache = std::size_t{8} << 20, kLeast = 16;
  const std::size_t of_cache = kCache / std::max<std::size_t>(1, 2 * profiles.block_bytes()),
                    of_pairs = kMostPairs / kLanes / std::max<std::size_t>(1, size());
  return std::max(kLeast, std::min(of_cache, of_pairs));
}

std::size_t PathQueries::blocks(const BlocksView& view, std::size_t first, std::size_t most_blocks,
                                std::uint64_t most_pairs) const {
  std::uint64_t pairs = 0;
  for (std::size_t n = 0; n < most_blocks; ++n) {
    const std::uint64_t begin = (first + n) * kLanes;
    const std::uint64_t end = std::min(view.shape.n_profiles, begin + kLanes);
    for (std::uint64_t profile = begin; profile < end; ++profile)
      pairs += untested(test_.missing(view, profile));
    if (n > 0 && pairs > most_pairs) return n;
  }
  return most_blocks;
}

}  // namespace fastid::engine
