/// \file
/// Profiles turned on their side: each site becomes a profile, whose bits are the people.
///
///   a block of 32 people, word w        block w of 32 sites, word b
///     lane p: bit s is site 32 w + s  -->  lane s: bit p is person 32 b + p
#pragma once

#include <cstdint>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

class ThreadPool;  // base/thread_pool.hpp

/// The sites of a source as profiles in memory, in Encoding::kAlleles. Of a source of Encoding::kMinor a unit
/// without a minor allele counts as one with a major allele.
class TurnedBlocks {
 public:
  /// Reads the source once, on the threads of `pool`. \throws what the source throws; Failure where there is
  /// not enough memory
  TurnedBlocks(const BlockSource& source, ThreadPool& pool);

  BlocksView view() const { return {shape_, minor_.data(), major_.data()}; }

  /// Some of these sites, in another order: site i is places[i] of these.
  TurnedBlocks chosen(const std::vector<std::uint32_t>& places) const;

 private:
  explicit TurnedBlocks(const BlockShape& shape);
  void turn_block(std::uint64_t block, const BlocksView& people);

  BlockShape shape_;
  WordBuffer minor_, major_;
};

}  // namespace fastid
