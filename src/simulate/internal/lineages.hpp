/// \file
/// Haplotypes of Y or of M: the leaves of a random tree, on which each site mutates once at most.
///
/// The tree is drawn by the coalescent (J. F. C. Kingman, 1982): two random lines of those left have the next
/// common ancestor, until one line is left. A site's minor allele arises on one branch, and the leaves below
/// have it. The branch lies between a random leaf and the root; it is the one whose share of the leaves is
/// nearest to the site's frequency. So haplotypes are nested, and leaves between which no site mutates are
/// one haplotype.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/random.hpp"

namespace fastid::simulate {

class Lineages {
 public:
  static constexpr std::size_t kLeaves = 256;

  /// \param minor_freq  of the class's sites, in [0, 1]: 0 and 1 are met exactly, others roughly
  Lineages(const std::vector<double>& minor_freq, Stream stream);

  /// A random leaf; all are equally probable.
  static std::size_t draw(Stream& stream) { return static_cast<std::size_t>(stream.below(kLeaves)); }
  /// Whether a leaf has the minor allele. \param site  its place among the class's sites
  bool minor(std::size_t leaf, std::size_t site) const { return has(sites_[site], leaf); }

 private:
  using Leaves = std::array<std::uint64_t, kLeaves / 64>;  ///< a bit for each leaf

  static bool has(const Leaves& leaves, std::size_t leaf) {
    return (leaves[leaf / 64] >> leaf % 64 & 1) != 0;
  }
  static std::vector<Leaves> draw_branches(Stream& stream);

  std::vector<Leaves> sites_;  ///< [site]: the leaves with the minor allele
};

}  // namespace fastid::simulate
