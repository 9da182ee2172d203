/// \file
/// A count for queries whose sites are not called but say how probable each genotype is: what a site weighs
/// depends on what the stored person shows there, and the weights are added up; of several sets of weights
/// the highest sum counts. Queries that have no weights are counted beside them by terms_of().
///
/// As an engine counts it, count falls as the sum rises (kNoWeight is 0), denominator is 1, and compared has
/// the query's sites that the stored person has called. A sum of 2^30 and more is that of 2^30 - 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {

/// What a query's sites weigh, in whole numbers.
struct SiteWeightsByKind {
  static constexpr int kBits = 8;  ///< with the sign
  static constexpr int kMost = (1 << (kBits - 1)) - 1;
  static constexpr std::size_t kKinds = 3;

  std::vector<std::uint32_t> sites;  ///< ascending
  /// For each of `sites`, by what the stored person shows: a major allele alone, both, a minor one alone. By
  /// bits the second stands wherever a minor one is seen. In [-kMost, kMost].
  std::vector<std::array<std::int8_t, kKinds>> of;
};

/// The sites of one word of a profile that have weights.
struct WeightedWord {
  std::uint32_t word = 0;
  Word sites = 0;
  /// [bit][kind]: sites whose weight of that kind has the bit, in two's complement.
  std::array<std::array<Word, SiteWeightsByKind::kKinds>, SiteWeightsByKind::kBits> bits{};
};
/// Ascending.
std::vector<WeightedWord> words_of(const SiteWeightsByKind& weights);

class WeightedCount final : public CustomCount {
 public:
  static constexpr std::uint32_t kNoWeight = std::uint32_t{1} << 30;  ///< the count of a sum of 0

  /// \param problem  its queries must outlive this object
  /// \param weights  of each query, sets of the same sites; none: it is counted by terms_of()
  WeightedCount(const Problem& problem, std::span<const std::vector<SiteWeightsByKind>> weights);
  WeightedCount(const WeightedCount&) = delete;
  WeightedCount& operator=(const WeightedCount&) = delete;
  ~WeightedCount() override;

  /// A query with weights.
  struct OfQuery {
    std::uint32_t query = 0;                       ///< its place among all
    std::vector<SiteWeightsByKind> weights;        ///< one set at least
    std::vector<std::vector<WeightedWord>> words;  ///< of each set; the same words in each
  };

  std::unique_ptr<CustomCount> sliced(const Problem& slice, std::size_t first) const override;
  std::unique_ptr<Engine> make_engine(std::size_t threads) const override;
  PairCounts count_pair(std::size_t query, const BlocksView& view, std::uint64_t profile) const override;

  /// The queries with weights, ascending.
  std::span<const OfQuery> weighted() const { return weighted_; }
  /// The places of the others, and the problem that they are.
  std::span<const std::uint32_t> plain_queries() const { return plain_queries_; }
  Problem plain(const Problem& problem) const;

  /// The count of a sum.
  static std::uint32_t count_of(std::int64_t sum) {
    constexpr std::int64_t kMostSum = kNoWeight - 1;
    return static_cast<std::uint32_t>(kNoWeight - std::clamp(sum, -kMostSum, kMostSum));
  }

 private:
  Problem plain_;  ///< of the queries without weights alone
  ProfileRows plain_rows_;
  std::vector<std::uint32_t> plain_queries_;  ///< their places
  std::vector<OfQuery> weighted_;
};

/// The weights that a problem's queries are counted by; null: none.
const WeightedCount* weighted_of(const Problem& problem);

}  // namespace fastid::engine
