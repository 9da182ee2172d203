/// \file
/// What was measured of a sample's alleles: their numbers of reads, or the heights of their peaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastid {

/// The signal of one site; both 0: nothing was measured.
struct AlleleSignal {
  double major = 0, minor = 0;

  double total() const { return major + minor; }
  friend bool operator==(const AlleleSignal&, const AlleleSignal&) = default;
};

/// The signals of all sites of a panel.
using SampleSignal = std::vector<AlleleSignal>;

/// A site of at most this many reads is weighed read by read, where the single reads are known.
inline constexpr std::size_t kFewReads = 20;

/// One read of a site that has few.
struct SiteRead {
  std::uint32_t site = 0;
  float odds = 1;  ///< its likelihood under the minor allele divided by the one under the major allele

  friend bool operator==(const SiteRead&, const SiteRead&) = default;
};

}  // namespace fastid
