/// \file
/// What was measured of a sample's alleles: how many reads each has, or how high its peak is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastid {

/// Of one site; both 0: nothing was measured.
struct AlleleSignal {
  double major = 0, minor = 0;

  double total() const { return major + minor; }
  friend bool operator==(const AlleleSignal&, const AlleleSignal&) = default;
};

/// Of each site of a panel.
using SampleSignal = std::vector<AlleleSignal>;

/// A site of so many reads or fewer is weighed read by read, where the reads themselves are known.
inline constexpr std::size_t kFewReads = 20;

/// One read of a site that has few.
struct SiteRead {
  std::uint32_t site = 0;
  float odds = 1;  ///< its likelihood under the minor allele over that under the major one

  friend bool operator==(const SiteRead&, const SiteRead&) = default;
};

}  // namespace fastid
