/// \file
/// Which pairs to keep, and their order: exact, the same however the work was cut.
///
/// Order, best first: count / weight as an exact fraction (0/0 counts as 0); mixtures: then more minor
/// alleles; then more compared; then the lower row. All but the row make a pair's *class*; pairs of one class
/// are ties.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/comparison.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// What a hit must satisfy to be listed.
struct KeepRule {
  std::uint64_t top = 10;                ///< at least 1, listed for each query at most; kAll: no limit
  std::uint32_t max_count = UINT32_MAX;  ///< mismatches, or minor alleles not seen, at most
  std::uint32_t min_compared = 1;        ///< comparable sites at least; never less than 1

  static constexpr std::uint64_t kAll = UINT64_MAX;
};

/// One kept pair.
struct Hit {
  std::uint64_t row = 0;  ///< the profile's zero-based place in the database
  PairCounts counts;

  friend bool operator==(const Hit&, const Hit&) = default;
};

/// True where `a` ranks strictly before `b`. A total order over the hits of one query.
bool ranks_before(Comparison comparison, const Hit& a, const Hit& b);
/// True where only the row tells them apart.
bool ties(Comparison comparison, const Hit& a, const Hit& b);

/// A pair as an engine counted it.
struct Contender {
  std::uint64_t row = 0;
  std::uint32_t place = 0;  ///< of its profile where it is counted again
  std::uint32_t query = 0;
  std::uint32_t count = 0;   ///< mismatches, or minor alleles not seen
  std::uint32_t weight = 0;  ///< weight_of()
};

/// What is kept for one query.
struct RankedHits {
  std::vector<Hit> hits;       ///< best first
  std::uint64_t ties_cut = 0;  ///< pairs not listed that tie with the last one listed
};

/// The rankings of all queries. Thread-safe: queries are locked in groups, so that many threads can offer at
/// once. The result depends on the set of pairs, never on their order.
///
/// Pairs are ranked once they have been counted again (pipeline/internal/recount.hpp): rank() has that done,
/// the best of each query first, and most of a batch are then turned away uncounted.
class Ranking {
 public:
  /// \param max_counts  a limit for each query where that is lower than the rule's; empty: the rule's for all
  Ranking(Comparison comparison, std::size_t n_queries, const KeepRule& rule,
          std::span<const std::uint32_t> max_counts = {});

  const KeepRule& rule() const { return rule_; }

  /// Gives a pair's counts, by the definition.
  class Recounter {
   public:
    virtual ~Recounter() = default;
    virtual PairCounts count(const Contender& pair) const = 0;
    /// The pair may be counted soon.
    virtual void prefetch(const Contender&) const {}
  };

  /// Ranks a batch, each pair of the database at most once over the whole run, and has those of its pairs
  /// counted again that may be listed.
  void rank(std::vector<Contender> pairs, const Recounter& recounter);

  /// Neighbouring queries are of one group, whose lock they share. Threads that rank a batch together had
  /// better have groups of their own: what is kept for a query then stays with a core.
  static constexpr std::size_t kGroups = 64;
  std::size_t group_of(std::size_t query) const { return query >> group_bits_; }

  /// The bars that a pair must pass now to change the result (ties with the last kept one pass: they are
  /// counted). Waits for nobody: a bar may have got stricter meanwhile.
  void bars(std::span<Bar> out) const;

  /// Takes stricter bars before the pairs that they rest on are ranked, so that others are turned away by
  /// them meanwhile. There are `top` pairs of the query then that pass the bar and weigh as much as may be
  /// compared at the least, and whoever found them will rank them.
  /// \param bars  one for each query; those that are no stricter say nothing
  void promise(std::span<const Bar> bars);

  /// A query that fewer pairs have been ranked for than was promised, once all have been.
  std::optional<std::size_t> broken_promise() const;

  /// What is kept for one query so far, in no order.
  std::vector<Hit> kept(std::size_t query) const;

  /// Best first, for each query. Call when all has been offered. \throws DeviceError where a pair was ranked
  /// twice
  std::vector<RankedHits> result() const;

 private:
  struct Kept {
    std::vector<Hit> heap;  ///< worst on top
    std::uint64_t ties_cut = 0;
  };
  static constexpr std::uint64_t kFewKept = 16;  ///< that memory is taken for at once
  Bar bar(std::size_t query) const;
  bool may_be_listed(const Contender& pair) const { return bar(pair.query).passes(pair.count, pair.weight); }
  void tighten(std::size_t query, std::uint32_t num, std::uint32_t den);
  void offer(std::uint32_t query, const Hit& hit);
  void insert(Kept& kept, const Hit& hit);

  Comparison comparison_;
  KeepRule rule_;
  int group_bits_;  ///< 2 to the power of it queries share a lock
  mutable std::array<std::mutex, kGroups> guards_;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> max_counts_;           ///< of each query
  std::vector<std::atomic<std::uint64_t>> shares_;  ///< of each query's bar: num, then den
};

}  // namespace fastid
