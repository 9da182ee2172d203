/// \file
/// Which pairs to keep, and their order: exact, and the same however the work was cut.
///
/// Order, best first: count / denominator as an exact fraction (0/0 counts as 0), or by a query's balance;
/// then a larger denominator; then more compared; then the lower row. All but the row make a pair's *class*;
/// pairs of one class are ties.
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
  std::uint64_t top = 10;                ///< most pairs listed for each query, at least 1; kAll: no limit
  std::uint32_t max_count = UINT32_MAX;  ///< most mismatches, or alleles not seen
  std::uint32_t min_compared = 1;        ///< fewest compared sites; never less than 1

  static constexpr std::uint64_t kAll = UINT64_MAX;
};

/// Order by weight: a pair is worth denominator x max(its denominator, 1) - count x its count, and more is
/// better. Both members are below 2^24. Order by fraction where count is 0.
struct Balance {
  std::uint32_t count = 0;        ///< what one of the count costs
  std::uint32_t denominator = 0;  ///< what one of the denominator makes up for

  friend bool operator==(const Balance&, const Balance&) = default;
};

/// What holds for one query.
struct QueryRule {
  std::uint32_t max_count = UINT32_MAX;  ///< used if it is lower than the rule's
  Balance balance;
  bool only_positive = false;  ///< with a balance: list only pairs that are worth at least 0
};

/// Whether `a` ranks strictly before `b`. A total order of the pairs of one query.
bool ranks_before(const Balance& balance, const Pair& a, const Pair& b);
/// Whether the pairs are of one class.
bool ties(const Balance& balance, const Pair& a, const Pair& b);

/// What is kept for one query.
struct RankedPairs {
  std::vector<Pair> pairs;     ///< best first
  std::uint64_t ties_cut = 0;  ///< pairs not listed that tie with the last one listed

  friend bool operator==(const RankedPairs&, const RankedPairs&) = default;
};

/// The rankings of all queries. Queries are locked in groups, so that many threads can add pairs at once.
class Ranking final : public PairSink {
 public:
  /// \param own  for each query; empty: the defaults
  Ranking(std::size_t n_queries, const KeepRule& rule, std::span<const QueryRule> own = {});

  /// Starts from thresholds that the pairs of a sample have set, by the same rule: pairs that cannot be
  /// listed are then rejected from the first tile on. A threshold that is not open means that `top` pairs
  /// pass it, which all come again. To be called before take(). \param thresholds  one for each query
  void start_from(std::span<const Threshold> thresholds);

  /// A pair that ties with the last kept one passes, since ties are counted.
  void thresholds(std::span<Threshold> out) const override;
  std::uint64_t keeps() const override { return rule_.top; }
  void take(std::span<const Pair> pairs) override;

  /// Whether a pair would still change the result: it is among the best so far, or ties with the worst kept.
  bool may_be_listed(const Pair& pair) const;

  /// Counts pairs that somebody else has cut off, and that tie with `last`, which was the last of the same
  /// query's that they kept. To be called when all pairs have been taken.
  void add_ties_cut(const Pair& last, std::uint64_t n);

  /// The pairs of each query, best first. To be called when all pairs have been taken. \throws DeviceError if
  /// a listed pair came twice, or if fewer pairs came than the sample had
  std::vector<RankedPairs> result() const;

 private:
  struct Kept {
    std::vector<Pair> heap;  ///< worst on top
    std::uint64_t ties_cut = 0;
    bool full_in_sample = false;  ///< the sample had `top` pairs, which must come again
  };
  static constexpr std::size_t kGroups = 64;
  static constexpr std::uint64_t kFewKept = 16;  ///< pairs for which memory is reserved at the start
  std::size_t group_of(std::size_t query) const { return query >> group_bits_; }
  Threshold threshold(std::size_t query) const;
  void insert(Kept& kept, const Pair& pair);

  KeepRule rule_;
  int group_bits_;  ///< 2^group_bits_ neighbouring queries share a lock
  mutable std::array<std::mutex, kGroups> guards_;
  std::vector<Kept> kept_;
  std::vector<QueryRule> own_;                    ///< of each query
  std::vector<std::atomic<std::uint64_t>> bars_;  ///< of each query's threshold: num and den, or the offset
};

}  // namespace fastid
