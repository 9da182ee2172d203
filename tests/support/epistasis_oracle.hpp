/// \file
/// What must be counted and scored of combinations of sites: one person at a time, by the formulas of K2 and
/// of mutual information as they are printed, with no code of src/ in it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "engine/epistasis.hpp"
#include "support/cohort.hpp"

namespace fastid::testing {

/// People of joint genotypes: [cell][controls, cases].
using TrueTable = std::vector<std::array<std::uint32_t, 2>>;

/// ln n!; not thread-safe.
inline long double log_factorial(std::uint32_t n) {
  static std::vector<long double> known = {0};
  while (known.size() <= n) known.push_back(known.back() + std::log(static_cast<long double>(known.size())));
  return known[n];
}

/// K2 of people in one cell: ln (n + 1)! - ln controls! - ln cases!.
inline long double true_k2(std::uint32_t controls, std::uint32_t cases) {
  return log_factorial(controls + cases + 1) - log_factorial(controls) - log_factorial(cases);
}

/// Shannon's entropy in nats, of so many in each class.
inline long double entropy(const std::vector<std::uint32_t>& counts) {
  long double all = 0, sum = 0;
  for (const std::uint32_t count : counts) all += count;
  for (const long double count : counts)
    if (count > 0) sum -= count / all * std::log(count / all);
  return sum;
}

/// K2 less that of everybody in one cell, or less the mutual information H(X) + H(Y) - H(X, Y).
inline long double true_cost(EpistasisScore score, const TrueTable& table) {
  std::uint32_t controls = 0, cases = 0;
  long double k2 = 0;
  std::vector<std::uint32_t> genotypes, both;
  for (const auto& [of_controls, of_cases] : table) {
    controls += of_controls;
    cases += of_cases;
    if (score == EpistasisScore::kK2) k2 += true_k2(of_controls, of_cases);
    genotypes.push_back(of_controls + of_cases);
    both.insert(both.end(), {of_controls, of_cases});
  }
  if (score == EpistasisScore::kK2) return k2 - true_k2(controls, cases);
  return -(entropy(genotypes) + entropy({controls, cases}) - entropy(both));
}

/// Every combination of sites of controls and cases, which have the same sites.
class TrueEpistasis {
 public:
  TrueEpistasis(const Cohort& controls, const Cohort& cases, std::size_t way, EpistasisScore score)
      : people_(controls.units + cases.units) {
    const std::uint32_t n = controls.n_sites;
    const auto add = [&](const SiteCombination& sites) {
      const TrueTable table = count(controls, cases, way, sites);
      std::uint64_t people = 0;
      for (const auto& cell : table) people += cell[0] + cell[1];
      all_[sites] = {people, true_cost(score, table)};
    };
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = a + 1; b < n; ++b) {
        if (way == 2) add({a, b});
        for (std::uint32_t c = b + 1; way > 2 && c < n; ++c) {
          if (way == 3) add({a, b, c});
          for (std::uint32_t d = c + 1; way == 4 && d < n; ++d) add({a, b, c, d});
        }
      }
  }

  /// How many have at least so many people.
  std::size_t n_of(std::uint64_t min_people) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all_, [&](const auto& one) { return one.second.people >= min_people; }));
  }

  /// Checks that these are the best of those with enough people, in order, with their costs. Where costs are
  /// equal but for rounding, either combination may be the better one.
  void check_best(const std::vector<ScoredCombination>& found, std::size_t top,
                  std::uint64_t min_people) const {
    ASSERT_EQ(found.size(), std::min(top, n_of(min_people)));
    EXPECT_TRUE(std::ranges::is_sorted(found));
    const double rounding = kRounding * (1 + static_cast<double>(people_) / 10'000);
    std::set<SiteCombination> seen;
    for (const ScoredCombination& one : found) {
      const auto at = all_.find(one.sites);
      ASSERT_NE(at, all_.end()) << "no combination";
      ASSERT_TRUE(seen.insert(one.sites).second) << "twice";
      EXPECT_GE(at->second.people, min_people);
      EXPECT_NEAR(one.cost, static_cast<double>(at->second.cost), rounding);
    }
    if (found.empty()) return;
    for (const auto& [sites, scored] : all_)
      if (scored.people >= min_people && !seen.contains(sites)) {
        EXPECT_GE(static_cast<double>(scored.cost), found.back().cost - rounding)
            << sites[0] << ", " << sites[1] << ", " << sites[2] << ", " << sites[3];
      }
  }

 private:
  static constexpr double kRounding = 1e-9;  ///< of some thousand people in double, and in proportion of more

  struct Scored {
    std::uint64_t people = 0;
    long double cost = 0;
  };

  static TrueTable count(const Cohort& controls, const Cohort& cases, std::size_t way,
                         const SiteCombination& sites) {
    TrueTable table(way == 2 ? 9 : way == 3 ? 27 : 81);
    for (const std::size_t of : {0U, 1U}) {
      const Cohort& cohort = of == 0 ? controls : cases;
      for (std::uint32_t person = 0; person < cohort.units; ++person) {
        std::size_t cell = 0;
        bool called = true;
        for (std::size_t i = 0; i < way; ++i) {
          const int copies = cohort.copies[sites[i]][person];
          called = called && copies != kMissing;
          cell = 3 * cell + static_cast<std::size_t>(std::max(0, copies));
        }
        if (called) ++table[cell][of];
      }
    }
    return table;
  }

  std::uint32_t people_;
  std::map<SiteCombination, Scored> all_;
};

}  // namespace fastid::testing
