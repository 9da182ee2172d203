/// \file
/// Which pairs are kept, and in which order: exact, and the same however the work was cut.
///
/// Order, best first: count / denominator as an exact fraction (0/0 counts as 0), or by a query's weights;
/// then a larger denominator; then more compared; then the lower row. Pairs that differ in the row
/// alone tie.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/comparison.hpp"
#include "match/keep_rule.hpp"
#include "match/pair_sink.hpp"
#include "match/shared_thresholds.hpp"

namespace fastid::match {

/// Whether `a` ranks strictly before `b`. A total order of the pairs of one query.
bool ranks_before(const PairWeights& weights, const engine::Pair& a, const engine::Pair& b);
/// Whether the pairs tie.
bool ties(const PairWeights& weights, const engine::Pair& a, const engine::Pair& b);

/// Throws the error for wrong pairs of a row, naming what found them. \param problem  "was found twice for
/// query 3"
using Blame = std::function<void(std::uint64_t row, const std::string& problem)>;

/// What is kept for one query.
struct RankedPairs {
  std::vector<engine::Pair> pairs;  ///< best first
  std::uint64_t ties_cut = 0;       ///< pairs not listed that tie with the last one listed

  friend bool operator==(const RankedPairs&, const RankedPairs&) = default;
};

/// The rankings of all queries. Queries are locked in groups, so that many threads can add pairs at once.
class Ranking final : public PairSink {
 public:
  /// \param own  for each query; empty: the defaults
  Ranking(std::size_t n_queries, const KeepRule& rule, std::span<const QueryRule> own = {});
  /// \param shared  of the same queries, by the same rules, for rankings of other rows too; must outlive it
  Ranking(SharedThresholds& shared, const KeepRule& rule);

  /// Starts from thresholds that the pairs of a sample have set, by the same rule: pairs that cannot be
  /// listed are then rejected from the first tile on. A threshold that is not open means that `top` pairs
  /// pass it; take() must get all of them again. Call before take(). \param thresholds  one for each query
  void start_from(std::span<const engine::Threshold> thresholds);

  /// A pair that ties with the last kept one passes, since ties are counted.
  void thresholds(std::span<engine::Threshold> out) const override;
  std::uint64_t keeps() const override { return rule_.top; }
  void take(std::span<const engine::Pair> pairs) override;

  /// Whether a pair would still change the result: it is among the best so far, or ties with the worst kept.
  bool may_be_listed(const engine::Pair& pair) const;

  /// Counts pairs that another ranking has cut off, and that tie with `last`, the last pair of the same query
  /// that it kept. Call when all pairs have been taken.
  void add_ties_cut(const engine::Pair& last, std::uint64_t n);

  /// The pairs of each query, best first. Where thresholds are shared, there may be fewer than `top`: only
  /// pairs that can be among the best of all rows are certain to be there. Call when all pairs have been
  /// taken. \param blame  for a listed pair that came twice; null: a device \throws DeviceError if fewer
  /// pairs came than the sample had
  std::vector<RankedPairs> result(const Blame& blame = {}) const;

 private:
  struct Ranked {
    std::int64_t lack = 0;  ///< by weight: what the pair lacks; lower is better
    engine::Pair pair;
  };
  struct Kept {
    std::vector<Ranked> heap;  ///< worst on top
    std::uint64_t ties_cut = 0;
    std::optional<engine::Threshold> sampled;  ///< passed by `top` pairs of the sample, which must come again
  };
  static constexpr std::size_t kGroups = 64;
  static constexpr std::uint64_t kFewKept = 16;  ///< pairs for which memory is reserved at the start
  static int group_bits(std::size_t n_queries);
  std::size_t group_of(std::size_t query) const { return query >> group_bits_; }
  static bool ranks_before(const PairWeights& weights, const Ranked& a, const Ranked& b);
  static bool ties(const PairWeights& weights, const Ranked& a, const Ranked& b);
  static Ranked ranked(const PairWeights& weights, const engine::Pair& pair);
  void insert(Kept& kept, const engine::Pair& pair);
  void insert(Kept& kept, std::span<const engine::Pair> pairs);
  void lower_threshold(std::size_t query, const Kept& kept);

  KeepRule rule_;
  int group_bits_;  ///< 2^group_bits_ neighbouring queries share a lock
  mutable std::array<std::mutex, kGroups> guards_;
  std::vector<Kept> kept_;
  std::optional<SharedThresholds> own_thresholds_;
  SharedThresholds& thresholds_;
};

}  // namespace fastid::match
