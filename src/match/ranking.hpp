/// \file
/// Which pairs to keep, and their order: exact, the same however the work was cut.
///
/// Order, best first: count / denominator as an exact fraction (0/0 counts as 0); mixtures: then more minor
/// alleles; then more compared; then the lower row. All but the row make a pair's *class*; pairs of one class
/// are ties.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "engine/comparison.hpp"
#include "match/pair_sink.hpp"

namespace fastid {

/// What a pair must satisfy to be listed.
struct KeepRule {
  std::uint64_t top = 10;                ///< at least 1, listed for each query at most; kAll: no limit
  std::uint32_t max_count = UINT32_MAX;  ///< mismatches, or minor alleles not seen, at most
  std::uint32_t min_compared = 1;        ///< comparable sites at least; never less than 1

  static constexpr std::uint64_t kAll = UINT64_MAX;
};

/// True where `a` ranks strictly before `b`. A total order over the pairs of one query.
bool ranks_before(Comparison comparison, const Pair& a, const Pair& b);
/// True where only the row tells them apart.
bool ties(Comparison comparison, const Pair& a, const Pair& b);

/// What is kept for one query.
struct RankedPairs {
  std::vector<Pair> pairs;     ///< best first
  std::uint64_t ties_cut = 0;  ///< pairs not listed that tie with the last one listed

  friend bool operator==(const RankedPairs&, const RankedPairs&) = default;
};

/// The rankings of all queries. Queries are locked in groups, so that many threads can offer at once.
class Ranking final : public PairSink {
 public:
  /// \param max_counts  a limit for each query where that is lower than the rule's; empty: the rule's for all
  Ranking(Comparison comparison, std::size_t n_queries, const KeepRule& rule,
          std::span<const std::uint32_t> max_counts = {});

  /// Starts from the thresholds of a ranking, by the same rule, of some pairs which are all to come again:
  /// pairs that cannot be listed are then turned away from the first tile on. Before anything is taken.
  void start_from(const Ranking& sample);

  /// A pair that ties with the last kept one passes: ties are counted.
  void thresholds(std::span<Threshold> out) const override;
  std::uint64_t keeps() const override { return rule_.top; }
  void take(std::span<const Pair> pairs) override;

  /// Best first, for each query. Call when all has been offered. \throws DeviceError where a listed pair
  /// came twice, or fewer pairs of a query than it was started from
  std::vector<RankedPairs> result() const;

 private:
  struct Kept {
    std::vector<Pair> heap;  ///< worst on top
    std::uint64_t ties_cut = 0;
    bool full_in_sample = false;  ///< `top` pairs are to come again
  };
  static constexpr std::size_t kGroups = 64;
  static constexpr std::uint64_t kFewKept = 16;  ///< that memory is taken for at once
  std::size_t group_of(std::size_t query) const { return query >> group_bits_; }
  Threshold threshold(std::size_t query) const;
  bool may_be_listed(const Pair& pair) const;
  void insert(Kept& kept, const Pair& pair);

  Comparison comparison_;
  KeepRule rule_;
  int group_bits_;  ///< 2 to the power of it neighbouring queries share a lock
  mutable std::array<std::mutex, kGroups> guards_;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> max_counts_;              ///< of each query
  std::vector<std::atomic<std::uint64_t>> fractions_;  ///< of each query's threshold: num, then den
};

}  // namespace fastid
