#include "stats/mixture.hpp"

#include "bits/popcount.hpp"
#include "stats/internal/genotype.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {

std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n, Encoding by) {
  const double theta = model.parameters().theta;
  std::vector<Event> events;
  // `lacking` and `other`: P(the next allele is the one that the mixture lacks) and P(it is the other one),
  // given the copies of the other one seen before.
  const auto add = [&](const auto& lacking, const auto& other) {
    const double first = other(2 * n);
    events.push_back({lacking(2 * n) + first * lacking(2 * n + 1), first * other(2 * n + 1)});
  };
  for_each_compared(mixture, {mixture.bits, compared, {}}, [&](std::size_t site, bool, bool) {
    const double q = model.minor_freq()[site];
    const std::size_t shown = kind_at(mixture, site, by);
    if (shown == kMajorOnly)
      add(
          [&](unsigned seen) {
            return next_minor(q, theta, {0, seen});
          },
          [&](unsigned seen) {
            return next_major(q, theta, {0, seen});
          });
    else if (shown == kMinorOnly)
      add(
          [&](unsigned seen) {
            return next_major(q, theta, {seen, 0});
          },
          [&](unsigned seen) {
            return next_minor(q, theta, {seen, 0});
          });
  });
  return events;
}

double saturation(const RowView& mixture, Encoding by) {
  std::uint32_t saturated = 0;
  for (std::size_t word = 0; word < mixture.bits.size(); ++word)
    saturated += static_cast<std::uint32_t>(
        bits_set(mixture.bits[word] & (by == Encoding::kAlleles ? mixture.major[word] : ~Word{0})));
  const std::uint32_t called = count_set(mixture.called);
  return called == 0 ? 0 : static_cast<double>(saturated) / called;
}

}  // namespace fastid::stats
