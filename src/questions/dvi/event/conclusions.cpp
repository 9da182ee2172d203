#include "questions/dvi/event/conclusions.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "questions/dvi/event/assignments.hpp"

namespace fastid::dvi {
namespace {

/// Where no posterior reaches this, nobody is named.
constexpr double kNobody = 0.01;

class Concluder {
 public:
  Concluder(EventState& state, const Assigned& assigned) : state_(state), assigned_(assigned) {}

  /// Draws the conclusion from a component's assignments, for each set of missing members who can be
  /// exchanged.
  void conclude(const Component& component) const {
    std::set<std::size_t> done;
    for (const std::size_t m : component.missing) {
      if (!done.insert(m).second) continue;
      std::vector<std::size_t> set = alike(component, m);
      done.insert(set.begin(), set.end());
      std::vector<std::size_t> places;
      for (const std::size_t of : set)
        places.push_back(
            static_cast<std::size_t>(std::ranges::find(component.missing, of) - component.missing.begin()));
      conclude(component, set, findings_of(component.assignments, places));
    }
  }

 private:
  /// The missing members of the component who can be exchanged with this one, who is the first of them.
  std::vector<std::size_t> alike(const Component& component, std::size_t m) const {
    std::vector<std::size_t> set;
    for (const std::vector<std::size_t>& places : assigned_.alike[state_.wanted(m).family]) {
      if (std::ranges::find(places, state_.place_of(m)) == places.end()) continue;
      for (const std::size_t of : component.missing)
        if (state_.wanted(of).family == state_.wanted(m).family &&
            std::ranges::find(places, state_.place_of(of)) != places.end())
          set.push_back(of);
    }
    return set;
  }

  /// Whether the family's samples say nothing about this member, alone or together with other members.
  bool is_uninformative(const Component& component, std::size_t m) const {
    const auto is_relative = [&](std::size_t of) {
      return of != m && state_.wanted(of).family == state_.wanted(m).family;
    };
    return state_.says_nothing(m) && std::ranges::none_of(component.missing, is_relative);
  }

  void conclude(const Component& component, const std::vector<std::size_t>& set,
                const std::vector<PairFinding>& ranked) const {
    const std::size_t m = set.front();
    Conclusion conclusion = Conclusion::kNone;
    std::vector<PairFinding> best;
    std::vector<std::size_t> rivals;
    if (is_uninformative(component, m)) {
      conclusion = Conclusion::kUninformative;
    } else if (!ranked.empty() && !(ranked[0].posterior < kNobody)) {
      for (const PairFinding& of : ranked)
        if (of.posterior >= state_.rules().posterior && of.glr >= state_.rules().bar) best.push_back(of);
      rivals = state_.rivals_of(m, component.least_lr);
      const std::vector<std::optional<std::size_t>>& assigned = component.assignments[0].person;
      std::erase_if(rivals, [&](std::size_t v) {
        return std::ranges::find(assigned, std::optional(v)) != assigned.end();
      });
      conclusion = !rivals.empty()  ? Conclusion::kDisputed
                   : best.empty()   ? Conclusion::kOpen
                   : set.size() > 1 ? Conclusion::kSymmetric
                                    : Conclusion::kJoint;
      if (best.empty()) best.push_back(ranked[0]);
    }
    for (const std::size_t of : set) {
      Missing& missing = state_.wanted(of);
      missing.conclusion = conclusion;
      missing.alike = set;
      missing.n_best = best.size();
      for (const PairFinding& pair : best) missing.people.push_back(pair.person);
      missing.people.insert(missing.people.end(), rivals.begin(), rivals.end());
      if (best.empty()) continue;
      missing.best_lr = missing.log10_lr[best[0].person];
      missing.glr = best[0].glr;
      missing.posterior = best[0].posterior;
      missing.expected = state_.expected_at_first(missing, best[0].person);
    }
  }

  EventState& state_;
  const Assigned& assigned_;
};

}  // namespace

void conclude(EventState& state, const Assigned& assigned) {
  const Concluder concluder(state, assigned);
  for (const Component& component : assigned.components) concluder.conclude(component);
}

}  // namespace fastid::dvi
