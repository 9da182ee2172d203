/// \file
/// How many stored profiles differ from a query at 0, 1, 2, ... sites: what a match is seen against.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "match/pair_sink.hpp"

namespace fastid {

/// One histogram a query, of all pairs that it is given. A pair that has nothing to compare is left out, as
/// it is never listed; one without a minor allele that could be missing counts at 0.
class CountHistograms final : public PairSink {
 public:
  CountHistograms(std::size_t n_queries, std::uint32_t n_sites);

  /// Open: every pair counts.
  void thresholds(std::span<Threshold> out) const override;
  std::uint64_t keeps() const override { return UINT64_MAX; }
  void take(std::span<const Pair> pairs) override;

  /// [count], n_sites + 1 of them: profiles with that many mismatches (mixtures: minor alleles not seen).
  const std::vector<std::uint64_t>& of_query(std::size_t query) const { return histograms_[query]; }

 private:
  std::mutex guard_;
  std::vector<std::vector<std::uint64_t>> histograms_;
};

}  // namespace fastid
