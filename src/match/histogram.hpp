/// \file
/// How many stored profiles differ from a query at 0, 1, 2, ... sites.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "match/pair_sink.hpp"

namespace fastid::match {

/// One histogram for each query, over all its pairs. A pair without a compared site is left out, since it is
/// never listed. For mixtures, a pair whose person has no minor allele is counted at 0.
class CountHistograms final : public PairSink {
 public:
  CountHistograms(std::size_t n_queries, std::uint32_t most_count);

  /// Sets all thresholds open, since every pair counts.
  void thresholds(std::span<engine::Threshold> out) const override;
  std::uint64_t keeps() const override { return UINT64_MAX; }
  void take(std::span<const engine::Pair> pairs) override;

  /// Adds profiles that were counted elsewhere. \param count  at most most_count
  void add(std::size_t query, std::uint32_t count, std::uint64_t profiles);

  /// [count], for 0 to n_sites: how many profiles have that many mismatches (mixtures: minor alleles not
  /// seen).
  const std::vector<std::uint64_t>& of_query(std::size_t query) const { return histograms_[query]; }

 private:
  std::mutex guard_;
  std::vector<std::vector<std::uint64_t>> histograms_;
};

}  // namespace fastid::match
