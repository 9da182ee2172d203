#include "stats/person_readings.hpp"

#include <algorithm>

#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// How many numbers stand for fewer than n readings: the counts that add up to 0, 1 ... n - 1.
constexpr unsigned below(unsigned n) {
  return n * (n + 1) * (n + 2) / 6;
}
static_assert(below(kMostReadings + 1) <= UINT16_MAX);

}  // namespace

ReadingId reading_id(const ReadingCounts& counts) {
  const unsigned n = counts[0] + counts[1] + counts[2], rest = n - counts[0];
  const unsigned before =
      n * (n + 1) / 2 - rest * (rest + 1) / 2 + counts[0];  // counts with fewer of the first
  return static_cast<ReadingId>(below(n) + before + counts[1]);
}

ReadingCounts reading_counts(ReadingId id) {
  unsigned n = 0;
  while (below(n + 1) <= id) ++n;
  unsigned rest = id - below(n), first = 0;
  while (rest > n - first) rest -= n - first++ + 1;
  return {first, rest, n - first - rest};
}

ReadingId together(ReadingId first, ReadingId second) {
  if (second == kNotRead) return first;
  if (first == kNotRead) return second;
  ReadingCounts sum = reading_counts(first), more = reading_counts(second);
  for (unsigned n = sum[0] + sum[1] + sum[2]; n < kMostReadings && more != ReadingCounts{}; ++n) {
    const auto most = static_cast<std::size_t>(std::ranges::max_element(more) - more.begin());
    ++sum[most];
    --more[most];
  }
  return reading_id(sum);
}

PersonReadings::PersonReadings(const RowView& row, std::size_t n_sites) : at_(n_sites) {
  constexpr std::array<ReadingId, kGenotypes> kOnce{3, 2, 1};  // reading_id() of one reading
  for_each_called(row, [&](std::size_t site, bool) { at_[site] = kOnce[shown_at(row, site)]; });
}

void PersonReadings::add(const PersonReadings& other) {
  if (at_.empty()) at_.resize(other.n_sites());
  std::ranges::transform(at_, other.at_, at_.begin(), together);
}

std::size_t PersonReadings::called() const {
  return at_.size() - static_cast<std::size_t>(std::ranges::count(at_, kNotRead));
}

}  // namespace fastid::stats
