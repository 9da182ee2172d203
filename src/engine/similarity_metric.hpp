/// \file
/// From products (engine/similarity.hpp) to values.
///
/// Each vector has a plane of values, or two, and where calls are missing a plane of those. The moment of
/// some of a combination's members is the sum of the products in which these have a plane of values, in every
/// choice, and the others the plane of calls, so that units count that all members have called. It is written
/// M(i), M(ij), and so on; M() is the number of such units.
///
///   metric       planes of values                          value of two                    of three
///   sorensen     a minor allele was seen                   2 M(ij) / (M(i) + M(j))         3/2 n3 / d3
///   czekanowski  the same, and homozygous minor behind it  as sorensen                     as sorensen
///   ccc          a minor allele; homozygous minor          9/2 r / (4 M()) w(i) w(j)       9/2 r / (8 M())
///   w(i) w(j) w(k)
///
///   n3 = M(ij) + M(ik) + M(jk) - M(ijk)     d3 = M(i) + M(j) + M(k)
///
/// The proportional similarity is 1 for equal vectors, 0 for those with nothing in common and for those with
/// nothing at all. CCC has a value for each choice of an allele of each member. r counts how often they occur
/// together: of a unit with a and b copies, a b times. w = 1 - 2/3 of the allele's frequency among the units
/// at which the member itself is called. It is 0 where no unit is called in all members.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/combinations.hpp"

namespace fastid::engine {

enum class SimilarityMetric : std::uint8_t { kSorensen, kCzekanowski, kCcc };

inline constexpr std::size_t kMostMoments = std::size_t{1} << kMostMembers;

/// The values of a combination: of CCC one for each choice of alleles. Cell c has the minor allele of the
/// first member where the highest of `way` bits is set, and so on.
constexpr std::size_t n_cells(SimilarityMetric metric, std::size_t way) {
  return metric == SimilarityMetric::kCcc ? std::size_t{1} << way : 1;
}

/// What a value of CCC is multiplied with for an allele of this frequency, and besides.
constexpr double allele_weight(double frequency) {
  return 1 - frequency * 2 / 3;
}
inline constexpr double kCorrelationScale = 4.5;

/// What the value of any vector with others needs of it alone.
struct OwnSums {
  std::vector<double> sum;     ///< of its values, where it is called itself
  std::vector<double> called;  ///< units
};

/// Moments of neighbouring combinations, whose first member (the lowest) is one vector after the other, and
/// whose others are the same. Bit m of a place stands for member m, the first one's is bit 0.
struct MomentRow {
  std::array<const double*, kMostMoments> of{};
  Members members{};  ///< of the first combination
  std::size_t n = 0;  ///< combinations

  /// Of combination i, where only moments of the first member have a value for each.
  double at(std::size_t moment, std::size_t i) const { return of[moment][(moment & 1) != 0 ? i : 0]; }
};

/// Makes values in double, always by the same operations in the same order.
class SimilarityValues {
 public:
  /// \param each  every combination has every moment; else only those of the first member have a value for
  /// each combination, and the others one for all of the row
  SimilarityValues(SimilarityMetric metric, std::size_t way, bool each, const OwnSums& own);

  std::size_t cells() const { return n_cells(metric_, way_); }
  /// \param out  [combination][cell]
  void of_row(const MomentRow& row, std::span<double> out) const;

 private:
  SimilarityMetric metric_;
  std::size_t way_;
  bool each_;
  std::array<std::vector<double>, 2> weights_;  ///< of CCC: [allele: major, minor][vector]
};

}  // namespace fastid::engine
