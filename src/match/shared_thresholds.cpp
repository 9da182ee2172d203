#include "match/shared_thresholds.hpp"

#include <algorithm>
#include <bit>

namespace fastid::match {

SharedThresholds::SharedThresholds(std::size_t n_queries, const KeepRule& rule,
                                   std::span<const QueryRule> own)
    : own_(own.begin(), own.end()), packed_(n_queries) {
  own_.resize(n_queries);
  for (std::size_t query = 0; query < n_queries; ++query) {
    own_[query].max_count = std::min(rule.max_count, own_[query].max_count);
    packed_[query] = packed(query, first_threshold(query));
  }
}

engine::Threshold SharedThresholds::first_threshold(std::size_t query) const {
  const auto& [max_count, weights, only_positive] = own_[query];
  engine::Threshold threshold{.max_count = max_count};
  if (weights.cost > 0) {
    threshold.num = weights.credit;
    threshold.den = weights.cost;
    threshold.offset = only_positive ? 0 : engine::kOpenOffset;
  }
  return threshold;
}

std::uint64_t SharedThresholds::packed(std::size_t query, const engine::Threshold& threshold) const {
  if (weights(query).cost > 0) return std::bit_cast<std::uint64_t>(threshold.offset);
  return std::uint64_t{threshold.num} << 32 | threshold.den;
}

engine::Threshold SharedThresholds::unpacked(std::size_t query, std::uint64_t value) const {
  const auto& [max_count, weights, only_positive] = own_[query];
  if (weights.cost > 0) return {max_count, weights.credit, weights.cost, std::bit_cast<std::int64_t>(value)};
  return {max_count, static_cast<std::uint32_t>(value >> 32), static_cast<std::uint32_t>(value)};
}

bool SharedThresholds::is_lower(std::size_t query, std::uint64_t value, std::uint64_t than) const {
  if (weights(query).cost > 0) return std::bit_cast<std::int64_t>(value) < std::bit_cast<std::int64_t>(than);
  const engine::Threshold a = unpacked(query, value), b = unpacked(query, than);
  return std::uint64_t{a.num} * b.den < std::uint64_t{b.num} * a.den;
}

void SharedThresholds::lower(std::size_t query, std::uint64_t to) {
  std::uint64_t value = load(query);
  while (is_lower(query, to, value) &&
         !packed_[query].compare_exchange_weak(value, to, std::memory_order_relaxed)) {
  }
}

void SharedThresholds::lower(std::size_t query, const engine::Threshold& to) {
  lower(query, packed(query, to));
}

std::vector<std::uint64_t> SharedThresholds::snapshot() const {
  std::vector<std::uint64_t> all(packed_.size());
  for (std::size_t query = 0; query < all.size(); ++query) all[query] = load(query);
  return all;
}

void SharedThresholds::merge(std::span<const std::uint64_t> others) {
  for (std::size_t query = 0; query < others.size(); ++query) lower(query, others[query]);
}

}  // namespace fastid::match
