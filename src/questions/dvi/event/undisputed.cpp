#include "questions/dvi/event/undisputed.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace fastid::dvi {
namespace {

/// The highest and the second highest of some ratios.
struct Highest {
  double first = -std::numeric_limits<double>::infinity(), second = first;
  void add(double ratio) {
    if (std::isnan(ratio)) return;
    second = std::max(second, std::min(first, ratio));
    first = std::max(first, ratio);
  }
  /// Whether `ratio`, one of these ratios, is by `bar` above all others.
  bool is_apart(double ratio, double bar) const { return ratio == first && !(first - second < bar); }
};

}  // namespace

bool find_undisputed(EventState& state) {
  std::vector<Highest> of_person(state.n_people());
  std::map<std::size_t, Highest> of_missing;
  for (const std::size_t m : state.left())
    for (std::size_t v = 0; v < state.n_people(); ++v)
      if (state.is_unplaced(v)) {
        of_person[v].add(state.ratio(m, v));
        of_missing[m].add(state.ratio(m, v));
      }
  struct Hit {
    double log10_lr;
    std::size_t missing, person;
  };
  std::vector<Hit> hits;
  for (const std::size_t m : state.left())
    for (std::size_t v = 0; v < state.n_people(); ++v) {
      const double ratio = state.ratio(m, v);
      // Other evidence against a pair counts here; other evidence for it is left to the assignments.
      if (!state.is_unplaced(v) || !(ratio + std::min(0.0, state.factor_of(m, v)) >= state.rules().bar))
        continue;
      if (of_missing[m].is_apart(ratio, state.rules().bar) &&
          of_person[v].is_apart(ratio, state.rules().bar) && state.rivals_of(m, kExcluded) == std::vector{v})
        hits.push_back({ratio, m, v});
    }
  std::ranges::stable_sort(hits, std::ranges::greater{}, &Hit::log10_lr);
  std::set<std::size_t> touched;
  for (const Hit& hit : hits) {
    Missing& missing = state.wanted(hit.missing);
    missing.people = {hit.person};
    missing.n_best = 1;
    missing.best_lr = missing.log10_lr[hit.person];
    missing.glr = hit.log10_lr;
    missing.conclusion = Conclusion::kUndisputed;
    missing.expected = state.expected_at_first(missing, hit.person);
    state.place(hit.missing, hit.person);
    touched.insert(missing.family);
  }
  std::vector<std::size_t> anew;
  for (const std::size_t m : state.left())
    if (touched.contains(state.wanted(m).family)) anew.push_back(m);
  state.update_ratios(anew);
  return !hits.empty();
}

}  // namespace fastid::dvi
