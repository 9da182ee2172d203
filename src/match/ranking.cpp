#include "match/ranking.hpp"

#include <algorithm>
#include <utility>

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

Ranking::Ranking(Comparison comparison, std::size_t n_queries, const KeepRule& rule,
                 std::span<const std::uint32_t> max_counts)
    : comparison_(comparison),
      rule_(rule),
      group_queries_(std::max<std::size_t>(1, ceil_div(n_queries, kGroups))),
      kept_(n_queries),
      bars_(n_queries) {
  rule_.min_compared = std::max<std::uint32_t>(1, rule_.min_compared);
  for (std::size_t q = 0; q < n_queries; ++q) {
    kept_[q].look = static_cast<std::size_t>(std::min<std::uint64_t>(rule_.top, kMostWaiting));
    kept_[q].max_count = max_counts.empty() ? rule.max_count : std::min(rule.max_count, max_counts[q]);
    bars_[q].max_count = kept_[q].max_count;
  }
}

// each(item) group by group, each locked once.
template <class Each, class Item>
void Ranking::by_group(std::span<const Item> items, const Each& each) {
  std::array<std::size_t, kGroups + 1> ends{};  // of each group's part of `order`; before that, its start
  for (const Item& item : items) ++ends[group_of(item.query) + 1];
  for (std::size_t g = 0; g < kGroups; ++g) ends[g + 1] += ends[g];
  std::vector<std::uint32_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    order[ends[group_of(items[i].query)]++] = static_cast<std::uint32_t>(i);
  for (std::size_t g = 0, at = 0; g < kGroups; ++g) {
    if (at == ends[g]) continue;
    const std::lock_guard lock(guards_[g]);
    for (; at < ends[g]; ++at) each(items[order[at]]);
  }
}

void Ranking::take(std::vector<Contender>& pairs) {
  std::vector<Contender> left;
  by_group(std::span<const Contender>(pairs), [&](const Contender& pair) {
    if (bars_[pair.query].passes(pair.count, pair.weight) && !wait(pair)) left.push_back(pair);
  });
  pairs.swap(left);
}

// False where there is no room.
bool Ranking::wait(const Contender& pair) {
  Kept& kept = kept_[pair.query];
  if (rule_.top > kMostWaiting / 2 || kept.waiting.size() >= kMostWaiting) return false;
  kept.waiting.push_back({pair.row, pair.count, pair.weight});
  if (kept.waiting.size() >= kept.look) look_through(pair.query);
  return true;
}

// The best of those that wait, as many as are to be listed, close the bar. One that weighs too little may
// turn out not to be listed at all, and closes nothing.
void Ranking::look_through(std::size_t query) {
  Kept& kept = kept_[query];
  const auto top = static_cast<std::size_t>(rule_.top);
  std::array<Share, kMostWaiting> shares;
  std::size_t n = 0;
  for (const Waiting& pair : kept.waiting)
    if (pair.weight >= rule_.min_compared) shares[n++] = {pair.count, pair.weight};
  if (n >= top) {
    const auto last = shares.begin() + static_cast<std::ptrdiff_t>(top - 1);
    std::nth_element(shares.begin(), last, shares.begin() + static_cast<std::ptrdiff_t>(n));
    tighten(query, last->count, last->weight);
    std::erase_if(kept.waiting,
                  [&](const Waiting& pair) { return !bars_[query].passes(pair.count, pair.weight); });
  }
  kept.look = kept.waiting.size() + top / 2 + 1;
}

void Ranking::tighten(std::size_t query, std::uint32_t count, std::uint32_t weight) {
  Bar& bar = bars_[query];
  if (!bar.is_open() && !(Share{count, weight} < Share{bar.num, bar.den})) return;
  bar.num = count;
  bar.den = weight;
}

std::vector<Contender> Ranking::wait_over() {
  std::vector<Contender> all;
  for (std::size_t query = 0; query < kept_.size(); ++query) {
    const std::lock_guard lock(guards_[group_of(query)]);
    if (!kept_[query].waiting.empty()) look_through(query);
    for (const auto& [row, count, weight] : std::exchange(kept_[query].waiting, {}))
      all.push_back({row, static_cast<std::uint32_t>(query), count, weight});
  }
  std::ranges::sort(all, {}, &Contender::row);
  return all;
}

void Ranking::offer(std::span<const Offer> offers) {
  by_group(offers, [this](const Offer& offered) { offer(offered.query, offered.hit); });
}

void Ranking::offer(std::uint32_t query, const Hit& hit) {
  Kept& kept = kept_[query];
  if (hit.counts.count > kept.max_count || hit.counts.compared < rule_.min_compared) return;
  insert(kept, hit);
  if (kept.heap.size() < rule_.top) return;
  const PairCounts& worst = kept.heap.front().counts;
  tighten(query, worst.count, weight_or_one(comparison_, worst));
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
