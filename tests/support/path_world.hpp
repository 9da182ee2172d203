/// \file
/// Profiles, and a random test of their likeliest paths, for tests that hold engines to scores that are taken
/// site by site.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

#include "engine/path_count.hpp"

namespace fastid::testing {

struct PathSize {
  std::uint32_t n_sites = 0;
  std::size_t n_profiles = 0, n_queries = 0, n_tables = 1;
  int called = 100;  ///< per cent

  friend std::ostream& operator<<(std::ostream& out, const PathSize& size) {
    return out << size.n_sites << " sites, " << size.n_profiles << " profiles, " << size.n_queries
               << " queries, " << size.n_tables << " tables, " << size.called << " % called";
  }
};

class PathWorld {
 public:
  /// The queries are the first profiles, as many as there are, and the first ones again.
  explicit PathWorld(const PathSize& size)
      : rng_(size.n_sites + size.n_queries),
        seen_(size.n_profiles, std::vector<Seen>(size.n_sites, kNoneSeen)),
        blocks({size.n_profiles, size.n_sites, Encoding::kAlleles}),
        queries(size.n_queries, size.n_sites, Encoding::kAlleles) {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      for (std::uint32_t s = 0; s < size.n_sites; ++s) {
        if (up_to(99) >= size.called) continue;
        seen_[i][s] = static_cast<Seen>(1 + up_to(2));
        blocks.set_seen(i, s, seen_[i][s]);
        for (std::size_t query = i; query < size.n_queries; query += seen_.size())
          queries.set_seen(query, s, seen_[i][s]);
      }
    std::vector<std::uint32_t> places;
    for (std::uint32_t s = 0; s < size.n_sites; ++s)
      if (s / kUnitSites % 7 != 5) places.push_back(s);  // a part of a word may have no site that counts
    test.units = path_units(places);
    test.sites.resize(blocks.shape().n_words());
    for (const std::uint32_t place : places) test.sites[place / 32] |= Word{1} << place % 32;
    for (std::size_t i = 0; i < size.n_tables; ++i) add_table();
  }

  /// \param own  must outlive the result
  Problem problem(const PathCount& own) const {
    return {Comparison::kKinship, &queries, blocks.shape(), true, Encoding::kAlleles, &own};
  }
  void fill(const TileBuffer& to) const {
    const std::size_t words =
        static_cast<std::size_t>(blocks.shape().n_blocks()) * blocks.shape().block_words();
    std::copy_n(blocks.view().bits, words, to.bits);
    std::copy_n(blocks.view().second, words, to.second);
  }

  /// The score of a pair by a table, from what was drawn.
  int score(const PathTable& table, std::size_t query, std::size_t profile) const {
    int ratio = 0, sum = 0;
    const auto in_byte = [](int x) { return std::max(-128, std::min(127, x)); };
    for (std::size_t unit = 0; unit < test.units.size(); ++unit)
      for (std::size_t i = 0; i < 4; ++i) {
        if (i % 2 == 0) {
          const PathTable::Bounds& bounds = table.bounds[unit * 2 + i / 2];
          const int least = static_cast<std::int8_t>(bounds.least),
                    most = static_cast<std::int8_t>(bounds.most);
          if (ratio > most) sum += ratio - most;
          ratio = std::max(least, std::min(most, ratio));
        }
        const std::size_t site = test.units[unit].word * 32 + test.units[unit].byte * 8 + i * 2;
        ratio = in_byte(ratio +
                        table.scores[unit * 4 + i][code(query % seen_.size(), site)][code(profile, site)]);
      }
    return std::min(255, sum + std::max(0, ratio));
  }

  PairCounts expected(std::size_t query, std::size_t profile) const {
    std::uint32_t missing = 0;
    for (const std::size_t person : {query % seen_.size(), profile})
      for (std::size_t site = 0; site < seen_[person].size(); ++site)
        missing += seen_[person][site] == kNoneSeen && site / kUnitSites % 7 != 5 ? 1U : 0U;
    const bool passes = std::ranges::all_of(test.tables, [&](const PathTable& table) {
      const double bound = table.least_score - table.of_missing / 65536. * missing;
      return missing > table.most_missing || score(table, query, profile) >= bound;
    });
    return {passes ? 0U : 1U, 1, 0};
  }

  /// All pairs that pass their thresholds, in order. \param first_row  of the tile
  std::vector<Pair> passing(const std::vector<Threshold>& thresholds, std::uint64_t first_row) const {
    std::vector<Pair> wanted;
    for (std::size_t profile = 0; profile < seen_.size(); ++profile)
      for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
        const PairCounts counts = expected(query, profile);
        if (thresholds[query].passes(counts)) wanted.push_back({first_row + profile, query, counts});
      }
    return wanted;
  }

 private:
  int up_to(int most) { return static_cast<int>(rng_() % static_cast<unsigned>(most + 1)); }

  std::size_t code(std::size_t person, std::size_t site) const {
    std::size_t made = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Seen seen = site + i < seen_[person].size() ? seen_[person][site + i] : kNoneSeen;
      made |= ((seen & kMajorSeen) != 0 ? 1U : 0U) << i | ((seen & kMinorSeen) != 0 ? 4U : 0U) << i;
    }
    return made;
  }

  /// Ratios reach both ends of 8 bits, and about half of the pairs pass. Most scores are below 0, as those of
  /// strangers.
  void add_table() {
    PathTable table;
    for (std::size_t step = 0; step < 2 * test.units.size(); ++step) {
      const int wide = up_to(3) == 0 ? 127 : 60;
      table.bounds.push_back({0x01010101U * static_cast<std::uint8_t>(-up_to(wide)),
                              0x01010101U * static_cast<std::uint8_t>(up_to(wide))});
      if (up_to(9) == 0) table.bounds.back() = {};
    }
    table.scores.resize(4 * test.units.size());
    for (auto& of_two_sites : table.scores) {
      const int most = up_to(3) == 0 ? 127 : up_to(24);
      for (PathScores& of_query : of_two_sites)
        for (std::int8_t& score : of_query)
          score = static_cast<std::int8_t>(std::max(-127, up_to(2 * most) - most - most / 3));
    }
    std::vector<int> scores;
    for (std::size_t query = 0; query < queries.n_rows(); ++query)
      for (std::size_t profile = 0; profile < seen_.size(); ++profile)
        scores.push_back(score(table, query, profile));
    std::ranges::sort(scores);
    table.least_score = static_cast<std::uint8_t>(scores[scores.size() / 2]);
    table.of_missing = 3000;
    table.most_missing = blocks.shape().n_sites / 5;
    test.tables.push_back(table);
  }

  std::minstd_rand rng_;
  std::vector<std::vector<Seen>> seen_;

 public:
  BitBlocks blocks;
  ProfileRows queries;
  PathTest test;
};

}  // namespace fastid::testing
