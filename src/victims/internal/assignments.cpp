#include "victims/internal/assignments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace fastid::victims {

double n_assignments(const Candidates& candidates) {
  double n = 1;
  for (const std::vector<std::size_t>& of_one : candidates) n *= 1 + static_cast<double>(of_one.size());
  return n;
}

std::vector<Assignment> all_assignments(
    const Candidates& candidates,
    const std::function<double(std::span<const std::optional<std::size_t>>)>& weight) {
  std::vector<Assignment> all;
  std::vector<std::optional<std::size_t>> chosen(candidates.size());
  const auto is_taken = [&](std::size_t before, std::size_t person) {
    return std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(before),
                     std::optional(person)) != chosen.begin() + static_cast<std::ptrdiff_t>(before);
  };
  const auto choose = [&](const auto& self, std::size_t missing) -> void {
    if (missing == candidates.size()) {
      all.push_back({weight(chosen), chosen});
      return;
    }
    chosen[missing].reset();
    self(self, missing + 1);
    for (const std::size_t person : candidates[missing])
      if (!is_taken(missing, person)) {
        chosen[missing] = person;
        self(self, missing + 1);
      }
    chosen[missing].reset();
  };
  choose(choose, 0);
  std::erase_if(all, [](const Assignment& of) {
    return !(of.log10_weight > -std::numeric_limits<double>::infinity());
  });
  std::ranges::stable_sort(all, std::ranges::greater{}, &Assignment::log10_weight);
  return all;
}

std::vector<PairFinding> findings_of(std::span<const Assignment> assignments,
                                     std::span<const std::size_t> set) {
  std::set<std::size_t> people;
  for (const Assignment& of : assignments)
    for (const std::size_t m : set)
      if (of.person[m]) people.insert(*of.person[m]);
  std::vector<PairFinding> findings;
  for (const std::size_t person : people) {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    double with = 0, all = 0, best_with = kNone, best_without = kNone;
    for (const Assignment& of : assignments) {
      const double share = std::pow(10, of.log10_weight - assignments[0].log10_weight);
      const bool is_one =
          std::ranges::any_of(set, [&](std::size_t m) { return of.person[m] == std::optional(person); });
      all += share;
      if (is_one) with += share;
      double& best = is_one ? best_with : best_without;
      best = std::max(best, of.log10_weight);
    }
    findings.push_back({person, with / all, best_with - best_without});
  }
  std::ranges::stable_sort(findings, [](const PairFinding& a, const PairFinding& b) {
    return std::tuple(a.posterior, a.glr) > std::tuple(b.posterior, b.glr);
  });
  return findings;
}

}  // namespace fastid::victims
