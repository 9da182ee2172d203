#include "match/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPrefetched = 4;  // pairs

std::uint32_t weight_or_one(Comparison comparison, const PairCounts& counts) {
  return std::max<std::uint32_t>(1, weight_of(comparison, counts));
}

/// Below 0 where a's class is better than b's, 0 where they tie, above 0 where it is worse.
int compare_classes(Comparison comparison, const PairCounts& a, const PairCounts& b) {
  const std::uint64_t left = std::uint64_t{a.count} * weight_or_one(comparison, b);
  const std::uint64_t right = std::uint64_t{b.count} * weight_or_one(comparison, a);
  if (left != right) return left < right ? -1 : 1;
  if (a.minor_alleles != b.minor_alleles) return a.minor_alleles > b.minor_alleles ? -1 : 1;
  if (a.compared != b.compared) return a.compared > b.compared ? -1 : 1;
  return 0;
}

/// count / weight; where the weight is 0, as of an open bar, no rate is larger.
struct Rate {
  std::uint32_t count, weight;

  friend bool operator<(const Rate& a, const Rate& b) {
    return std::uint64_t{a.count} * b.weight < std::uint64_t{b.count} * a.weight;
  }
};

/// A bar's, in one word.
std::uint64_t share_of(std::uint32_t num, std::uint32_t den) {
  return std::uint64_t{num} << 32 | den;
}
std::uint32_t num_of(std::uint64_t share) {
  return static_cast<std::uint32_t>(share >> 32);
}
std::uint32_t den_of(std::uint64_t share) {
  return static_cast<std::uint32_t>(share);
}

/// Query by query, the best first: once it is ranked, it may turn the next ones away.
bool goes_first(const Contender& a, const Contender& b) {
  if (a.query != b.query) return a.query < b.query;
  const Rate left{a.count, std::max<std::uint32_t>(1, a.weight)},
      right{b.count, std::max<std::uint32_t>(1, b.weight)};
  if (left < right || right < left) return left < right;
  return a.row < b.row;
}

}  // namespace

bool ranks_before(Comparison comparison, const Hit& a, const Hit& b) {
  const int order = compare_classes(comparison, a.counts, b.counts);
  return order != 0 ? order < 0 : a.row < b.row;
}

bool ties(Comparison comparison, const Hit& a, const Hit& b) {
  return compare_classes(comparison, a.counts, b.counts) == 0;
}

Ranking::Ranking(Comparison comparison, std::size_t n_queries, const KeepRule& rule,
                 std::span<const std::uint32_t> max_counts)
    : comparison_(comparison),
      rule_(rule),
      group_bits_(std::countr_zero(std::bit_ceil(ceil_div(n_queries, kGroups)))),
      kept_(n_queries),
      max_counts_(n_queries, rule.max_count),
      shares_(n_queries) {
  rule_.min_compared = std::max<std::uint32_t>(1, rule_.min_compared);
  const Bar open;
  for (std::size_t q = 0; q < n_queries; ++q) {
    if (!max_counts.empty()) max_counts_[q] = std::min(rule.max_count, max_counts[q]);
    shares_[q] = share_of(open.num, open.den);
  }
}

void Ranking::rank(std::vector<Contender> pairs, const Recounter& recounter) {
  std::erase_if(pairs, [&](const Contender& pair) { return !may_be_listed(pair); });
  std::ranges::sort(pairs, goes_first);
  for (std::size_t i = 0; i < pairs.size();) {
    const std::size_t group = group_of(pairs[i].query);
    const std::lock_guard lock(guards_[group]);
    for (; i < pairs.size() && group_of(pairs[i].query) == group; ++i) {
      if (i + kPrefetched < pairs.size()) recounter.prefetch(pairs[i + kPrefetched]);
      if (may_be_listed(pairs[i])) offer(pairs[i].query, {pairs[i].row, recounter.count(pairs[i])});
    }
  }
}

// Where the bar is not as strict yet.
void Ranking::tighten(std::size_t query, std::uint32_t num, std::uint32_t den) {
  std::uint64_t now = shares_[query].load(std::memory_order_relaxed);
  while (Rate{num, den} < Rate{num_of(now), den_of(now)} &&
         !shares_[query].compare_exchange_weak(now, share_of(num, den), std::memory_order_relaxed)) {
  }
}

Bar Ranking::bar(std::size_t query) const {
  const std::uint64_t share = shares_[query].load(std::memory_order_relaxed);
  return {max_counts_[query], num_of(share), den_of(share)};
}

void Ranking::promise(std::span<const Bar> bars) {
  for (std::size_t query = 0; query < bars.size(); ++query) tighten(query, bars[query].num, bars[query].den);
}

// Bars get stricter by promises, and by pairs once `top` are kept: the last one of those then passes.
std::optional<std::size_t> Ranking::broken_promise() const {
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    const Bar now = bar(query);
    if (now.is_open()) continue;
    const std::lock_guard lock(guards_[group_of(query)]);
    const std::vector<Hit>& heap = kept_[query].heap;
    if (heap.size() < rule_.top ||
        !now.passes(heap.front().counts.count, weight_of(comparison_, heap.front().counts)))
      return query;
  }
  return std::nullopt;
}

void Ranking::offer(std::uint32_t query, const Hit& hit) {
  Kept& kept = kept_[query];
  if (hit.counts.count > max_counts_[query] || hit.counts.compared < rule_.min_compared) return;
  insert(kept, hit);
  if (kept.heap.size() < rule_.top) return;
  const PairCounts& worst = kept.heap.front().counts;
  tighten(query, worst.count, weight_or_one(comparison_, worst));
}

void Ranking::insert(Kept& kept, const Hit& hit) {
  const auto by_rank = [this](const Hit& a, const Hit& b) { return ranks_before(comparison_, a, b); };
  if (kept.heap.size() < rule_.top) {
    if (kept.heap.empty()) kept.heap.reserve(std::min(rule_.top, kFewKept));
    kept.heap.push_back(hit);
    std::push_heap(kept.heap.begin(), kept.heap.end(), by_rank);
    return;
  }
  // Full. What leaves (the new hit, or the worst one) is a tie that was cut where its class is still the
  // worst kept.
  Hit out = hit;
  if (by_rank(hit, kept.heap.front())) {
    std::pop_heap(kept.heap.begin(), kept.heap.end(), by_rank);
    std::swap(out, kept.heap.back());
    std::push_heap(kept.heap.begin(), kept.heap.end(), by_rank);
    if (!ties(comparison_, out, kept.heap.front())) kept.ties_cut = 0;  // all of that class have left
  }
  if (ties(comparison_, out, kept.heap.front())) ++kept.ties_cut;
}

void Ranking::bars(std::span<Bar> out) const {
  for (std::size_t query = 0; query < kept_.size(); ++query) out[query] = bar(query);
}

std::vector<Hit> Ranking::kept(std::size_t query) const {
  const std::lock_guard lock(guards_[group_of(query)]);
  return kept_[query].heap;
}

std::vector<RankedHits> Ranking::result() const {
  std::vector<RankedHits> all;
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    const std::lock_guard lock(guards_[group_of(query)]);
    RankedHits ranked{kept_[query].heap, kept_[query].ties_cut};
    std::sort(ranked.hits.begin(), ranked.hits.end(),
              [this](const Hit& a, const Hit& b) { return ranks_before(comparison_, a, b); });
    const auto twice = std::ranges::adjacent_find(ranked.hits, {}, &Hit::row);
    if (twice != ranked.hits.end())
      throw DeviceError(fmt::format("row {} was found twice for query {}; {}", twice->row, query, kDistrust));
    all.push_back(std::move(ranked));
  }
  return all;
}

}  // namespace fastid
