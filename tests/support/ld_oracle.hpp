/// \file
/// What must be counted of pairs of sites, and which are linked: one unit at a time, with no code of src/ in
/// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ld.hpp"
#include "support/cohort.hpp"

namespace fastid::testing {

/// The sums over the units at which both sites are called.
inline LdCounts true_counts(const Cohort& cohort, std::uint32_t first, std::uint32_t second) {
  LdCounts counts;
  for (std::uint32_t u = 0; u < cohort.units; ++u) {
    if (cohort.copies[first][u] == kMissing || cohort.copies[second][u] == kMissing) continue;
    const auto x = static_cast<std::uint32_t>(cohort.copies[first][u]),
               y = static_cast<std::uint32_t>(cohort.copies[second][u]);
    ++counts.called;
    counts.x += x;
    counts.y += y;
    counts.xx += x * x;
    counts.yy += y * y;
    counts.xy += x * y;
  }
  return counts;
}

/// Pearson's correlation, squared; no value where a site does not vary. Of fewer than 10,000 units, its
/// numerator and denominator are exact.
inline std::optional<long double> true_r2(const LdCounts& counts) {
  const long double n = counts.called, x = counts.x, y = counts.y;
  const long double of_x = n * counts.xx - x * x, of_y = n * counts.yy - y * y, both = n * counts.xy - x * y;
  if (of_x == 0 || of_y == 0) return std::nullopt;
  return both * both / (of_x * of_y);
}

/// A cohort's pairs: all that can be linked.
class TrueLd {
 public:
  explicit TrueLd(const Cohort& cohort) {
    for (std::uint32_t second = 0; second < cohort.n_sites; ++second)
      for (std::uint32_t first = 0; first < second; ++first) {
        const LdCounts counts = true_counts(cohort, first, second);
        if (const auto r2 = true_r2(counts)) pairs_.push_back({{first, second, counts}, *r2});
      }
  }

  /// In the order of second and first site.
  std::vector<LdPair> linked(const Rectangle& tile, double min_r2) const {
    std::vector<LdPair> linked;
    for (const auto& [sites, r2] : pairs_)
      if (r2 >= min_r2 && sites.first >= tile.row_begin && sites.first < tile.row_end &&
          sites.second >= tile.column_begin && sites.second < tile.column_end)
        linked.push_back(sites);
    return linked;
  }

  /// Limits that no pair is near enough for rounding to matter: 0, which all reach, 1, which those reach
  /// alone that are exactly 1, and some between which about half and a tenth of the pairs reach.
  std::vector<double> limits() const {
    constexpr long double kApart = 1e-6L;
    std::vector<long double> all;
    for (const Pair& pair : pairs_) all.push_back(pair.r2);
    std::ranges::sort(all);
    std::vector<double> limits = {0, 1};
    for (const std::size_t tenths : {5U, 9U})
      for (std::size_t i = all.size() * tenths / 10; i + 1 < all.size(); ++i)
        if (all[i + 1] - all[i] > kApart) {
          limits.push_back(static_cast<double>((all[i] + all[i + 1]) / 2));
          break;
        }
    return limits;
  }

 private:
  struct Pair {
    LdPair sites;
    long double r2 = 0;
  };
  std::vector<Pair> pairs_;
};

}  // namespace fastid::testing
