#include "match/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid {
namespace {

std::uint32_t denominator_or_one(Comparison comparison, const PairCounts& counts) {
  return std::max<std::uint32_t>(1, denominator_of(comparison, counts));
}

/// Negative if a's class is better than b's, 0 if they tie, positive if it is worse.
int compare_classes(Comparison comparison, const PairCounts& a, const PairCounts& b) {
  const std::uint64_t left = std::uint64_t{a.count} * denominator_or_one(comparison, b);
  const std::uint64_t right = std::uint64_t{b.count} * denominator_or_one(comparison, a);
  if (left != right) return left < right ? -1 : 1;
  if (a.minor_alleles != b.minor_alleles) return a.minor_alleles > b.minor_alleles ? -1 : 1;
  if (a.compared != b.compared) return a.compared > b.compared ? -1 : 1;
  return 0;
}

std::optional<std::uint64_t> row_found_twice(const std::vector<Pair>& pairs) {
  std::vector<std::uint64_t> rows;
  for (const Pair& pair : pairs) rows.push_back(pair.row);
  std::ranges::sort(rows);
  const auto twice = std::ranges::adjacent_find(rows);
  return twice == rows.end() ? std::nullopt : std::optional(*twice);
}

/// A threshold's fraction, in one word.
std::uint64_t packed(std::uint32_t num, std::uint32_t den) {
  return std::uint64_t{num} << 32 | den;
}

}  // namespace

bool ranks_before(Comparison comparison, const Pair& a, const Pair& b) {
  const int order = compare_classes(comparison, a.counts, b.counts);
  return order != 0 ? order < 0 : a.row < b.row;
}

bool ties(Comparison comparison, const Pair& a, const Pair& b) {
  return compare_classes(comparison, a.counts, b.counts) == 0;
}

Ranking::Ranking(Comparison comparison, std::size_t n_queries, const KeepRule& rule,
                 std::span<const std::uint32_t> max_counts)
    : comparison_(comparison),
      rule_(rule),
      group_bits_(std::countr_zero(std::bit_ceil(ceil_div(n_queries, kGroups)))),
      kept_(n_queries),
      max_counts_(n_queries, rule.max_count),
      fractions_(n_queries) {
  rule_.min_compared = std::max<std::uint32_t>(1, rule_.min_compared);
  const Threshold open;
  for (std::size_t q = 0; q < n_queries; ++q) {
    if (!max_counts.empty()) max_counts_[q] = std::min(rule.max_count, max_counts[q]);
    fractions_[q] = packed(open.num, open.den);
  }
}

void Ranking::start_from(std::span<const Threshold> thresholds) {
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    kept_[query].full_in_sample = thresholds[query].den != 0;
    fractions_[query] = packed(thresholds[query].num, thresholds[query].den);
  }
}

Threshold Ranking::threshold(std::size_t query) const {
  const std::uint64_t fraction = fractions_[query].load(std::memory_order_relaxed);
  return {max_counts_[query], static_cast<std::uint32_t>(fraction >> 32),
          static_cast<std::uint32_t>(fraction)};
}

void Ranking::thresholds(std::span<Threshold> out) const {
  for (std::size_t query = 0; query < kept_.size(); ++query) out[query] = threshold(query);
}

bool Ranking::may_be_listed(const Pair& pair) const {
  return threshold(pair.query).passes(pair.counts.count, denominator_of(comparison_, pair.counts)) &&
         pair.counts.compared >= rule_.min_compared;
}

// A lock is held for all consecutive pairs of one group.
void Ranking::take(std::span<const Pair> pairs) {
  for (std::size_t i = 0; i < pairs.size();) {
    if (!may_be_listed(pairs[i])) {
      ++i;
      continue;
    }
    const std::size_t group = group_of(pairs[i].query);
    const std::lock_guard lock(guards_[group]);
    for (; i < pairs.size() && group_of(pairs[i].query) == group; ++i)
      if (may_be_listed(pairs[i])) insert(kept_[pairs[i].query], pairs[i]);
  }
}

// Once `top` pairs are kept, a pair must be at least as good as the worst of them.
void Ranking::insert(Kept& kept, const Pair& pair) {
  const auto by_rank = [this](const Pair& a, const Pair& b) { return ranks_before(comparison_, a, b); };
  if (kept.heap.size() < rule_.top) {
    if (kept.heap.empty()) kept.heap.reserve(std::min(rule_.top, kFewKept));
    kept.heap.push_back(pair);
    std::push_heap(kept.heap.begin(), kept.heap.end(), by_rank);
    if (kept.heap.size() < rule_.top) return;
  } else {
    // The heap is full, so the new pair or the worst one leaves. That is a tie that was cut if its class is
    // still the class of the worst kept pair.
    Pair out = pair;
    if (by_rank(pair, kept.heap.front())) {
      std::pop_heap(kept.heap.begin(), kept.heap.end(), by_rank);
      std::swap(out, kept.heap.back());
      std::push_heap(kept.heap.begin(), kept.heap.end(), by_rank);
      if (!ties(comparison_, out, kept.heap.front())) kept.ties_cut = 0;  // all of that class have left
    }
    if (ties(comparison_, out, kept.heap.front())) ++kept.ties_cut;
  }
  const PairCounts& worst = kept.heap.front().counts;
  fractions_[pair.query].store(packed(worst.count, denominator_or_one(comparison_, worst)),
                               std::memory_order_relaxed);
}

std::vector<RankedPairs> Ranking::result() const {
  std::vector<RankedPairs> all;
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    const std::lock_guard lock(guards_[group_of(query)]);
    const Kept& kept = kept_[query];
    RankedPairs ranked{kept.heap, kept.ties_cut};
    std::ranges::sort(ranked.pairs,
                      [this](const Pair& a, const Pair& b) { return ranks_before(comparison_, a, b); });
    if (const auto row = row_found_twice(ranked.pairs))
      throw DeviceError(fmt::format("row {} was found twice for query {}; {}", *row, query, kDistrust));
    if (kept.full_in_sample && ranked.pairs.size() < rule_.top)
      throw DeviceError(
          fmt::format("pairs of query {} that were counted before did not come again; {}", query, kDistrust));
    all.push_back(std::move(ranked));
  }
  return all;
}

}  // namespace fastid
