#include "engine/screen_count.hpp"

#include <algorithm>
#include <cmath>

#include "bits/popcount.hpp"

namespace fastid::engine {
namespace {

Seen seen_at(const RowView& row, std::size_t word, std::uint32_t bit) {
  return static_cast<Seen>((row.bits[word] >> bit & 1) << 1 | (row.major[word] >> bit & 1));
}

Seen seen_of(const BlocksView& view, std::uint64_t profile, std::size_t word, std::uint32_t bit) {
  return static_cast<Seen>((view.bits_word(profile, word) >> bit & 1) << 1 |
                           (view.major_word(profile, word) >> bit & 1));
}

}  // namespace

std::uint32_t screen_count(const ScreenState& end, float one) {
  const auto bits = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(end.none + one * end.one));
  const std::int32_t exponent =
      std::clamp(end.exponent + (bits >> kMantissaBits) - 127, -kMostScreenExponent, kMostScreenExponent);
  const std::int32_t mantissa = (bits & ((1 << kMantissaBits) - 1)) >> (kMantissaBits - kScreenBits);
  return kScreenOfOne - static_cast<std::uint32_t>(exponent * (1 << kScreenBits) + mantissa);
}

QueryEmissions emissions_of(const ScreenTable& table, const RowView& row) {
  QueryEmissions emissions;
  emissions.reserve(table.steps.size());
  for (const ScreenGroup& group : table.groups)
    for (std::size_t s = group.first; s < group.first + group.n_sites; ++s)
      emissions.push_back(table.emissions[s][seen_at(row, group.word, table.steps[s].bit())].data());
  return emissions;
}

ScreenState plain_end(const ScreenTable& table, std::span<const float* const> emissions,
                      const BlocksView& view, std::uint64_t profile) {
  ScreenState at;
  for (const ScreenGroup& group : table.groups) {
    for (std::size_t s = group.first; s < group.first + group.n_sites; ++s) {
      const auto& [from_one, stays, odd, even] = table.steps[s];
      const float kept = at.none + stays * at.one;
      at.none = at.none + from_one * at.one;
      at.one = kept * emissions[s][seen_of(view, profile, group.word, even + odd)];
    }
    const float sum = at.none + group.one * at.one;
    const std::int32_t exponent = std::ilogb(sum);
    const float scale = std::ldexp(group.norm, -exponent);
    at = {at.none * scale, at.one * scale, at.exponent + exponent};
  }
  return at;
}

std::uint32_t compared_sites(std::span<const Word> sites, const BlocksView& view, std::uint64_t profile) {
  int compared = 0;
  for (std::size_t word = 0; word < sites.size(); ++word)
    compared += bits_set(sites[word] & view.called_word(profile, word));
  return static_cast<std::uint32_t>(compared);
}

PairCounts screen_pair(std::span<const ScreenTable* const> tables, const RowView& query,
                       const BlocksView& view, std::uint64_t profile) {
  PairCounts counts{0, 1, compared_sites(query.called, view, profile)};
  for (const ScreenTable* const table : tables) {
    const ScreenState end = plain_end(*table, emissions_of(*table, query), view, profile);
    counts.count = std::max(counts.count, screen_count(end, table->groups.back().one));
  }
  return counts;
}

const ScreenCount* screen_of(const Problem& problem) {
  return dynamic_cast<const ScreenCount*>(problem.custom_count);
}

}  // namespace fastid::engine
