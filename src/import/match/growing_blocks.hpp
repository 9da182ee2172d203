/// \file
/// Blocks that grow site by site, for deriving a panel and its people in one pass, when the number of sites
/// is known only at the end.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "import/formats/bed_codes.hpp"
#include "import/match/site_buffer.hpp"

namespace fastid::imports {

/// Collects the calls of sites, all as rows of calls or all as codes, and turns 32 sites at a time into
/// words. A thread of the pool turns a batch of words while the next one fills. Where the largest number of
/// sites is known, words go to their final place at once.
class GrowingBlocks {
 public:
  /// \param most_sites  the largest number of sites; 0 where it is not known
  /// \param pool        must outlive this
  GrowingBlocks(std::size_t n_samples, Encoding encoding, std::uint64_t most_sites, ThreadPool& pool);
  GrowingBlocks(const GrowingBlocks&) = delete;
  GrowingBlocks& operator=(const GrowingBlocks&) = delete;

  /// The next site.
  void add(const CallRow& calls) { put(rows_, calls); }
  void add(std::span<const std::uint8_t> codes, bool first_is_minor) { put(codes_, codes, first_is_minor); }

  /// All sites that were added. Call once.
  BitBlocks take();

 private:
  /// Words that are being filled, and words that are being turned.
  template <class Buffer>
  struct Batches {
    std::vector<Buffer> filling, turning;
  };

  template <class Buffer, class... Calls>
  void put(Batches<Buffer>& batches, const Calls&... calls) {
    if (batches.filling.empty()) batches.filling.assign(batch_words_, Buffer(n_samples_, encoding_));
    batches.filling[n_sites_ / kWordBits % batch_words_].put(n_sites_ % kWordBits, calls...);
    if (++n_sites_ % (batch_words_ * kWordBits) == 0) turn(batches);
  }

  template <class Buffer>
  void turn(Batches<Buffer>& batches);
  void wait();
  template <class Buffer>
  void keep(std::vector<Buffer>& batch, std::size_t first_word);
  void keep_block(std::size_t block, std::size_t word, const Word* bits, const Word* second);
  BitBlocks from_columns();
  BitBlocks first_sites() const;

  std::size_t n_samples_, n_blocks_, batch_words_;
  Encoding encoding_;
  ThreadPool& pool_;
  std::uint32_t n_sites_ = 0;
  Batches<SiteBuffer> rows_;
  Batches<CodeBuffer> codes_;
  std::optional<BitBlocks> blocks_;
  /// Where the number of sites is not known: each column is one word of every profile, with the bits and then
  /// the second plane of each block.
  std::deque<std::vector<Word>> columns_;
  ThreadPool::Task turning_;  ///< uses all of the above
};

}  // namespace fastid::imports
