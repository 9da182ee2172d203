#include "questions/pairs/cohort/exchanges.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "questions/pairs/cohort/labelling.hpp"

namespace fastid::pairs {
namespace {

/// The fewest wrong pairs that an exchange repairs.
constexpr std::int64_t kLeastRepair = 2;

/// Whether an exchange of two labels is possible and can be noticed.
bool may_exchange(const Labelling& labels, const Roster& roster, Label a, Label b) {
  return a != b && !labels.are_one(a, b) &&
         roster.database_of(labels.node(a)) == roster.database_of(labels.node(b));
}

/// Makes the exchanges that repair most, one after the other.
class Greedy {
 public:
  Greedy(Labelling& labels, const Roster& roster, std::uint64_t most_steps)
      : labels_(labels),
        roster_(roster),
        most_steps_(most_steps),
        wrong_(labels.size()),
        version_(labels.size()),
        moved_(labels.size()) {
    std::vector<Label> all(labels.size());
    for (Label label = 0; label < all.size(); ++label) all[label] = label;
    look_at(all);
  }

  void run() {
    while (!queue_.empty() && !is_cut()) {
      Entry best = queue_.top();
      queue_.pop();
      if (is_stale(best)) continue;
      if (best.exact) {
        make(best);
      } else {
        best.repair = labels_.gain(best.a, best.b);
        best.exact = true;
        if (best.repair >= kLeastRepair) queue_.push(best);
      }
    }
  }

  bool is_cut() const { return labels_.steps() + steps_ > most_steps_; }

 private:
  /// A candidate exchange. Its repair is an upper bound (all wrong pairs of both labels) until it is exact.
  struct Entry {
    std::int64_t repair = 0;
    bool exact = false;
    bool moved = false;  ///< either label was exchanged already
    Label a = 0, b = 0;
    std::uint64_t version_a = 0, version_b = 0;
  };
  /// Bounds come before equal exact numbers: a bound may be reached, and then the order among equals decides.
  struct Later {
    static auto key(const Entry& of) { return std::tuple(-of.repair, of.exact, !of.moved, of.a, of.b); }
    bool operator()(const Entry& x, const Entry& y) const { return key(x) > key(y); }
  };

  bool is_stale(const Entry& entry) const {
    return version_[entry.a] != entry.version_a || version_[entry.b] != entry.version_b;
  }

  /// Counts the wrong pairs of these labels anew, and adds their exchanges.
  void look_at(const std::vector<Label>& changed) {
    ++round_;
    for (const Label label : changed) {
      wrong_[label] = static_cast<std::int64_t>(labels_.n_wrong(label));
      version_[label] = round_;
    }
    for (const Label label : changed)
      if (wrong_[label] > 0 && !is_cut()) add_exchanges(label);
  }

  void add_exchanges(Label label) {
    std::set<Label> others;
    labels_.for_each_candidate(label, [&](Label other) {
      ++steps_;
      const bool is_its_turn = version_[other] != round_ || label < other;
      if (is_its_turn && wrong_[other] > 0 && may_exchange(labels_, roster_, label, other))
        others.insert(other);
    });
    for (const Label other : others) {
      const auto [a, b] = std::minmax(label, other);
      const Entry entry{wrong_[a] + wrong_[b], false, moved_[a] || moved_[b], a, b, version_[a], version_[b]};
      if (entry.repair >= kLeastRepair) queue_.push(entry);
    }
  }

  void make(const Entry& exchange) {
    std::set<Label> changed{exchange.a, exchange.b};
    const auto add = [&](Label label) { changed.insert(label); };
    for (int times = 0; times < 2; ++times) {  // neighbours from before, and from after it
      labels_.for_each_neighbour(exchange.a, add);
      labels_.for_each_neighbour(exchange.b, add);
      if (times == 0) labels_.exchange(exchange.a, exchange.b);
    }
    moved_[exchange.a] = moved_[exchange.b] = true;
    look_at({changed.begin(), changed.end()});
  }

  Labelling& labels_;
  const Roster& roster_;
  std::uint64_t most_steps_;
  std::uint64_t steps_ = 0, round_ = 0;
  std::vector<std::int64_t> wrong_;     ///< by label: its wrong pairs
  std::vector<std::uint64_t> version_;  ///< by label: the round in which it was last looked at
  std::vector<bool> moved_;
  std::priority_queue<Entry, std::vector<Entry>, Later> queue_;
};

/// A cycle of labels: each label lies on the first place of the next one.
using Cycle = std::vector<Label>;

std::vector<Cycle> cycles_of(const Labelling& labels) {
  std::vector<Cycle> cycles;
  std::vector<bool> seen(labels.size());
  for (Label first = 0; first < labels.size(); ++first) {
    Cycle cycle;
    for (Label label = first; !seen[label]; label = labels.place_of(label)) {
      seen[label] = true;
      cycle.push_back(label);
    }
    if (cycle.size() > 1) cycles.push_back(cycle);
  }
  return cycles;
}

/// Puts each label on the first place of the next one. At the call all labels lie on their own first places.
void turn(Labelling& labels, const Cycle& cycle) {
  for (std::size_t i = 1; i < cycle.size(); ++i) labels.exchange(cycle[i - 1], cycle[i]);
}

void turn_back(Labelling& labels, const Cycle& cycle) {
  for (std::size_t i = cycle.size(); --i > 0;) labels.exchange(cycle[i - 1], cycle[i]);
}

/// Makes the findings about the cycles that were found.
class Findings {
 public:
  Findings(Labelling& labels, const Roster& roster) : labels_(labels), roster_(roster) {}

  NodeExchange finding(const Cycle& cycle) {
    const Pairs with_cycle = pairs_of(cycle);
    turn_back(labels_, cycle);
    Pairs pairs = pairs_of(cycle);
    pairs.insert(with_cycle.begin(), with_cycle.end());
    std::vector<Outcome> before;
    for (const auto& [a, b] : pairs) before.push_back(labels_.outcome(a, b));
    NodeExchange found{.nodes = nodes_of(cycle)};
    const std::int64_t repaired = repair_of(cycle);
    for (const Cycle& other : others_like(cycle, repaired))
      if (repair_of(other) == repaired) found.alternatives.push_back(nodes_of(other));
    turn(labels_, cycle);
    auto outcome = before.begin();
    for (const auto& [a, b] : pairs) count(*outcome++, labels_.is_wrong(a, b), found);
    return found;
  }

 private:
  using Pairs = std::set<std::pair<Label, Label>>;

  /// The pairs of a cycle's labels that are expected or found.
  Pairs pairs_of(const Cycle& cycle) const {
    Pairs pairs;
    for (const Label label : cycle)
      labels_.for_each_neighbour(label, [&](Label other) { pairs.insert(std::minmax(label, other)); });
    return pairs;
  }

  static void count(Outcome before, bool is_wrong, NodeExchange& found) {
    const bool was_wrong =
        before == Outcome::kMissing || before == Outcome::kUnexpected || before == Outcome::kOtherRelation;
    if (was_wrong && !is_wrong) ++(before == Outcome::kMissing ? found.missing_found : found.unexpected_gone);
    if (!was_wrong && is_wrong) ++found.made_wrong;
  }

  /// The number by which wrong pairs decrease if a cycle is turned. The labels are left as they were.
  std::int64_t repair_of(const Cycle& cycle) {
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < cycle.size(); ++i) {
      sum += labels_.gain(cycle[i - 1], cycle[i]);
      labels_.exchange(cycle[i - 1], cycle[i]);
    }
    turn_back(labels_, cycle);
    return sum;
  }

  /// Other exchanges that may repair as much. For two labels: any other two of these and their neighbours
  /// with enough wrong pairs. For longer cycles: the reversed cycle of the labels' expected partners.
  std::vector<Cycle> others_like(const Cycle& cycle, std::int64_t repair) const {
    if (cycle.size() == 2) return other_exchanges(cycle, repair);
    const Cycle partners = partners_of(cycle);
    if (partners.empty()) return {};
    return {{partners.rbegin(), partners.rend()}};
  }

  std::vector<Cycle> other_exchanges(const Cycle& cycle, std::int64_t repair) const {
    std::map<Label, std::int64_t> near;  // with their wrong pairs
    const auto add = [&](Label label) { near.emplace(label, labels_.n_wrong(label)); };
    for (const Label label : cycle) {
      add(label);
      labels_.for_each_neighbour(label, add);
    }
    std::set<Cycle> others;
    const auto take = [&](Label label, Label other) {
      const auto at = near.find(other);
      if (at != near.end() && near.at(label) + at->second >= repair &&
          may_exchange(labels_, roster_, label, other))
        others.insert({std::min(label, other), std::max(label, other)});
    };
    for (const auto& one : near)
      labels_.for_each_candidate(one.first, [&](Label other) { take(one.first, other); });
    others.erase({std::min(cycle[0], cycle[1]), std::max(cycle[0], cycle[1])});
    return {others.begin(), others.end()};
  }

  /// For each label of the cycle, the only label that is expected in a pair with it; empty where a label has
  /// none or several.
  Cycle partners_of(const Cycle& cycle) const {
    Cycle partners;
    for (const Label label : cycle) {
      const std::vector<Label> with = labels_.expected_with(label);
      if (with.size() != 1) return {};
      partners.push_back(with[0]);
    }
    return partners;
  }

  /// The nodes in the order of LabelExchange::profiles.
  std::vector<Node> nodes_of(const Cycle& cycle) const {
    std::vector<Node> nodes;
    for (const Label label : cycle) nodes.push_back(labels_.node(label));
    std::ranges::reverse(nodes);
    std::rotate(nodes.begin(), std::ranges::min_element(nodes), nodes.end());
    return nodes;
  }

  Labelling& labels_;
  const Roster& roster_;
};

}  // namespace

FoundExchanges find_exchanges(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
                              const Absence& absence, const Roster& roster, std::uint64_t most_steps) {
  Labelling labels(expected, found, absence);
  Greedy greedy(labels, roster, most_steps);
  greedy.run();
  FoundExchanges result{.exchanges = {}, .cut = greedy.is_cut()};
  Findings findings(labels, roster);
  for (const Cycle& cycle : cycles_of(labels)) result.exchanges.push_back(findings.finding(cycle));
  std::ranges::stable_sort(result.exchanges, std::ranges::greater{},
                           [](const NodeExchange& one) { return one.missing_found + one.unexpected_gone; });
  return result;
}

}  // namespace fastid::pairs
