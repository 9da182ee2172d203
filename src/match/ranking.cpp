#include "match/ranking.hpp"

#include <algorithm>

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
    : comparison_(comparison), rule_(rule), kept_(n_queries) {
  rule_.min_compared = std::max<std::uint32_t>(1, rule_.min_compared);
  for (std::size_t q = 0; q < n_queries; ++q)
    kept_[q].max_count = max_counts.empty() ? rule.max_count : std::min(rule.max_count, max_counts[q]);
}

void Ranking::take(std::span<const Offer> offers) {
  const std::lock_guard lock(guard_);
  for (const Offer& offered : offers) offer(kept_[offered.query], offered.hit);
}

void Ranking::offer(Kept& kept, const Hit& hit) {
  if (hit.counts.count > kept.max_count || hit.counts.compared < rule_.min_compared) return;
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
  const std::lock_guard lock(guard_);
  for (std::size_t q = 0; q < kept_.size(); ++q) {
    out[q] = Bar{.max_count = kept_[q].max_count};
    if (kept_[q].heap.size() < rule_.top) continue;
    const PairCounts& worst = kept_[q].heap.front().counts;
    out[q].num = worst.count;
    out[q].den = weight_or_one(comparison_, worst);
  }
}

std::vector<RankedHits> Ranking::result() const {
  const std::lock_guard lock(guard_);
  std::vector<RankedHits> all;
  for (const Kept& kept : kept_) {
    RankedHits ranked{kept.heap, kept.ties_cut};
    std::sort(ranked.hits.begin(), ranked.hits.end(),
              [this](const Hit& a, const Hit& b) { return ranks_before(comparison_, a, b); });
    all.push_back(std::move(ranked));
  }
  return all;
}

}  // namespace fastid
