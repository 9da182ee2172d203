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

#include "engine/path_finder.hpp"
#include "support/drawn_people.hpp"

namespace fastid::testing {

class PathWorld final : public DrawnPeople {
 public:
  explicit PathWorld(const DrawnSize& size) : DrawnPeople(size) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t s = 0; s < size.n_sites; ++s)
      if (s / engine::kUnitSites % 7 != 5)
        places.push_back(s);  // a part of a word may have no site that counts
    test.units = engine::path_units(places);
    test.sites.resize(blocks.shape().n_words());
    for (const std::uint32_t place : places) test.sites[place / 32] |= Word{1} << place % 32;
    for (std::size_t i = 0; i < size.n_tables; ++i) add_table();
  }

  /// The score of a pair by a table, from what was drawn.
  int score(const engine::PathTable& table, std::size_t query, std::size_t profile) const {
    int ratio = 0, sum = 0;
    const auto in_byte = [](int x) { return std::max(-128, std::min(127, x)); };
    for (std::size_t unit = 0; unit < test.units.size(); ++unit)
      for (std::size_t i = 0; i < 4; ++i) {
        if (i % 2 == 0) {
          const engine::PathTable::Bounds& bounds = table.bounds[unit * 2 + i / 2];
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

  bool passes(std::size_t query, std::size_t profile) const {
    std::uint32_t missing = 0;
    for (const std::size_t person : {query % seen_.size(), profile})
      for (std::size_t site = 0; site < seen_[person].size(); ++site)
        missing += seen_[person][site] == kNoneSeen && site / engine::kUnitSites % 7 != 5 ? 1U : 0U;
    return std::ranges::all_of(test.tables, [&](const engine::PathTable& table) {
      const double bound = table.least_score - table.of_missing / 65536. * missing;
      return missing > table.most_missing || score(table, query, profile) >= bound;
    });
  }

 private:
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
    engine::PathTable table;
    for (std::size_t step = 0; step < 2 * test.units.size(); ++step) {
      const int wide = up_to(3) == 0 ? 127 : 60;
      table.bounds.push_back({0x01010101U * static_cast<std::uint8_t>(-up_to(wide)),
                              0x01010101U * static_cast<std::uint8_t>(up_to(wide))});
      if (up_to(9) == 0) table.bounds.back() = {};
    }
    table.scores.resize(4 * test.units.size());
    for (auto& of_two_sites : table.scores) {
      const int most = up_to(3) == 0 ? 127 : up_to(24);
      for (engine::PathScores& of_query : of_two_sites)
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

 public:
  engine::PathTest test;
};

}  // namespace fastid::testing
