#include "asking/heterozygosity.hpp"

#include <cmath>
#include <numeric>

#include "base/checked.hpp"
#include "bits/popcount.hpp"
#include "stats/site_walk.hpp"

namespace fastid::asking {

HeterozygosityCheck::HeterozygosityCheck(std::span<const stats::PopulationModel> populations) {
  double most = -1;
  for (std::size_t a = 0; a < populations.size(); ++a)
    for (std::size_t b = a; b < populations.size(); ++b) {
      const std::span<const double> q = populations[a].minor_freq(), r = populations[b].minor_freq();
      std::vector<double> of_pair(q.size());
      for (std::size_t s = 0; s < q.size(); ++s) of_pair[s] = q[s] * (1 - r[s]) + r[s] * (1 - q[s]);
      const double sum = std::accumulate(of_pair.begin(), of_pair.end(), 0.0);
      if (sum <= most) continue;
      most = sum;
      expected_ = std::move(of_pair);
    }
  for (const double expected : expected_) {
    sum_ += expected;
    variance_ += expected * (1 - expected);
  }
  expected_.resize(ceil_div(expected_.size(), kWordBits) * kWordBits);
}

std::optional<match::SeveralPeople> HeterozygosityCheck::of_several(const RowView& row) const {
  if (expected_.empty()) return std::nullopt;
  std::uint32_t called = 0, seen = 0;
  double expected = sum_, variance = variance_;
  for (std::size_t word = 0; word < row.called.size(); ++word) {
    called += static_cast<std::uint32_t>(bits_set(row.called[word]));
    seen += static_cast<std::uint32_t>(bits_set(row.bits[word] & row.major[word] & row.called[word]));
    stats::for_each_set(word, ~row.called[word], [&](std::size_t site) {
      expected -= expected_[site];
      variance -= expected_[site] * (1 - expected_[site]);
    });
  }
  if (called < kLeastSites || seen <= kTimes * expected || seen <= expected + kErrors * std::sqrt(variance))
    return std::nullopt;
  return match::SeveralPeople{static_cast<double>(seen) / called, expected / called};
}

}  // namespace fastid::asking
