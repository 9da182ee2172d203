#include "match/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid::match {
namespace {

std::uint32_t denominator_or_one(const engine::PairCounts& counts) {
  return std::max<std::uint32_t>(1, counts.denominator);
}

/// What the pair lacks: lower is better.
std::int64_t lack_of(const PairWeights& weights, const engine::PairCounts& counts) {
  return std::int64_t{weights.cost} * counts.count -
         std::int64_t{weights.credit} * denominator_or_one(counts);
}

/// Negative if a is better than b whatever their rows, 0 if they tie, positive if it is worse.
int compare_counts(const PairWeights& weights, const engine::PairCounts& a, const engine::PairCounts& b) {
  const bool by_fraction = weights.cost == 0;
  const std::int64_t left = by_fraction ? std::int64_t{a.count} * denominator_or_one(b) : lack_of(weights, a);
  const std::int64_t right =
      by_fraction ? std::int64_t{b.count} * denominator_or_one(a) : lack_of(weights, b);
  if (left != right) return left < right ? -1 : 1;
  if (a.denominator != b.denominator) return a.denominator > b.denominator ? -1 : 1;
  if (a.compared != b.compared) return a.compared > b.compared ? -1 : 1;
  return 0;
}

std::optional<std::uint64_t> row_found_twice(const std::vector<engine::Pair>& pairs) {
  std::vector<std::uint64_t> rows;
  for (const engine::Pair& pair : pairs) rows.push_back(pair.row);
  std::ranges::sort(rows);
  const auto twice = std::ranges::adjacent_find(rows);
  return twice == rows.end() ? std::nullopt : std::optional(*twice);
}

KeepRule with_a_site(KeepRule rule) {
  rule.min_compared = std::max<std::uint32_t>(1, rule.min_compared);
  return rule;
}

}  // namespace

bool ranks_before(const PairWeights& weights, const engine::Pair& a, const engine::Pair& b) {
  const int order = compare_counts(weights, a.counts, b.counts);
  return order != 0 ? order < 0 : a.row < b.row;
}

bool ties(const PairWeights& weights, const engine::Pair& a, const engine::Pair& b) {
  return compare_counts(weights, a.counts, b.counts) == 0;
}

Ranking::Ranking(std::size_t n_queries, const KeepRule& rule, std::span<const QueryRule> own)
    : rule_(with_a_site(rule)),
      group_bits_(group_bits(n_queries)),
      kept_(n_queries),
      own_thresholds_(std::in_place, n_queries, rule, own),
      thresholds_(*own_thresholds_) {}

Ranking::Ranking(SharedThresholds& shared, const KeepRule& rule)
    : rule_(with_a_site(rule)),
      group_bits_(group_bits(shared.size())),
      kept_(shared.size()),
      thresholds_(shared) {}

int Ranking::group_bits(std::size_t n_queries) {
  return std::countr_zero(std::bit_ceil(ceil_div(n_queries, kGroups)));
}

void Ranking::start_from(std::span<const engine::Threshold> thresholds) {
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    // Skip open thresholds: of any query, or as this query's rule begins.
    if (thresholds[query].den == 0 || thresholds[query] == thresholds_.first_threshold(query)) continue;
    thresholds_.lower(query, thresholds[query]);
    kept_[query].sampled = thresholds[query];
  }
}

void Ranking::thresholds(std::span<engine::Threshold> out) const {
  for (std::size_t query = 0; query < kept_.size(); ++query) out[query] = thresholds_.threshold(query);
}

bool Ranking::may_be_listed(const engine::Pair& pair) const {
  return thresholds_.threshold(pair.query).passes(pair.counts) && pair.counts.compared >= rule_.min_compared;
}

// A lock is held for all consecutive pairs of one group.
void Ranking::take(std::span<const engine::Pair> pairs) {
  constexpr std::size_t kWorthTogether = 8;  // kept pairs for each new pair
  for (std::size_t i = 0; i < pairs.size();) {
    if (!may_be_listed(pairs[i])) {
      ++i;
      continue;
    }
    const std::size_t group = group_of(pairs[i].query);
    const std::lock_guard lock(guards_[group]);
    while (i < pairs.size() && group_of(pairs[i].query) == group) {
      const std::uint32_t query = pairs[i].query;
      std::size_t end = i + 1;
      while (end < pairs.size() && pairs[end].query == query) ++end;
      Kept& kept = kept_[query];
      const auto of_query = pairs.subspan(i, end - i);
      if (of_query.size() * kWorthTogether > kept.heap.size())
        insert(kept, of_query);
      else
        for (const engine::Pair& pair : of_query)
          if (may_be_listed(pair)) insert(kept, pair);
      i = end;
    }
  }
}

bool Ranking::ranks_before(const PairWeights& weights, const Ranked& a, const Ranked& b) {
  return a.lack != b.lack ? a.lack < b.lack : fastid::match::ranks_before(weights, a.pair, b.pair);
}

bool Ranking::ties(const PairWeights& weights, const Ranked& a, const Ranked& b) {
  return a.lack == b.lack && fastid::match::ties(weights, a.pair, b.pair);
}

Ranking::Ranked Ranking::ranked(const PairWeights& weights, const engine::Pair& pair) {
  return {weights.cost == 0 ? 0 : lack_of(weights, pair.counts), pair};
}

// Once `top` pairs are kept, a pair must be at least as good as the worst of them.
void Ranking::lower_threshold(std::size_t query, const Kept& kept) {
  if (kept.heap.size() < rule_.top) return;
  const engine::PairCounts& worst = kept.heap.front().pair.counts;
  // By weights the offset alone lowers it, else the fraction num / den.
  thresholds_.lower(query, {.num = worst.count,
                            .den = denominator_or_one(worst),
                            .offset = lack_of(thresholds_.weights(query), worst)});
}

void Ranking::insert(Kept& kept, const engine::Pair& found) {
  const PairWeights& weights = thresholds_.weights(found.query);
  const Ranked pair = ranked(weights, found);
  const auto by_rank = [&](const Ranked& a, const Ranked& b) { return ranks_before(weights, a, b); };
  if (kept.heap.size() < rule_.top) {
    if (kept.heap.empty()) kept.heap.reserve(std::min(rule_.top, kFewKept));
    kept.heap.push_back(pair);
    std::push_heap(kept.heap.begin(), kept.heap.end(), by_rank);
  } else {
    // The heap is full, so the new pair or the worst one leaves. That is a tie that was cut if it ties with
    // the pair that is now the worst kept.
    Ranked out = pair;
    if (by_rank(pair, kept.heap.front())) {
      std::pop_heap(kept.heap.begin(), kept.heap.end(), by_rank);
      std::swap(out, kept.heap.back());
      std::push_heap(kept.heap.begin(), kept.heap.end(), by_rank);
      if (!ties(weights, out, kept.heap.front())) kept.ties_cut = 0;  // all that tied with it have left
    }
    if (ties(weights, out, kept.heap.front())) ++kept.ties_cut;
  }
  lower_threshold(found.query, kept);
}

/// insert() for many pairs of one query, some of which cannot be listed.
void Ranking::insert(Kept& kept, std::span<const engine::Pair> pairs) {
  const std::size_t query = pairs[0].query;
  const PairWeights& weights = thresholds_.weights(query);
  const auto by_rank = [&](const Ranked& a, const Ranked& b) { return ranks_before(weights, a, b); };
  if (std::ranges::none_of(pairs, [this](const engine::Pair& pair) { return may_be_listed(pair); })) return;
  std::vector<Ranked> all = std::move(kept.heap);
  const std::optional<Ranked> worst = all.size() == rule_.top ? std::optional(all.front()) : std::nullopt;
  for (const engine::Pair& pair : pairs)
    if (may_be_listed(pair)) all.push_back(ranked(weights, pair));
  if (all.size() > rule_.top) {
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(rule_.top - 1);
    std::ranges::nth_element(all, last, by_rank);
    if (worst && !ties(weights, *worst, *last)) kept.ties_cut = 0;  // all that tied with it have left
    kept.ties_cut += static_cast<std::uint64_t>(
        std::count_if(last + 1, all.end(), [&](const Ranked& of) { return ties(weights, of, *last); }));
    all.erase(last + 1, all.end());
  }
  std::ranges::make_heap(all, by_rank);
  kept.heap.assign(all.begin(), all.end());
  lower_threshold(query, kept);
}

void Ranking::add_ties_cut(const engine::Pair& last, std::uint64_t n) {
  const std::lock_guard lock(guards_[group_of(last.query)]);
  Kept& kept = kept_[last.query];
  if (kept.heap.size() == rule_.top &&
      fastid::match::ties(thresholds_.weights(last.query), last, kept.heap.front().pair))
    kept.ties_cut += n;
}

std::vector<RankedPairs> Ranking::result(const Blame& blame) const {
  std::vector<RankedPairs> all;
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    const std::lock_guard lock(guards_[group_of(query)]);
    const Kept& kept = kept_[query];
    std::vector<Ranked> sorted = kept.heap;
    std::ranges::sort(sorted, [&](const Ranked& a, const Ranked& b) {
      return ranks_before(thresholds_.weights(query), a, b);
    });
    RankedPairs ranked{{}, kept.ties_cut};
    ranked.pairs.reserve(sorted.size());
    for (const Ranked& of : sorted) ranked.pairs.push_back(of.pair);
    if (const auto row = row_found_twice(ranked.pairs)) {
      if (blame) blame(*row, fmt::format("row {} was found twice for query {}", *row, query));
      throw WrongAnswer(fmt::format("row {} was found twice for query {}", *row, query));
    }
    if (kept.sampled && ranked.pairs.size() < rule_.top && thresholds_.threshold(query) == *kept.sampled)
      throw WrongAnswer(fmt::format("pairs of query {} that were counted before did not come again", query));
    all.push_back(std::move(ranked));
  }
  return all;
}

}  // namespace fastid::match
