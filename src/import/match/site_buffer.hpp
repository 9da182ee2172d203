/// \file
/// Puts sites into blocks, 32 at a time: files are ordered by site and blocks by profile, so that a single
/// site would change one bit in a word of every profile.
#pragma once

#include <array>
#include <cstdint>

#include "bits/blocks.hpp"
#include "import/match/call_row.hpp"

namespace fastid::imports {

/// The number of blocks that a buffer of sites can turn into words at a time.
inline constexpr std::size_t kBlocksTurned = 8;

/// One word of every profile: up to 32 sites, a row each, turned into words.
class SiteBuffer {
 public:
  SiteBuffer(std::size_t n_samples, Encoding encoding);

  void put(std::size_t place, const CallRow& calls);
  Word touched() const { return touched_; }
  void clear() { touched_ = 0; }

  /// The words of the 32 profiles of `block` in both planes; sites that were not put are 0.
  void words_of(std::uint64_t block, Word* bits, Word* second) const;
  /// words_of() for `n` blocks from `first_block`. Returns false: `second` is always set, unlike
  /// CodeBuffer's.
  bool words_of(std::uint64_t first_block, std::size_t n, Word (*bits)[kLanes], Word (*second)[kLanes]) const;

 private:
  Encoding encoding_;
  std::array<CallRow, kWordBits> rows_;
  Word touched_ = 0;
};

/// Puts sites, in any order, into `blocks`. All sites are there after flush().
class SiteWriter {
 public:
  explicit SiteWriter(BitBlocks& blocks)
      : blocks_(blocks), buffer_(blocks.shape().n_profiles, blocks.shape().encoding) {}

  void put(std::uint32_t site, const CallRow& calls);
  void flush();

 private:
  BitBlocks& blocks_;
  SiteBuffer buffer_;
  std::size_t word_ = 0;
};

}  // namespace fastid::imports
