/// \file
/// A sample's reads as likelihoods of its genotypes in place of calls. A sample with so few reads that hardly
/// a site can be called still says something at each site that has a read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// P(what was read at a site | the sample has 0, 1, 2 minor copies), up to a factor that the three share.
/// None is negative, and the greatest is above 0.
using GenotypeLikelihoods = std::array<double, 3>;

/// False where the three likelihoods are equal, so that nothing is known of the genotype.
inline bool informative(const GenotypeLikelihoods& likelihoods) {
  constexpr double kEqual = 1e-12;  // of the greatest
  const auto [least, most] = std::ranges::minmax(likelihoods);
  return most - least > kEqual * most;
}

/// One sample's likelihoods at the sites where they say something; at others all genotypes are equally
/// likely.
class SampleLikelihoods {
 public:
  explicit SampleLikelihoods(std::uint32_t n_sites = 0)
      : n_sites_(n_sites), mask_((n_sites + kWordBits - 1) / kWordBits) {}

  /// Adds a site after the present ones, unless its likelihoods say nothing. \param site  below n_sites
  void add(std::uint32_t site, const GenotypeLikelihoods& likelihoods) {
    if (!informative(likelihoods)) return;
    sites_.push_back(site);
    values_.push_back(likelihoods);
    mask_[site / kWordBits] |= Word{1} << site % kWordBits;
  }

  std::uint32_t n_sites() const { return n_sites_; }
  /// The sites, ascending; values() has one entry for each.
  std::span<const std::uint32_t> sites() const { return sites_; }
  std::span<const GenotypeLikelihoods> values() const { return values_; }
  /// sites() as a row of bits.
  std::span<const Word> mask() const { return mask_; }

  friend bool operator==(const SampleLikelihoods&, const SampleLikelihoods&) = default;

 private:
  std::uint32_t n_sites_;
  std::vector<std::uint32_t> sites_;
  std::vector<GenotypeLikelihoods> values_;
  std::vector<Word> mask_;
};

}  // namespace fastid
