/// \file
/// What must be counted and scored of combinations of sites: one person at a time, by the formulas of K2 and
/// of mutual information as they are printed, with no code of src/ in it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/epistasis.hpp"
#include "support/cohort.hpp"
#include "support/packed_copies.hpp"

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
inline long double true_cost(engine::EpistasisScore score, const TrueTable& table) {
  std::uint32_t controls = 0, cases = 0;
  long double k2 = 0;
  std::vector<std::uint32_t> genotypes, both;
  for (const auto& [of_controls, of_cases] : table) {
    controls += of_controls;
    cases += of_cases;
    if (score == engine::EpistasisScore::kK2) k2 += true_k2(of_controls, of_cases);
    genotypes.push_back(of_controls + of_cases);
    both.insert(both.end(), {of_controls, of_cases});
  }
  if (score == engine::EpistasisScore::kK2) return k2 - true_k2(controls, cases);
  return -(entropy(genotypes) + entropy({controls, cases}) - entropy(both));
}

/// The same in double, to the bit: the terms of cells are added in the order of their numbers, then that of
/// everybody, and ln n! is lgamma(n + 1).
inline double rounded_cost(engine::EpistasisScore score, const TrueTable& table) {
  const bool k2 = score == engine::EpistasisScore::kK2;
  const auto term = [&](std::uint32_t n) {  // ln n!, or n ln n
    static std::array<std::vector<double>, 2> known;
    std::vector<double>& terms = known[k2 ? 0 : 1];
    while (terms.size() <= n) {
      const auto next = static_cast<double>(terms.size());
      terms.push_back(k2 ? std::lgamma(next + 1) : next > 0 ? next * std::log(next) : 0);
    }
    return terms[n];
  };
  const auto of_cell = [&](std::uint32_t a, std::uint32_t b) {
    return k2 ? term(a + b + 1) - term(a) - term(b) : term(a) + term(b) - term(a + b);
  };
  std::uint32_t controls = 0, cases = 0;
  double sum = 0;
  for (const auto& [of_controls, of_cases] : table) {
    controls += of_controls;
    cases += of_cases;
    sum += of_cell(of_controls, of_cases);
  }
  const std::uint32_t n = controls + cases;
  if (k2) return sum - of_cell(controls, cases);
  return n == 0 ? 0 : -std::max(0.0, (sum + (term(n) - term(controls) - term(cases))) / n);
}

/// Every combination of sites of controls and cases, which have the same sites.
class TrueEpistasis {
 public:
  TrueEpistasis(const Cohort& controls, const Cohort& cases, std::size_t way, engine::EpistasisScore score)
      : rounding_(kRounding * (1 + static_cast<double>(controls.units + cases.units) / 10'000)) {
    engine::SiteCombination sites{};
    add_from(0, 0, sites, {controls, cases, way, score});
    std::ranges::sort(all_, {}, &Scored::combination);
  }

  /// How many have at least so many people.
  std::size_t n_of(std::uint64_t min_people) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all_, [&](const Scored& one) { return one.people >= min_people; }));
  }

  /// The best of those with enough people, the best first: of equal costs the one of the lowest places.
  std::vector<engine::ScoredCombination> best(std::size_t top, std::uint64_t min_people = 0) const {
    std::vector<engine::ScoredCombination> best;
    for (const Scored& one : all_)
      if (best.size() < top && one.people >= min_people) best.push_back(one.combination);
    return best;
  }

 private:
  static constexpr double kRounding = 1e-9;  ///< of some thousand people in double, and in proportion of more

  struct Question {
    const Cohort &controls, &cases;
    std::size_t way;
    engine::EpistasisScore score;
  };
  struct Scored {
    std::uint64_t people = 0;
    engine::ScoredCombination combination;
  };

  /// Those whose places up to `member` are set. \param first  the lowest place of the next one
  void add_from(std::uint32_t first, std::size_t member, engine::SiteCombination& sites,
                const Question& asked) {
    if (member == asked.way) {
      add(sites, asked);
      return;
    }
    for (std::uint32_t site = first; site < asked.controls.n_sites; ++site) {
      sites[member] = site;
      add_from(site + 1, member + 1, sites, asked);
    }
    sites[member] = 0;
  }

  void add(const engine::SiteCombination& sites, const Question& asked) {
    const TrueTable table = count(asked, sites);
    std::uint64_t people = 0;
    for (const auto& cell : table) people += cell[0] + cell[1];
    const double cost = rounded_cost(asked.score, table);
    EXPECT_NEAR(cost, static_cast<double>(true_cost(asked.score, table)), rounding_);
    all_.push_back({people, {cost, sites}});
  }

  static TrueTable count(const Question& asked, const engine::SiteCombination& sites) {
    TrueTable table(asked.way == 2 ? 9 : asked.way == 3 ? 27 : 81);
    for (const std::size_t of : {0U, 1U}) {
      const Cohort& cohort = of == 0 ? asked.controls : asked.cases;
      for (std::uint32_t person = 0; person < cohort.units; ++person) {
        std::size_t cell = 0;
        bool called = true;
        for (std::size_t i = 0; i < asked.way; ++i) {
          const int copies = cohort.copies[sites[i]][person];
          called = called && copies != kMissing;
          cell = 3 * cell + static_cast<std::size_t>(std::max(0, copies));
        }
        if (called) ++table[cell][of];
      }
    }
    return table;
  }

  double rounding_;
  std::vector<Scored> all_;  ///< the best first
};

/// Controls and cases, what engines are given of them, and the truth.
struct TraitWorld {
  TraitWorld(Cohort of_controls, Cohort of_cases, std::size_t of_sites, engine::EpistasisScore by)
      : controls(std::move(of_controls)), cases(std::move(of_cases)), way(of_sites), score(by) {}
  engine::EpistasisProblem problem(std::uint64_t min_people = 0) const {
    return {{packed_controls.view(), packed_cases.view()}, way, score, min_people};
  }

  Cohort controls, cases;
  std::size_t way;
  engine::EpistasisScore score;
  PackedCopies packed_controls{controls}, packed_cases{cases};
  TrueEpistasis truth{controls, cases, way, score};
};

/// What an engine finds in tiles of so many sites, the best first.
inline std::vector<engine::ScoredCombination> best_by(const engine::EpistasisEngine& engine,
                                                      const engine::EpistasisProblem& problem,
                                                      std::size_t top, std::uint32_t tile_sites) {
  engine::BestCombinations best(top);
  for (const engine::Rectangle& tile : engine::tiles_of(problem, tile_sites)) engine.find(tile, best);
  return best.kept();
}

}  // namespace fastid::testing
