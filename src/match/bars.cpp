#include "match/bars.hpp"

#include <algorithm>
#include <bit>

namespace fastid {

Bars::Bars(std::size_t n_queries, const KeepRule& rule, std::span<const QueryRule> own)
    : own_(own.begin(), own.end()), bars_(n_queries) {
  own_.resize(n_queries);
  for (std::size_t query = 0; query < n_queries; ++query) {
    own_[query].max_count = std::min(rule.max_count, own_[query].max_count);
    bars_[query] = packed(query, first_threshold(query));
  }
}

Threshold Bars::first_threshold(std::size_t query) const {
  const auto& [max_count, balance, only_positive] = own_[query];
  Threshold threshold{.max_count = max_count};
  if (balance.count > 0) {
    threshold.num = balance.denominator;
    threshold.den = balance.count;
    threshold.offset = only_positive ? 0 : kOpenOffset;
  }
  return threshold;
}

std::uint64_t Bars::packed(std::size_t query, const Threshold& threshold) const {
  if (balance(query).count > 0) return std::bit_cast<std::uint64_t>(threshold.offset);
  return std::uint64_t{threshold.num} << 32 | threshold.den;
}

Threshold Bars::unpacked(std::size_t query, std::uint64_t bar) const {
  const auto& [max_count, balance, only_positive] = own_[query];
  if (balance.count > 0)
    return {max_count, balance.denominator, balance.count, std::bit_cast<std::int64_t>(bar)};
  return {max_count, static_cast<std::uint32_t>(bar >> 32), static_cast<std::uint32_t>(bar)};
}

bool Bars::is_lower(std::size_t query, std::uint64_t bar, std::uint64_t than) const {
  if (balance(query).count > 0) return std::bit_cast<std::int64_t>(bar) < std::bit_cast<std::int64_t>(than);
  const Threshold a = unpacked(query, bar), b = unpacked(query, than);
  return std::uint64_t{a.num} * b.den < std::uint64_t{b.num} * a.den;
}

void Bars::lower(std::size_t query, std::uint64_t to) {
  std::uint64_t bar = load(query);
  while (is_lower(query, to, bar) &&
         !bars_[query].compare_exchange_weak(bar, to, std::memory_order_relaxed)) {
  }
}

void Bars::lower(std::size_t query, const Threshold& to) {
  lower(query, packed(query, to));
}

std::vector<std::uint64_t> Bars::all() const {
  std::vector<std::uint64_t> all(bars_.size());
  for (std::size_t query = 0; query < all.size(); ++query) all[query] = load(query);
  return all;
}

void Bars::hear(std::span<const std::uint64_t> others) {
  for (std::size_t query = 0; query < others.size(); ++query) lower(query, others[query]);
}

}  // namespace fastid
