/// \file
/// The queries' side of the native engine's matrix products (cpu_matrix.hpp), made once for a problem.
///
/// With a stored profile's bits d and called sites c as numbers 0 and 1, what a pair counts is a sum over the
/// sites, for m a site that the query has called and q its word of KernelCase:
///
///   search    d(m & ~q) - d(q) + q     as d ^ q = d + q - 2dq, and d is 0 where m is not asked
///   mixture   d(q)
///   reverse            - d(q) + q
///
/// where the q at the end is c(q) if the stored profile has sites without a call, else a number of the query
/// alone. So one or two planes are multiplied by bytes of -1, 0 and 1, and nothing else is left of the cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/cpu/cpu_matrix.hpp"
#include "engine/engine.hpp"
#include "engine/kernel_case.hpp"

namespace fastid {

/// All queries of a problem. Read-only once made, so lanes share it. They are dealt to as few groups as hold
/// them, all of the same even size; those that fill the last group count nothing.
class MatrixQueries {
 public:
  /// \throws Failure where the memory is not to be had.
  explicit MatrixQueries(const Problem& problem);

  /// Bytes that the queries of a problem take.
  static std::uint64_t bytes(const Problem& problem);

  KernelCase which() const { return which_; }
  std::size_t n_planes() const { return reads_called(which_) ? 2 : 1; }
  std::size_t n_groups() const { return n_groups_; }
  std::size_t group_size() const { return group_size_; }
  std::size_t n_products() const { return n_products_; }  ///< of a pair; of each word, planes alternate
  std::size_t product_bytes() const { return group_size_ * kProductSites; }

  /// MatrixRun::queries from a product on.
  const std::int8_t* of(std::size_t group, std::size_t product) const {
    return reinterpret_cast<const std::int8_t*>(bytes_.data()) +
           (group * n_products_ + product) * product_bytes();
  }
  /// What is added to a query's sums.
  std::uint32_t constant(std::size_t query) const { return constants_[query]; }

 private:
  void fill(const Problem& problem, std::size_t query);

  KernelCase which_;
  std::size_t n_groups_, group_size_, n_products_;
  WordBuffer bytes_;
  std::vector<std::uint32_t> constants_;
};

}  // namespace fastid
