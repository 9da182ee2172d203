/// \file
/// How the CPU engine compares by products of matrices of bytes, on CPUs with a unit for these (AMX).
///
/// Let x be a query's and y a stored profile's minor copies at a site, less 1, and f(x, y) what the site
/// counts (terms_of()). Where all stored sites are called, which a pass finds out block by block,
///
///     f(x, y) = f(x, 0) + [y = -1] (f(x, -1) - f(x, 0)) + [y = 1] (f(x, 1) - f(x, 0))         2 products
///
/// The first sum is a constant of the query. Where all sites of the queries are called too and f is quadratic
/// in y, as (x - y)^2 is for kinship, the rest is y^2, a sum of the profile alone, and one product of y. By
/// minor alleles alone, where the case reads no second plane, d is a stored bit:
///
///     f(q, d) = f(q, 0) + d (f(q, 1) - f(q, 0))                                               1 product
///
///     queries:   32 rows  x 64 sites, a byte each: the factor of [y = -1], of [y = 1], of y, or of d
///     profiles:  16 rows  x 32 profiles x 4 sites, made of two words of a block, for all groups of queries
///
/// A row's 4 sites are bits r, r + 8, r + 16 and r + 24 of a word, since one instruction makes bytes of
/// these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_matrix_unit.hpp"
#include "engine/cpu_engine.hpp"

namespace fastid::engine {

/// Queries as factors, in groups of 32. Read-only once made, so workers share them.
class MatrixQueries {
 public:
  /// How many queries of a problem are multiplied, from the first on; of the others bits are counted.
  static std::size_t multiplied(const Problem& problem, Multiply multiply);

  /// multiplied() is not 0. \throws Failure where there is not enough memory.
  MatrixQueries(const Problem& problem, Multiply multiply);

  std::size_t n_queries() const { return n_queries_; }
  std::size_t n_groups() const { return (n_queries_ + kMatrixGroup - 1) / kMatrixGroup; }
  StoredBytes stored() const { return stored_; }
  std::size_t n_words() const { return n_words_; }
  /// Products of 64 sites that a group's sums take: one or two of each two words.
  std::size_t n_products() const { return products_of(stored_) * ((n_words_ + 1) / 2); }
  /// The factors of a group, from product `product` on: [product][query][site].
  const std::int8_t* factors(std::size_t group, std::size_t product) const;
  /// What each query of a group counts whatever a profile has.
  const std::int32_t* constants(std::size_t group) const { return constants_.data() + group * kMatrixGroup; }
  const MatrixKernels& kernels() const { return kernels_; }
  bool always() const { return always_; }
  /// Whether profiles' denominators are heterozygous sites, as where the count is quadratic in y.
  bool of_both() const { return of_both_; }
  /// Whether limits depend on profiles' denominators. If not, the largest of any pair stands for these.
  bool by_profile() const { return by_profile_; }

 private:
  void pack(const Problem& problem, std::size_t query);

  const MatrixKernels& kernels_;
  bool always_, of_both_, by_profile_;
  StoredBytes stored_;
  std::size_t n_queries_, n_words_;
  WordBuffer factors_;
  std::vector<std::int32_t> constants_;
};

/// Compares a tile's blocks with all such queries. Used by one thread.
class MatrixPass {
 public:
  /// Called where a pair of this block and this group of kMaxGroup queries may pass. Their counts have been
  /// written.
  using Take = std::function<void(std::size_t block, std::size_t group)>;

  /// \param queries  must outlive this
  explicit MatrixPass(const MatrixQueries& queries);

  /// Whether products are worth a try. Not where a block's first words decide, nor, once a tile has shown it,
  /// where calls are missing in most blocks. \param leaves_out  whether bits would leave out the rest of most
  bool pays(bool leaves_out) const { return queries_.always() || !(leaves_out || missing_); }
  /// Groups of kMaxGroup queries that find() compares, from the first on.
  std::size_t n_groups() const { return ceil_div(queries_.n_queries(), kMaxGroup); }

  /// Returns how many blocks, from the first on, are done: all, unless calls are missing in most.
  ///
  /// \param thresholds    of all groups of kMaxGroup queries
  /// \param denominators  where those of the tile's profiles are written, 128-byte aligned
  /// \param counts        where a group's counts are written before each call of `take`
  std::size_t find(const BlocksView& tile, std::span<const GroupThresholds> thresholds,
                   std::uint32_t* denominators, BlockCounts& counts, const Take& take);

  /// Finished blocks with missing calls; the caller must compare them by bits.
  std::span<const std::size_t> gaps() const { return gaps_; }

 private:
  /// What find() was called with.
  struct Request {
    const BlocksView& tile;
    std::uint32_t* denominators;
    BlockCounts& counts;
    const Take& take;
  };
  /// Consecutive blocks, and groups of 32 queries.
  struct Batch {
    std::size_t block = 0, n_blocks = 0, group = 0, n_groups = 0;
  };
  /// A run of products, from `first` on, of a block with a group, both by their places in the batch.
  struct Step {
    std::size_t first, block, group;
  };
  /// A finished product, still to be tested. any: whether there is one.
  struct Made {
    bool any = false;
    std::size_t block = 0, group = 0;
  };

  void multiply(const Request& request, const Batch& batch);
  bool multiply(const Request& request, const Batch& batch, const Step& step, const Made& older);
  MatrixTest test_of(const Request& request, const Batch& batch, const Made& made);
  static void write_counts(const MatrixTest& test, std::size_t part, std::uint32_t some, BlockCounts& counts);
  void take(const Request& request, const Batch& batch, const Made& made);
  bool has_gaps(const BlocksView& tile, const Batch& batch, std::size_t block) const;
  std::int32_t* sums(const Batch& batch, std::size_t block, std::size_t group);

  const MatrixQueries& queries_;
  std::size_t batch_groups_;
  WordBuffer bytes_, sums_, not_called_;
  std::vector<GroupThresholds> thresholds_;
  std::vector<std::size_t> gaps_;
  bool missing_ = false;
};

}  // namespace fastid::engine
