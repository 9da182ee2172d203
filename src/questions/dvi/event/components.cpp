#include "questions/dvi/event/components.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/thread_pool.hpp"
#include "base/union_find.hpp"
#include "questions/dvi/event/assignments.hpp"

namespace fastid::dvi {
namespace {

constexpr double kRise = 0.5;  ///< of the bar of a component with too many assignments, log10

class Assigner {
 public:
  explicit Assigner(EventState& state) : state_(state) {}

  Assigned run() {
    split(state_.left(), excluded(), assigned_.components);
    assigned_.alike.resize(state_.families().size());
    in_parallel(state_.families().size(), state_.threads(), [&](std::size_t f) {
      const stats::FamilyLikelihood& family = state_.family(f);
      const std::vector<std::optional<Sex>>& sexes = state_.families()[f].sexes;
      assigned_.alike[f] = family.alike([&](std::size_t a, std::size_t b) {
        return sexes[family.missing()[a]] == sexes[family.missing()[b]];
      });
    });
    std::vector<Component>& all = assigned_.components;
    in_parallel(all.size(), state_.threads(), [&](std::size_t i) { assign(all[i]); });
    return std::move(assigned_);
  }

 private:
  /// The log10 ratio at or below which pairs are excluded.
  double excluded() const { return -std::max(-kExcluded, state_.rules().bar); }
  /// Adds the components of missing members who share a family or a candidate. Where a component has too many
  /// assignments, pairs of low ratios are left out, first up to the bar, then until it falls into components
  /// that are small enough.
  void split(const std::vector<std::size_t>& open, double cut, std::vector<Component>& all) {
    for (std::vector<std::size_t>& part : parts_of(open, cut)) {
      double own = cut;
      const auto may_be_too_large = [&] {
        return n_choices(state_.candidates_of(part, own)) >
               static_cast<double>(state_.rules().most_assignments);
      };
      const auto is_too_large = [&] {
        return are_more(state_.candidates_of(part, own), state_.rules().most_assignments);
      };
      if (may_be_too_large() && cut == excluded())
        std::erase_if(part, [&](std::size_t m) {
          if (!state_.says_nothing(m)) return false;
          state_.wanted(m).conclusion = Conclusion::kUninformative;
          return true;
        });
      while (own < state_.rules().bar && may_be_too_large()) own += kRise;
      if (own == cut && is_too_large()) own += kRise;
      for (const std::size_t m : part)
        if (state_.candidates_of(m, own).size() < state_.candidates_of(m, excluded()).size())
          state_.wanted(m).left_out = own;
      if (is_too_large())
        split(part, own, all);
      else
        all.push_back({.missing = std::move(part), .assignments = {}, .least_lr = own});
    }
  }

  /// The components, in the order of their first members.
  std::vector<std::vector<std::size_t>> parts_of(const std::vector<std::size_t>& open, double cut) const {
    UnionFind connected(open.size());
    std::map<std::size_t, std::size_t> of_family, of_person;  // the first place with each
    for (std::size_t i = 0; i < open.size(); ++i) {
      connected.join(i, of_family.try_emplace(state_.wanted(open[i]).family, i).first->second);
      for (const std::size_t v : state_.candidates_of(open[i], cut))
        connected.join(i, of_person.try_emplace(v, i).first->second);
    }
    std::vector<std::vector<std::size_t>> parts(open.size());
    for (std::size_t i = 0; i < open.size(); ++i) parts[connected.find(i)].push_back(open[i]);
    std::erase_if(parts, [](const std::vector<std::size_t>& part) { return part.empty(); });
    return parts;
  }

  using PairsKey = std::vector<std::pair<std::size_t, const stats::PersonReadings*>>;

  /// A key for the ratio of a family's pairs. Members of a set who can be exchanged share one place, since it
  /// only matters who is assigned to the set.
  PairsKey key_of(std::size_t family, std::span<const stats::AssignedPerson> pairs) const {
    PairsKey key;
    for (const stats::AssignedPerson& pair : pairs) {
      const auto set =
          std::ranges::find_if(assigned_.alike[family], [&](const std::vector<std::size_t>& places) {
            return std::ranges::find(places, pair.missing) != places.end();
          });
      key.emplace_back(set->front(), pair.readings);
    }
    std::ranges::sort(key, std::less<>());
    return key;
  }

  void assign(Component& component) const {
    const Candidates candidates = state_.candidates_of(component.missing, component.least_lr);
    std::map<std::pair<std::size_t, PairsKey>, double> known;  // by family and pairs
    const auto weight = [&](std::span<const std::optional<std::size_t>> person) {
      double sum = 0;
      std::map<std::size_t, std::vector<std::size_t>> of_family;  // places in the component
      for (std::size_t i = 0; i < person.size(); ++i)
        if (person[i]) {
          sum += state_.findings().log10_odds + state_.factor_of(component.missing[i], *person[i]);
          of_family[state_.wanted(component.missing[i]).family].push_back(i);
        }
      for (const auto& [family, places] : of_family) {
        std::vector<stats::AssignedPerson> pairs;
        for (const std::size_t i : places)
          pairs.push_back({state_.place_of(component.missing[i]), &state_.readings(*person[i])});
        const auto [at, is_new] = known.try_emplace({family, key_of(family, pairs)}, 0);
        if (is_new) at->second = state_.family(family).log10_lr(pairs);
        sum += at->second;
      }
      return sum;
    };
    component.assignments = all_assignments(candidates, weight);
  }

  EventState& state_;
  Assigned assigned_;
};

}  // namespace

Assigned assign_rest(EventState& state) {
  return Assigner(state).run();
}

}  // namespace fastid::dvi
