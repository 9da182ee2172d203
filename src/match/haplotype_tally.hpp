/// \file
/// How common the haplotypes of queries are among stored profiles: counts that add up over the parts of a
/// database.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fastid {

/// Of one class of sites: stored profiles that have nine tenths of a query's sites, by what they differ in.
class HaplotypeTally {
 public:
  /// \param most  mismatches that a profile can have
  explicit HaplotypeTally(std::size_t n_queries = 0, std::uint32_t most = 0)
      : profiles_(n_queries, std::vector<std::uint64_t>(most + std::size_t{1})), agreeing_(n_queries) {}

  std::size_t n_queries() const { return agreeing_.size(); }
  /// [k]: profiles with k mismatches (of a mixture: k alleles that it does not show).
  const std::vector<std::uint64_t>& profiles(std::size_t query) const { return profiles_[query]; }
  std::uint64_t agreeing(std::size_t query) const { return agreeing_[query]; }
  /// All, and those with at most so many mismatches.
  std::uint64_t covered(std::size_t query) const { return at_most(query, UINT32_MAX); }
  std::uint64_t at_most(std::size_t query, std::uint32_t mismatches) const {
    std::uint64_t n = 0;
    const std::vector<std::uint64_t>& all = profiles_[query];
    for (std::size_t k = 0; k < all.size() && k <= mismatches; ++k) n += all[k];
    return n;
  }

  void add(std::size_t query, std::uint32_t mismatches, std::uint64_t n) {
    profiles_[query][mismatches] += n;
  }
  void add_agreeing(std::size_t query, std::uint64_t n) { agreeing_[query] += n; }
  void add(const HaplotypeTally& other) {
    for (std::size_t q = 0; q < n_queries(); ++q) {
      std::ranges::transform(profiles_[q], other.profiles_[q], profiles_[q].begin(), std::plus());
      agreeing_[q] += other.agreeing_[q];
    }
  }

 private:
  std::vector<std::vector<std::uint64_t>> profiles_;
  std::vector<std::uint64_t> agreeing_;
};

/// Of Y and of M.
struct HaplotypeTallies {
  HaplotypeTally y, m;
};

}  // namespace fastid
