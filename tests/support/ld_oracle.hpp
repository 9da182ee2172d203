/// \file
/// What must be counted of pairs of sites, and which are linked: one unit at a time, with no code of src/ in
/// it; and what engines count and find.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/ld.hpp"
#include "support/cohort.hpp"
#include "support/packed_copies.hpp"

namespace fastid::testing {

/// The sums over the units at which both sites are called.
inline engine::LdCounts true_counts(const Cohort& cohort, std::uint32_t first, std::uint32_t second) {
  engine::LdCounts counts;
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

/// How many people have each pair of genotypes, over those that are called at both sites. A haplotype counts
/// as somebody who has its allele twice.
inline engine::GenotypeCells true_cells(const Cohort& cohort, std::uint32_t first, std::uint32_t second) {
  engine::GenotypeCells cells{};
  const int times = cohort.unit == engine::LdUnit::kHaplotypes ? 2 : 1;
  for (std::uint32_t u = 0; u < cohort.units; ++u) {
    const int x = cohort.copies[first][u], y = cohort.copies[second][u];
    if (x != kMissing && y != kMissing)
      ++cells[static_cast<std::size_t>(times * x)][static_cast<std::size_t>(times * y)];
  }
  return cells;
}

/// Pearson's correlation, squared; no value where a site does not vary. Of fewer than 10,000 units, its
/// numerator and denominator are exact.
inline std::optional<long double> true_r2(const engine::LdCounts& counts) {
  const long double n = counts.called, x = counts.x, y = counts.y;
  const long double of_x = n * counts.xx - x * x, of_y = n * counts.yy - y * y, both = n * counts.xy - x * y;
  if (of_x == 0 || of_y == 0) return std::nullopt;
  return both * both / (of_x * of_y);
}

/// D and D' of two sites.
struct TrueD {
  double d = 0, d_prime = 0;
};

/// Of haplotypes as they are; of genotypes with the share of haplotypes of both minor alleles that makes the
/// genotypes most probable, if the two haplotypes of a person are independent. No value where a site has one
/// allele.
inline std::optional<TrueD> true_d(const Cohort& cohort, std::uint32_t first, std::uint32_t second) {
  const engine::LdCounts counts = true_counts(cohort, first, second);
  const engine::GenotypeCells cells = true_cells(cohort, first, second);
  const bool haplotypes = cohort.unit == engine::LdUnit::kHaplotypes;
  const long double n = (haplotypes ? 1.0L : 2.0L) * counts.called, x = counts.x / n, y = counts.y / n;
  if (n == 0 || x == 0 || x == 1 || y == 0 || y == 1) return std::nullopt;
  const auto log_probability = [&](long double both) {
    const long double p[2][2] = {{1 - x - y + both, y - both}, {x - both, both}};
    long double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        if (cells[i][j] == 0) continue;
        long double probability = 0;
        for (const std::size_t a : {0U, 1U})
          for (const std::size_t b : {0U, 1U})
            if (i >= a && i - a <= 1 && j >= b && j - b <= 1) probability += p[a][b] * p[i - a][j - b];
        sum += cells[i][j] * std::log(std::max(probability, 1e-300L));
      }
    return sum;
  };
  long double both = counts.xy / n, least = std::max(0.0L, x + y - 1), most = std::min(x, y);
  constexpr int kSteps = 100;
  for (int round = 0; !haplotypes && round < 10; ++round) {  // each time in a 50th of the room
    const long double step = (most - least) / kSteps, from = least, to = most;
    both = from;
    for (int i = 1; i <= kSteps; ++i)
      if (const long double there = from + step * i; log_probability(there) > log_probability(both))
        both = there;
    least = std::max(from, both - step);
    most = std::min(to, both + step);
  }
  const long double d = both - x * y;
  const long double largest = d < 0 ? std::min(x * y, (1 - x) * (1 - y)) : std::min(x * (1 - y), y * (1 - x));
  return TrueD{static_cast<double>(d), static_cast<double>(d / largest)};
}

/// A cohort's pairs: all that can be linked.
class TrueLd {
 public:
  explicit TrueLd(const Cohort& cohort) {
    for (std::uint32_t second = 0; second < cohort.n_sites; ++second)
      for (std::uint32_t first = 0; first < second; ++first) {
        const engine::LdCounts counts = true_counts(cohort, first, second);
        if (const auto r2 = true_r2(counts)) pairs_.push_back({{first, second, counts}, *r2});
      }
  }

  /// In the order of second and first site.
  std::vector<engine::LdPair> linked(const engine::Rectangle& tile, double min_r2) const {
    std::vector<engine::LdPair> linked;
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
    engine::LdPair sites;
    long double r2 = 0;
  };
  std::vector<Pair> pairs_;
};

/// A cohort, and what engines are given of it.
struct LdWorld {
  explicit LdWorld(Cohort made) : cohort(std::move(made)) {
    for (std::uint32_t site = 0; site < cohort.n_sites; ++site)
      own.push_back(true_counts(cohort, site, site));
  }
  LdWorld(std::uint32_t n_sites, std::uint32_t units, engine::LdUnit unit, double missing)
      : LdWorld(make_cohort(n_sites, units, unit, missing)) {}
  engine::LdProblem problem(double min_r2, bool counted = false) const {
    return {packed.view(), cohort.unit, min_r2, own, counted};
  }
  engine::Rectangle all() const { return {0, cohort.n_sites, 0, cohort.n_sites}; }
  /// The counts of each pair of a rectangle, [row][column].
  std::vector<engine::LdCounts> counts(const engine::Rectangle& pairs) const {
    std::vector<engine::LdCounts> counts;
    for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row)
      for (std::uint32_t column = pairs.column_begin; column < pairs.column_end; ++column)
        counts.push_back(true_counts(cohort, row, column));
    return counts;
  }

  Cohort cohort;
  PackedCopies packed{cohort};
  TrueLd truth{cohort};
  std::vector<engine::LdCounts> own;
};

/// Pairs in the order of TrueLd::linked().
inline std::vector<engine::LdPair> in_order(std::vector<engine::LdPair> pairs) {
  std::ranges::sort(pairs, {}, [](const engine::LdPair& pair) { return std::pair(pair.second, pair.first); });
  return pairs;
}

inline std::vector<engine::LdPair> linked_by(const engine::LdEngine& engine, const engine::Rectangle& tile) {
  std::vector<engine::LdPair> found;
  engine.find(tile, found);
  return in_order(std::move(found));
}

inline std::vector<engine::LdCounts> counted_by(const engine::LdEngine& engine,
                                                const engine::Rectangle& pairs) {
  std::vector<engine::LdCounts> counts(pairs.pairs());
  engine.count(pairs, counts);
  return counts;
}

}  // namespace fastid::testing
