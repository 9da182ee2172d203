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

/// The sites of a source as profiles in memory, in Encoding::kAlleles. In a source of Encoding::kMinor a unit
/// without a minor allele counts as one with a major allele.
class TurnedBlocks {
 public:
  /// Reads the source once, on the threads of `pool`. \throws what the source throws; Failure where there is
  /// not enough memory
  TurnedBlocks(const BlockSource& source, ThreadPool& pool);

  BlocksView view() const { return {shape_, minor_.data(), major_.data()}; }

  /// Changes what was seen of a site, 32 units at a time: unit 32 w + b is bit b of the word of each plane
  /// that is passed to change(w, minor, major). Thread-safe for distinct sites.
  template <class Change>
  void change(std::uint64_t site, const Change& change) {
    const std::size_t at = place_of(site);
    for (std::size_t word = 0; word < shape_.n_words(); ++word)
      change(word, minor_.data()[at + word * kLanes], major_.data()[at + word * kLanes]);
  }

  /// Some of these sites, in another order: site i of the result is site places[i] of this.
  TurnedBlocks chosen(const std::vector<std::uint32_t>& places) const;

 private:
  explicit TurnedBlocks(const BlockShape& shape);
  std::size_t place_of(std::uint64_t site) const {
    return static_cast<std::size_t>(site / kLanes) * shape_.block_words() + site % kLanes;
  }
  void turn_block(std::uint64_t block, const BlocksView& people);

  BlockShape shape_;
  WordBuffer minor_, major_;
};

}  // namespace fastid
