#include "questions/ld/part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace fastid::ld {
namespace {

constexpr std::string_view kLinked = "linked sites";
constexpr std::size_t kSection = 1 << 13;  ///< pairs of a section
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A pair in a part; what has no value is NaN.
struct StoredSites {
  std::uint32_t first = 0, second = 0, called = 0, unused = 0;
  double r2 = 0, d = kUnknown, d_prime = kUnknown;
};
static_assert(sizeof(StoredSites) == 40);

StoredSites stored(const SitePair& pair) {
  return {.first = pair.sites.first,
          .second = pair.sites.second,
          .called = pair.sites.counts.called,
          .r2 = pair.r2,
          .d = pair.d.value_or(kUnknown),
          .d_prime = pair.d_prime.value_or(kUnknown)};
}

std::optional<double> number(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

SitePair restored(const StoredSites& from) {
  return {{from.first, from.second, {.called = from.called}}, from.r2, number(from.d), number(from.d_prime)};
}

std::pair<std::uint32_t, std::uint32_t> place_of(const SitePair& pair) {
  return {pair.sites.first, pair.sites.second};
}

}  // namespace

void add_linked(part::Writer& to, std::span<const SitePair> pairs) {
  std::vector<StoredSites> some;
  for (std::size_t at = 0; at < pairs.size(); at += kSection) {
    some.clear();
    for (const SitePair& pair : pairs.subspan(at, std::min(kSection, pairs.size() - at)))
      some.push_back(stored(pair));
    to.add<StoredSites>(kLinked, some);
  }
}

void for_all_linked(const part::PartSet& parts,
                    const std::function<bool(std::size_t i, const SitePair& pair)>& is_own,
                    const std::function<void(std::span<const SitePair> pairs)>& take) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part::File& part = parts.part(i);
    std::optional<std::pair<std::uint32_t, std::uint32_t>> last;
    for (const part::Section* section : part.sections(kLinked)) {
      std::vector<SitePair> pairs;
      for (const StoredSites& one : part.read<StoredSites>(*section)) {
        pairs.push_back(restored(one));
        const auto place = place_of(pairs.back());
        if (!is_own(i, pairs.back())) part.refuse(kLinked, "has a pair that is not of this shard");
        if (last && place <= *last) part.refuse(kLinked, "has pairs that are not in their order");
        last = place;
      }
      take(pairs);
    }
  }
}

}  // namespace fastid::ld
