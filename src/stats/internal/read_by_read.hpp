/// \file
/// How probable the single reads of a site are, each with its own error rate; for sites with few reads.
///
/// A read r has the likelihoods L_r(major) and L_r(minor). A share t of what was read is of the minor allele,
/// t ~ Beta(f k, (1 - f) k), as counts have it (stats/internal/read_counts.hpp), and
///
///   P(reads | f) = (1 - o) E[prod_r ((1 - t) L_r(major) + t L_r(minor))] + o (the same with t uniform)
///
/// which for a large k is the product at t = f. The product is a polynomial, sum_j c_j t^j (1 - t)^(N - j) of
/// N reads, whose mean is sum_j c_j (f k)_j ((1 - f) k)_(N - j) / (k)_N with (x)_j = x (x + 1) ... (x + j -
/// 1). A read's likelihoods are taken so that they add up to 1.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "bits/allele_signal.hpp"
#include "stats/internal/signal.hpp"

namespace fastid::stats {

/// (x)_j for j = 0 .. kFewReads, with its derivative by x.
struct RisingPowers {
  explicit RisingPowers(double x = 0);

  std::array<double, kFewReads + 1> value{}, slope{};
};

/// A site's reads.
class ReadsOneByOne {
 public:
  /// \param reads  at most kFewReads
  explicit ReadsOneByOne(std::span<const SiteRead> reads);

  /// E[...], and its slopes by f and k; there is none by the error. \param minor, major, all  of f k, (1 - f)
  /// k and k
  SignalCell mean(double f, double k, const RisingPowers& minor, const RisingPowers& major,
                  const RisingPowers& all) const;
  /// The mean with t uniform.
  double uniform() const { return uniform_; }

 private:
  std::size_t n_;
  std::array<double, kFewReads + 1> of_{};  ///< c_j
  double uniform_ = 1;
};

}  // namespace fastid::stats
