/// \file
/// What was measured of a sample's alleles: how many reads each has, or how high its peak is.
#pragma once

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

}  // namespace fastid
