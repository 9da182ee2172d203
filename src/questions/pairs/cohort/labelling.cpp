#include "questions/pairs/cohort/labelling.hpp"

#include <algorithm>
#include <numeric>

#include "questions/pairs/cohort/relations.hpp"

namespace fastid::pairs {
namespace {

bool is_wrong(Outcome outcome) {
  return outcome == Outcome::kMissing || outcome == Outcome::kOtherRelation ||
         outcome == Outcome::kUnexpected;
}

/// The pair with this neighbour, among sorted neighbours; null: none.
template <class Neighbours>
auto pair_with(const Neighbours& neighbours, std::size_t other) {
  const auto at = std::ranges::lower_bound(neighbours, other, {}, [](const auto& one) { return one.other; });
  return at == neighbours.end() || at->other != other ? nullptr : at->pair;
}

}  // namespace

Labelling::Labelling(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
                     const Absence& absence)
    : absence_(absence) {
  const auto add_nodes = [&](const auto& pair) { nodes_.insert(nodes_.end(), {pair.first, pair.second}); };
  std::ranges::for_each(expected, add_nodes);
  std::ranges::for_each(found, add_nodes);
  std::ranges::sort(nodes_);
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  expected_.resize(size());
  found_.resize(size());
  UnionFind persons(size());
  const auto join = [&](auto& neighbours, const auto& pair) {
    const Label a = label_of(pair.first), b = label_of(pair.second);
    neighbours[a].push_back({b, &pair});
    neighbours[b].push_back({a, &pair});
    return std::pair(a, b);
  };
  for (const ExpectedPair& pair : expected) {
    const auto [a, b] = join(expected_, pair);
    if (pair.relation == kSame) persons.join(a, b);
  }
  for (const FoundPair& pair : found) join(found_, pair);
  const auto by_other = [](const auto& one) { return one.other; };
  for (auto& neighbours : expected_) std::ranges::sort(neighbours, {}, by_other);
  for (auto& neighbours : found_) std::ranges::sort(neighbours, {}, by_other);
  for (Label label = 0; label < size(); ++label) persons_.push_back(persons.find(label));
  places_.resize(size());
  std::iota(places_.begin(), places_.end(), 0);
  labels_ = places_;
}

Label Labelling::label_of(Node node) const {
  return static_cast<Label>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
}

void Labelling::exchange(Label a, Label b) {
  std::swap(places_[a], places_[b]);
  labels_[places_[a]] = a;
  labels_[places_[b]] = b;
}

const ExpectedPair* Labelling::expected(Label a, Label b) const {
  return pair_with(expected_[a], b);
}

const FoundPair* Labelling::found(Place a, Place b) const {
  return pair_with(found_[a], b);
}

Outcome Labelling::outcome(Label a, Label b) const {
  const ExpectedPair* const of = expected(a, b);
  const FoundPair* const by = found(places_[a], places_[b]);
  return of == nullptr && by == nullptr ? Outcome::kFound : outcome_of(of, by, absence_);
}

bool Labelling::is_wrong(Label a, Label b) const {
  return pairs::is_wrong(outcome(a, b));
}

bool Labelling::is_wrong(const ExpectedPair* expected, const FoundPair* found) const {
  return pairs::is_wrong(outcome_of(expected, found, absence_));
}

bool Labelling::is_met(Label label, const Expected& of) const {
  const FoundPair* const by = found(places_[label], places_[of.other]);
  return by != nullptr && agrees(of.pair->relation, by->relation);
}

/// The wrong pairs of a label if it lay at this place, and all others where they are; without pairs with
/// `but`, and with the label at its own place.
std::uint64_t Labelling::n_wrong_at(Label label, Place place, Label but) const {
  std::uint64_t n = 0;
  for (const Expected& of : expected_[label])
    if (of.other != but) n += is_wrong(of.pair, found(place, places_[of.other])) ? 1 : 0;
  for (const Found& by : found_[place]) {
    const Label other = labels_[by.other];
    if (other != but && other != label) n += expected(label, other) == nullptr ? 1 : 0;
  }
  steps_ += expected_[label].size() + found_[place].size();
  return n;
}

std::uint64_t Labelling::n_wrong(Label label) const {
  return n_wrong_at(label, places_[label], label);
}

std::int64_t Labelling::gain(Label a, Label b) const {
  const std::uint64_t before = n_wrong_at(a, places_[a], b) + n_wrong_at(b, places_[b], a);
  const std::uint64_t after = n_wrong_at(a, places_[b], b) + n_wrong_at(b, places_[a], a);
  return static_cast<std::int64_t>(before) - static_cast<std::int64_t>(after);
}

std::vector<Label> Labelling::expected_with(Label label) const {
  std::vector<Label> labels;
  for (const Expected& of : expected_[label]) labels.push_back(of.other);
  return labels;
}

}  // namespace fastid::pairs
