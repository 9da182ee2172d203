#include "pipeline/value_sinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace fastid::pipeline {
namespace {

/// Whether a comes before b in the list of the best.
bool better(const match::FoundValue& a, const match::FoundValue& b) {
  return a.value != b.value ? a.value > b.value : a.index < b.index;
}

}  // namespace

void ValueChecksum::add(std::uint64_t index, double value) {
  sum_ += Wide{std::bit_cast<std::uint64_t>(value)} * (Wide{2} * index + 1);
}

void ValueChecksum::add(const ValueChecksum& other) {
  sum_ += other.sum_;
}

ValueChecksum ValueChecksum::of(std::uint64_t high, std::uint64_t low) {
  ValueChecksum made;
  made.sum_ = Wide{high} << 64 | low;
  return made;
}

std::string ValueChecksum::text() const {
  return fmt::format("{:016x}{:016x}", high(), low());
}

void ChecksumSink::take(std::span<const ValueRow> rows) {
  ValueChecksum sum;
  for (const ValueRow& row : rows)
    for (std::size_t i = 0; i < row.values.size(); ++i) sum.add(row.index + i, row.values[i]);
  const std::lock_guard lock(guard_);
  sum_.add(sum);
}

void FoundSink::take(std::span<const ValueRow> rows) {
  std::vector<match::FoundValue> found;
  for (const ValueRow& row : rows)
    for (std::size_t i = 0; i < row.values.size(); ++i)
      if (row.values[i] >= least_) found.push_back({row.index + i, row.values[i]});
  if (found.empty()) return;
  const std::lock_guard lock(guard_);
  found_.insert(found_.end(), found.begin(), found.end());
  if (found_.size() > most_)
    throw Failure(
        "--memory: has no room for all values that reach the threshold; raise --threshold, or cut into more "
        "--stages");
}

std::uint64_t FoundSink::held() const {
  const std::lock_guard lock(guard_);
  return found_.size();
}

void FoundSink::end() {
  std::ranges::sort(found_, {}, &match::FoundValue::index);
  out_(found_);
  found_.clear();
}

BestSink::BestSink(std::uint32_t n_vectors, std::size_t way, std::size_t cells, std::size_t best)
    : way_(way), cells_(cells), best_(best), kept_(n_vectors), worst_(n_vectors) {
  for (std::atomic<double>& worst : worst_) worst = -std::numeric_limits<double>::infinity();
}

// Of `others` values in no order, `values` come first. One of values / best_ of the rest is then among the
// best so far, and costs kCost times as much as one of the first: together values + kCost * best_ * others /
// values, which is least at the root.
std::uint32_t BestSink::compared_first() const {
  constexpr double kCost = 8;
  const double n = static_cast<double>(worst_.size()), others = way_ == 2 ? n : n * n / 2;
  const double values = std::sqrt(kCost * static_cast<double>(best_) * others);
  if (values > others / 2) return 0;
  return static_cast<std::uint32_t>(way_ == 2 ? values : std::sqrt(2 * values));
}

void BestSink::take(std::span<const ValueRow> rows) {
  for (const ValueRow& row : rows)
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      engine::Members members = row.members;
      members[0] += static_cast<std::uint32_t>(i / cells_);
      offer(members, {row.index + i, row.values[i]});
    }
}

void BestSink::offer(const match::FoundValue& value) {
  offer(engine::members_of(value.index / cells_, way_), value);
}

void BestSink::offer(const engine::Members& members, const match::FoundValue& value) {
  for (std::size_t m = 0; m < way_; ++m)
    if (value.value >= least(members[m])) offer_to(members[m], value);
}

void BestSink::offer_to(std::uint32_t vector, const match::FoundValue& value) {
  const std::lock_guard lock(guards_[vector % kGuards]);
  std::vector<match::FoundValue>& kept = kept_[vector];
  if (kept.size() == best_) {
    if (!better(value, kept.front())) return;
    std::ranges::pop_heap(kept, better);
    kept.pop_back();
  }
  kept.push_back(value);
  std::ranges::push_heap(kept, better);
  if (kept.size() == best_) worst_[vector].store(kept.front().value, std::memory_order_relaxed);
}

std::vector<match::FoundValue> BestSink::of(std::uint32_t vector) const {
  std::vector<match::FoundValue> best = kept_[vector];
  std::ranges::sort(best, better);
  return best;
}

std::vector<match::FoundValue> BestSink::all() const {
  std::vector<match::FoundValue> all;
  for (const std::vector<match::FoundValue>& kept : kept_) all.insert(all.end(), kept.begin(), kept.end());
  std::ranges::sort(all, {}, &match::FoundValue::index);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void EveryValueSink::begin(const Range& indices) {
  first_ = indices.first;
  values_.resize(static_cast<std::size_t>(indices.size()));
}

void EveryValueSink::take(std::span<const ValueRow> rows) {
  for (const ValueRow& row : rows)
    std::ranges::copy(row.values, values_.begin() + static_cast<std::ptrdiff_t>(row.index - first_));
}

void EveryValueSink::end() {
  out_(values_);
}

}  // namespace fastid::pipeline
