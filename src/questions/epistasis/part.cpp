#include "questions/epistasis/part.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fastid::epistasis {
namespace {

constexpr std::string_view kCombinations = "combinations", kTies = "ties", kPermutations = "permutations";

struct StoredCombination {
  double cost = 0;
  std::array<std::uint32_t, engine::kMostWay> sites{};
};
static_assert(sizeof(StoredCombination) == 24);

/// What a part has, the best first.
std::vector<engine::ScoredCombination> combinations_of(const part::File& part) {
  std::vector<engine::ScoredCombination> all;
  for (const part::Section* section : part.sections(kCombinations))
    for (const StoredCombination& one : part.read<StoredCombination>(*section)) {
      const engine::ScoredCombination next{one.cost, one.sites};
      if (!std::isfinite(next.cost) || (!all.empty() && !(all.back() < next)))
        part.refuse(kCombinations, "has combinations that are not in their order");
      all.push_back(next);
    }
  return all;
}

/// How many further ones cost as much as the last one that a part has.
std::uint64_t ties_of(const part::File& part) {
  std::uint64_t ties = 0;
  for (const part::Section* section : part.sections(kTies))
    for (const std::uint64_t n : part.read<std::uint64_t>(*section))
      if (__builtin_add_overflow(ties, n, &ties)) part.refuse(kTies, "has more than there can be");
  return ties;
}

}  // namespace

void add_combinations(const engine::BestCombinations& best, part::Writer& to) {
  std::vector<StoredCombination> stored;
  for (const auto& [cost, sites] : best.kept()) stored.push_back({.cost = cost, .sites = sites});
  to.add<StoredCombination>(kCombinations, stored);
  if (const std::uint64_t ties = best.ties(); ties > 0) to.add<std::uint64_t>(kTies, std::span(&ties, 1));
}

void add_permutations(std::span<const double> best, part::Writer& to) {
  if (!best.empty()) to.add<double>(kPermutations, best);
}

std::vector<double> permutations_of(const part::PartSet& parts, std::size_t n) {
  std::vector<double> lowest(n, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part::File& part = parts.part(i);
    std::vector<double> own;
    for (const part::Section* section : part.sections(kPermutations))
      for (const double cost : part.read<double>(*section)) own.push_back(cost);
    if (own.size() != n) part.refuse(kPermutations, "has another number of permutations than was asked for");
    for (std::size_t k = 0; k < n; ++k) {
      if (std::isnan(own[k])) part.refuse(kPermutations, "has a cost that is no number");
      lowest[k] = std::min(lowest[k], own[k]);
    }
  }
  return lowest;
}

std::uint64_t offer_all(
    const part::PartSet& parts, std::size_t top,
    const std::function<bool(std::size_t i, const engine::SiteCombination& sites)>& is_own,
    engine::BestCombinations& best) {
  std::vector<std::pair<double, std::uint64_t>> ties;  // of each part that has any: their cost, and how many
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part::File& part = parts.part(i);
    const std::vector<engine::ScoredCombination> own = combinations_of(part);
    for (const engine::ScoredCombination& one : own) {
      if (!is_own(i, one.sites)) part.refuse(kCombinations, "has a combination that is not of this shard");
      best.offer(one);
    }
    const std::uint64_t n = ties_of(part);
    if (own.size() > top || (own.size() < top && n > 0))
      part.refuse(kCombinations, "has another number of combinations than was asked for");
    if (n > 0) ties.emplace_back(own.back().cost, n);
  }
  std::uint64_t all = 0;
  for (const auto& [cost, n] : ties)
    if (cost == best.worst()) all += n;
  return all;
}

}  // namespace fastid::epistasis
