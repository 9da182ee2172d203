/// \file
/// When to count by lookups (lookup_pass.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cpu_engine.hpp"

namespace fastid {

/// Whether the next tile is to be looked up, as long as few pairs pass: what passes is counted again, at the
/// cost of hundreds of lookups.
class LookupTrial {
 public:
  /// \param few  LookupPass::few()
  LookupTrial(UseLookups use, std::uint64_t few) : always_(use == UseLookups::kAlways), few_(few) {}

  bool now() const { return wait_ == 0 || always_; }

  /// A tile's pairs, and how many of them a lookup let through or would have.
  void note(std::uint64_t pairs, std::uint64_t passed) {
    const bool few = passed * few_ <= pairs;
    if (wait_ > 0) wait_ = few ? wait_ - 1 : 1;
    if (now() && !few) wait_ = penalty_ = std::min(2 * penalty_, kLongest);
  }

 private:
  static constexpr unsigned kLongest = 4096;  ///< tiles
  bool always_;
  std::uint64_t few_;
  unsigned wait_ = 1, penalty_ = 1;
};

}  // namespace fastid
