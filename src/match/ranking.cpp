#include "match/ranking.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"

namespace fastid {
namespace {

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

/// count / weight; the weight is not 0.
struct Share {
  std::uint32_t count = 0, weight = 1;

  friend bool operator<(const Share& a, const Share& b) {
    return std::uint64_t{a.count} * b.weight < std::uint64_t{b.count} * a.weight;
  }
};

}  // namespace

bool ranks_before(Comparison comparison, const Hit& a, const Hit& b) {
  const int order = compare_classes(comparison, a.counts, b.counts);
  return order != 0 ? order < 0 : a.row < b.row;
}

bool ties(Comparison comparison, const Hit& a, const Hit& b) {
  return compare_classes(comparison, a.counts, b.counts) == 0;
}

void drop_outranked(std::vector<Candidate>& candidates, const KeepRule& rule, std::span<Bar> bars) {
  std::vector<std::size_t> ends(bars.size() + 1);  // of each query's part of `shares`
  const auto counts = [&](const Candidate& found) {
    return found.weight >= rule.min_compared && bars[found.query].passes(found.count, found.weight);
  };
  for (const Candidate& found : candidates)
    if (counts(found)) ++ends[found.query + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Share> shares(ends.back());
  std::vector<std::size_t> at(ends.begin(), ends.end() - 1);
  for (const Candidate& found : candidates)
    if (counts(found)) shares[at[found.query]++] = {found.count, std::max<std::uint32_t>(1, found.weight)};
  for (std::size_t query = 0; query < bars.size(); ++query) {
    const auto own = std::span(shares).subspan(ends[query], ends[query + 1] - ends[query]);
    if (own.size() <= rule.top) continue;
    const auto last = own.begin() + static_cast<std::ptrdiff_t>(rule.top - 1);
    std::nth_element(own.begin(), last, own.end());
    bars[query].num = last->count;
    bars[query].den = last->weight;
  }
  std::erase_if(candidates,
                [&](const Candidate& found) { return !bars[found.query].passes(found.count, found.weight); });
}

Ranking::Ranking(Comparison comparison, std::size_t n_queries, const KeepRule& rule,
                 std::span<const std::uint32_t> max_counts)
    : comparison_(comparison),
      rule_(rule),
      group_queries_(std::max<std::size_t>(1, ceil_div(n_queries, kGroups))),
      kept_(n_queries),
      bars_(n_queries) {
  rule_.min_compared = std::max<std::uint32_t>(1, rule_.min_compared);
  for (std::size_t q = 0; q < n_queries; ++q) {
    kept_[q].max_count = max_counts.empty() ? rule.max_count : std::min(rule.max_count, max_counts[q]);
    bars_[q].max_count = kept_[q].max_count;
  }
}

// Group by group, each locked once.
void Ranking::take(std::span<const Offer> offers) {
  std::array<std::size_t, kGroups + 1> ends{};  // of each group's part of `order`; before that, its start
  for (const Offer& offered : offers) ++ends[group_of(offered.query) + 1];
  for (std::size_t g = 0; g < kGroups; ++g) ends[g + 1] += ends[g];
  std::vector<std::uint32_t> order(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i)
    order[ends[group_of(offers[i].query)]++] = static_cast<std::uint32_t>(i);
  for (std::size_t g = 0, at = 0; g < kGroups; ++g) {
    if (at == ends[g]) continue;
    const std::lock_guard lock(guards_[g]);
    for (; at < ends[g]; ++at) offer(offers[order[at]].query, offers[order[at]].hit);
  }
}

void Ranking::offer(std::uint32_t query, const Hit& hit) {
  Kept& kept = kept_[query];
  if (hit.counts.count > kept.max_count || hit.counts.compared < rule_.min_compared) return;
  insert(kept, hit);
  if (kept.heap.size() < rule_.top) return;
  const PairCounts& worst = kept.heap.front().counts;
  bars_[query].num = worst.count;
  bars_[query].den = weight_or_one(comparison_, worst);
}

void Ranking::insert(Kept& kept, const Hit& hit) {
  const auto by_rank = [this](const Hit& a, const Hit& b) { return ranks_before(comparison_, a, b); };
  if (kept.heap.size() < rule_.top) {
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
  for (std::size_t first = 0; first < bars_.size(); first += group_queries_) {
    const std::lock_guard lock(guards_[group_of(first)]);
    const std::size_t n = std::min(group_queries_, bars_.size() - first);
    std::copy_n(bars_.begin() + static_cast<std::ptrdiff_t>(first), n,
                out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

std::vector<RankedHits> Ranking::result() const {
  std::vector<RankedHits> all;
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    const std::lock_guard lock(guards_[group_of(query)]);
    RankedHits ranked{kept_[query].heap, kept_[query].ties_cut};
    std::sort(ranked.hits.begin(), ranked.hits.end(),
              [this](const Hit& a, const Hit& b) { return ranks_before(comparison_, a, b); });
    all.push_back(std::move(ranked));
  }
  return all;
}

}  // namespace fastid
