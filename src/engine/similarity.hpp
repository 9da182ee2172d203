/// \file
/// How similar two or three vectors are: the proportional similarity (Czekanowski; of bits, Sorensen), and
/// the custom correlation coefficient of genotypes (CCC).
///
/// Everything is made of one product. Of vectors of numbers that are not negative it is
///
///   <u, v> = sum over q of min(u_q, v_q)          <p, u, v> = sum over q of min(p_q, u_q, v_q)
///
/// and of bits, where min is AND, a count. An engine computes products of rectangles of pairs; what is made
/// of them is the same code for bits and for numbers, on every engine (SimilarityForm).
///
/// Sources. Proportional similarity of all pairs and triples: W. Joubert, J. Nance, D. Weighill, D. Jacobson,
/// Parallel Accelerated Vector Similarity Calculations for Genomics Applications, Parallel Computing 75
/// (2018). CCC: S. Climer, W. Yang, L. de las Fuentes, V. Davila-Roman, C. Gu, A custom correlation
/// coefficient (CCC) approach for fast identification of multi-SNP association patterns, Genetic Epidemiology
/// 38 (2014), as in W. Joubert et al., Parallel Accelerated Custom Correlation Coefficient Calculations for
/// Genomics Applications, Parallel Computing 84 (2019).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernel_step.hpp"
#include "engine/rectangle.hpp"
#include "engine/vector_blocks.hpp"

namespace fastid::engine {

/// A pair of a rectangle, and its product with a filter's pivot.
struct FoundProduct {
  std::uint32_t filter = 0;           ///< which of those that were asked for
  std::uint32_t row = 0, column = 0;  ///< vectors, not places in the rectangle
  double product = 0;

  friend bool operator==(const FoundProduct&, const FoundProduct&) = default;
};

/// Planes first .. first + n - 1 of a member.
struct MemberPlanes {
  std::uint32_t first = 0, n = 1;

  friend bool operator==(const MemberPlanes&, const MemberPlanes&) = default;
};

/// Which planes of each member are multiplied, and in every choice of them summed. Plane p of vector v is
/// vector v + p * stride; the stride is a multiple of 32. Planes of kernels/product_filter.h.
struct ProductPlanes {
  std::uint32_t stride = 0;
  MemberPlanes column, row, pivot;

  /// \param with_pivot  whether the pivot's planes are chosen from
  std::size_t choices(bool with_pivot) const {
    return std::size_t{column.n} * row.n * (with_pivot ? pivot.n : 1);
  }
  friend bool operator==(const ProductPlanes&, const ProductPlanes&) = default;
};

/// What vectors need, of the rows or of the columns of a rectangle. For a CorrelationFilter `least` is of a
/// value / 4.5, `sum` is the share of minor alleles, and `there` that of minor alleles in both the vector and
/// the pivot.
struct ProductLimits {
  std::span<const double> least, sum, there;
};

/// Sums over the units that both of a pair are called at: how many these are, and minor copies there.
struct CommonUnits {
  double units = 0, row = 0, column = 0;
};

/// Which planes' products these are sums of.
struct CommonPlanes {
  ProductPlanes units, row, column;
};

/// What CCC needs besides: with the shares of alleles, a product says all values of a pair or triple. Where
/// calls are missing, a pair's product does so with its CommonUnits.
struct CorrelationFilter {
  double scale = 0;  ///< a product's share of the pairs (triples) of alleles: 1 / (2^members * units)
  double pivot = 0;  ///< its share of minor alleles
  std::optional<CommonPlanes> common = {};  ///< where calls are missing; then there is no pivot
};

/// What a pair must reach. Where a pair has <row, column>, or with a pivot <row, column> - <pivot, row,
/// column>, it passes if
///
///   what it has + there of row and of column  >=  the lower least of the two * (sum of row + sum of column)
///
/// in double; with `correlation`, if the highest of its values is at least the lower least. Only pairs whose
/// column is below their row, and that below the pivot, are looked for.
struct ProductFilter {
  std::optional<std::uint32_t> pivot;
  ProductLimits row, column;
  /// With a pivot: of each row, <row, column> of the rectangle's columns below it. A device does not read
  /// them: it keeps its own.
  std::span<const double* const> pairs = {};
  ProductPlanes planes = {};  ///< of which products are sums
  std::optional<CorrelationFilter> correlation = {};

  /// \param i, j  places in the rectangle
  bool passes(std::size_t i, std::size_t j, double product) const;
  /// Where calls are missing, of CCC.
  bool passes(std::size_t i, std::size_t j, double product, const CommonUnits& common) const;
  bool counts_common_units() const { return correlation && correlation->common; }
};

/// Which pairs of a rectangle are wanted: all, or those whose column is below their row.
enum class Wanted : std::uint8_t { kAll, kBelowDiagonal };

/// Computes products of vectors that lie in memory in a fixed order.
///
/// A product of bits is a whole number, exact in double. A product of numbers is rounded as its type (float
/// or double) rounds sums: one accumulator a pair, to which the least elements are added in ascending order
/// of q, without fused multiplication. So it has the same bits on every engine and for every rectangle, and
/// does not depend on the order of p, u and v.
class SimilarityEngine {
 public:
  virtual ~SimilarityEngine() = default;

  virtual std::uint32_t n_vectors() const = 0;
  /// <u, u> of each vector: the sum of its elements, in the same order.
  virtual std::span<const double> sums() const = 0;
  /// Preferred number of rows and columns of a rectangle: callers ask for multiples of 32, but for the last.
  virtual std::uint32_t rectangle_side() const { return 256; }
  /// With a pivot a rectangle of fewer rows and columns leaves a part of the engine idle.
  virtual std::uint32_t least_side() const { return 64; }

  /// How many calls of products(), sums_below() and find() keep it busy.
  virtual std::size_t calls_at_once() const { return 1; }

  /// Of vectors of bits: what a step of its kernel reads and counts.
  virtual KernelStep step() const { return {}; }

  /// The products of the pairs of a rectangle, with the pivot where there is one. Thread-safe.
  /// \param pivot  a vector; no value: <u, v>
  /// \param out  [row][column] of the rectangle; of pairs that are not wanted it may have anything
  /// \throws DeviceError
  virtual void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, Wanted wanted,
                        std::span<double> out) const = 0;

  /// The same of sums of products, of every choice of a plane of each member, of the pairs below the
  /// diagonal. \param pairs, pivot  vectors of plane 0
  virtual void sums_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                          const ProductPlanes& planes, std::span<double> out) const;

  /// Preferred number of pairs, of all filters together, of a call of find().
  virtual std::size_t pairs_at_once() const { return 1; }

  /// One of so many pairs may pass a filter: of more, all products had better be computed.
  static constexpr std::size_t kPairsOfFound = 16;

  /// Every pair of a rectangle that a filter looks for and that passes it, and perhaps others, in any order.
  /// An engine on a device overrides it so that only these come back. Thread-safe.
  /// \param filters  one without a pivot, or as many as there are pivots; of the same planes
  /// \returns no value where more than one of kPairsOfFound would be there
  /// \throws DeviceError
  virtual std::optional<std::vector<FoundProduct>> find(const Rectangle& pairs,
                                                        std::span<const ProductFilter> filters) const;
  /// How many that may be.
  static std::size_t most_found(const Rectangle& pairs, std::size_t n_filters) {
    return std::max<std::size_t>(1, n_filters * pairs.pairs() / kPairsOfFound);
  }
};

/// \param device  "cpu" or "reference"; null of another word \param vectors  whose owner must outlive the
/// engine
std::unique_ptr<SimilarityEngine> make_similarity(const std::string& device, const VectorBlocks& vectors);

/// Engines of the same vectors as one (internal/joint.hpp). \param engines  at least one
std::unique_ptr<SimilarityEngine> make_joint_similarity(
    std::vector<std::unique_ptr<SimilarityEngine>> engines);

}  // namespace fastid::engine
