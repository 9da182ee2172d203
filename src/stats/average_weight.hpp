/// \file
/// How much the count and the denominator of a query's pairs add to a log10 likelihood ratio on average. The
/// shortlist (match/ranking.hpp, PairWeights) is ordered by these weights.
///
/// Each weight is a mean of log10 likelihood ratios over the sites that the query has called and over the
/// populations:
///
///   identity  of a site where both show the same; and how far a site with one difference falls short of that
///   mixtures  of an allele of the person that the mixture shows; and how far one that it does not show falls
///             short of that. The person's kinds are taken by their frequencies. Where people are the queries
///             (--reverse), it is the mixture's kinds, by their probabilities given that the person
///             contributed
///
/// Mixtures are taken to have the number of contributors of StainModel::estimate(), where none is given no
/// less than kTypicalContributors (with --reverse that number), and where no drop-out is given,
/// kTypicalDropOut.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "stats/evidence.hpp"
#include "stats/internal/site_sums.hpp"

namespace fastid::stats {

inline constexpr double kTypicalDropOut = 0.1;
inline constexpr unsigned kTypicalContributors = 2;

struct AverageWeight {
  double denominator = 0;  ///< log10 ratio that a unit of the denominator adds at count 0
  double count = 0;        ///< log10 ratio that a unit of the count takes away; infinity where impossible
};

class AverageWeights {
 public:
  /// \param question  must outlive this object, and may be made after it \param reverse  kMixture: queries
  /// are people
  AverageWeights(const Question& question, bool reverse);

  /// The weights of each query; many queries together take a fraction of the time. Thread-safe. Both weights
  /// are 0 where a query calls nothing.
  std::vector<AverageWeight> of(std::span<const RowView> queries) const;
  AverageWeight of(const RowView& query) const { return of(std::span(&query, 1)).front(); }

 private:
  /// Weighted sums over pairs with a count of 0, and over the others.
  struct Sums {
    double alike = 0, alike_denominator = 0;
    double apart = 0, apart_denominator = 0, apart_count = 0;

    void add(double weight, double log10_lr, double denominator, double count);
    AverageWeight average() const;
  };
  static constexpr std::array kSums{&Sums::alike, &Sums::alike_denominator, &Sums::apart,
                                    &Sums::apart_denominator, &Sums::apart_count};
  using Table = std::vector<Sums>;  ///< [site][the query's kind], over all populations
  /// A Table as add_figures() takes it: one array for each of kSums, padded to the sites of whole words.
  using Tables = std::array<std::vector<SeenFigures>, kSums.size()>;

  Table identity_table() const;
  Table mixture_table(unsigned n) const;
  unsigned contributors_of(const RowView& query) const;
  std::size_t kinds() const;  ///< that a query's site can show
  Tables tables_of(const Table& table) const;
  const Tables& tables(unsigned n) const;

  const Question* question_;
  bool reverse_;
  mutable std::mutex guard_;
  mutable std::map<unsigned, Tables> tables_;  ///< by the number of contributors; 0 for kIdentity
};

}  // namespace fastid::stats
