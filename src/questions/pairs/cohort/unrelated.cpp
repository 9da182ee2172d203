#include "questions/pairs/cohort/unrelated.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "bits/popcount.hpp"

namespace fastid::pairs {
namespace {

using Edges = std::span<const std::pair<std::size_t, std::size_t>>;
using Set = std::uint64_t;  ///< bit i: member i
static_assert(kMostExact <= 64);

std::size_t size_of(Set set) {
  return static_cast<std::size_t>(bits_set(set));
}

Set only(std::size_t member) {
  return Set{1} << member;
}

/// Branch and bound over sets of at most 64 members.
class Exact {
 public:
  Exact(std::size_t n, Edges edges, std::uint64_t most_steps) : relatives_(n), steps_left_(most_steps) {
    for (const auto& [a, b] : edges) {
      relatives_[a] |= only(b);
      relatives_[b] |= only(a);
    }
    extend(n == 64 ? ~Set{0} : only(n) - 1, 0);
  }

  bool is_proved() const { return steps_left_ > 0; }
  Set best() const { return best_; }

 private:
  /// Takes the members of `open` that have at most one relative there: some largest set contains them.
  void take_easy(Set& open, Set& chosen) const {
    for (bool again = true; again;) {
      again = false;
      for (Set left = open; left != 0; left &= left - 1) {
        const auto member = static_cast<std::size_t>(std::countr_zero(left));
        if ((open & only(member)) == 0 || size_of(relatives_[member] & open) > 1) continue;
        chosen |= only(member);
        open &= ~(only(member) | relatives_[member]);
        again = true;
      }
    }
  }

  std::size_t most_related(Set open) const {
    std::size_t best = 0, most = 0;
    for (Set left = open; left != 0; left &= left - 1) {
      const auto member = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t n = size_of(relatives_[member] & open);
      if (n > most) best = member, most = n;
    }
    return best;
  }

  void extend(Set open, Set chosen) {
    if (steps_left_ == 0) return;
    --steps_left_;
    take_easy(open, chosen);
    if (open == 0) {
      if (size_of(chosen) > size_of(best_)) best_ = chosen;
      return;
    }
    if (size_of(chosen) + size_of(open) <= size_of(best_)) return;
    const std::size_t member = most_related(open);
    extend(open & ~(only(member) | relatives_[member]), chosen | only(member));
    extend(open & ~only(member), chosen);
  }

  std::vector<Set> relatives_;
  std::uint64_t steps_left_;
  Set best_ = 0;
};

std::vector<std::size_t> members_of(Set set) {
  std::vector<std::size_t> members;
  for (; set != 0; set &= set - 1) members.push_back(static_cast<std::size_t>(std::countr_zero(set)));
  return members;
}

/// Takes the member with fewest relatives left (the lowest of equal ones), again and again until no member is
/// left.
std::vector<std::size_t> fewest_first(std::size_t n, Edges edges) {
  std::vector<std::vector<std::size_t>> relatives(n);
  for (const auto& [a, b] : edges) {
    relatives[a].push_back(b);
    relatives[b].push_back(a);
  }
  std::set<std::pair<std::size_t, std::size_t>> open;  // relatives left, member
  std::vector<std::size_t> left(n), chosen;
  for (std::size_t i = 0; i < n; ++i) open.emplace(left[i] = relatives[i].size(), i);
  const auto remove = [&](std::size_t member) {
    if (open.erase({left[member], member}) == 0) return;
    for (const std::size_t relative : relatives[member])
      if (open.erase({left[relative], relative}) != 0) open.emplace(--left[relative], relative);
  };
  while (!open.empty()) {
    const std::size_t member = open.begin()->second;
    chosen.push_back(member);
    open.erase(open.begin());
    for (const std::size_t relative : relatives[member]) remove(relative);
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

ChosenMembers largest_unrelated(std::size_t n, Edges relatives, std::uint64_t most_steps) {
  std::vector<std::size_t> greedy = fewest_first(n, relatives);
  if (n > kMostExact) return {std::move(greedy), false};
  const Exact exact(n, relatives, most_steps);
  if (exact.is_proved()) return {members_of(exact.best()), true};
  return {size_of(exact.best()) > greedy.size() ? members_of(exact.best()) : std::move(greedy), false};
}

}  // namespace fastid::pairs
