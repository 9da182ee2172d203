#include "questions/dvi/event/assignments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace fastid::dvi {

namespace {

/// Goes through all assignments that use no person twice: visit(chosen) for each, until it returns false.
class Walk {
 public:
  using Chosen = std::vector<std::optional<std::size_t>>;

  explicit Walk(const Candidates& candidates) : candidates_(candidates), chosen_(candidates.size()) {}

  template <class Visit>
  bool run(const Visit& visit, std::size_t missing = 0) {
    if (missing == candidates_.size()) return visit(chosen_);
    chosen_[missing].reset();
    if (!run(visit, missing + 1)) return false;
    for (const std::size_t person : candidates_[missing]) {
      if (!taken_.insert(person).second) continue;
      chosen_[missing] = person;
      const bool more = run(visit, missing + 1);
      taken_.erase(person);
      if (!more) return false;
    }
    chosen_[missing].reset();
    return true;
  }

 private:
  const Candidates& candidates_;
  Chosen chosen_;
  std::set<std::size_t> taken_;
};

}  // namespace

double n_choices(const Candidates& candidates) {
  double n = 1;
  for (const std::vector<std::size_t>& of_one : candidates) n *= 1 + static_cast<double>(of_one.size());
  return n;
}

bool are_more(const Candidates& candidates, std::uint64_t most) {
  std::uint64_t n = 0;
  return !Walk(candidates).run([&](const Walk::Chosen&) { return ++n <= most; });
}

std::vector<Assignment> all_assignments(
    const Candidates& candidates,
    const std::function<double(std::span<const std::optional<std::size_t>>)>& weight) {
  std::vector<Assignment> all;
  Walk(candidates).run([&](const Walk::Chosen& chosen) {
    const double log10_weight = weight(chosen);
    if (log10_weight > -std::numeric_limits<double>::infinity()) all.push_back({log10_weight, chosen});
    return true;
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

}  // namespace fastid::dvi
