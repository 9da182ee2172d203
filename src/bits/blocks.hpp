/// \file
/// The blocked bit matrix: how profiles lie in memory, on disk and on devices.
///
///   block b = profiles 32b .. 32b+31, interleaved by 32-bit word:
///
///              lane 0    lane 1          lane 31
///            +---------+---------+-----+---------+
///   word 0   | p 32b   | p 32b+1 | ... | p 32b+31|   128 bytes: bit s%32 of word s/32 is site s
///   word 1   |         |         |     |         |
///     ...    +---------+---------+-----+---------+
///
/// There are two planes. In the first a bit says that a minor allele was seen. What the second says depends
/// on the encoding. Bits past n_sites and lanes past n_profiles are 0 in both.
///
///   Encoding    second plane                                            a site that was not called
///   kMinor      the site was called; absent while all sites are called  0 in both planes
///   kAlleles    a major allele was seen; always present                 0 in both planes: no allele was seen
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/checked.hpp"

namespace fastid {

using Word = std::uint32_t;
inline constexpr std::size_t kWordBits = 32;
inline constexpr std::size_t kLanes = 32;  ///< profiles in a block

enum class Encoding : std::uint8_t { kMinor, kAlleles };

/// The numbers of profiles and sites, the encoding, and the sizes that follow from them.
struct BlockShape {
  std::uint64_t n_profiles = 0;
  std::uint32_t n_sites = 0;
  Encoding encoding = Encoding::kMinor;

  /// This shape with another number of profiles.
  BlockShape with(std::uint64_t profiles) const { return {profiles, n_sites, encoding}; }

  std::uint64_t n_blocks() const { return ceil_div<std::uint64_t>(n_profiles, kLanes); }
  std::size_t n_words() const { return ceil_div<std::size_t>(n_sites, kWordBits); }
  std::size_t block_words() const { return n_words() * kLanes; }
  std::size_t block_bytes() const { return block_words() * sizeof(Word); }

  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// Bit l of word s becomes bit s of word l, for 32 words.
void transpose32(Word* words);

/// The mask of used bits in word `word` of a row of `n_sites` sites: all ones except in the last word.
constexpr Word sites_mask(std::uint32_t n_sites, std::size_t word) {
  const std::size_t first = word * kWordBits;
  if (first + kWordBits <= n_sites) return ~Word{0};
  return first >= n_sites ? 0 : (Word{1} << (n_sites - first)) - 1;
}

/// Fills the called plane of a block whose first `lanes` profiles are called at every site.
void fill_all_called(std::uint32_t n_sites, std::size_t lanes, Word* block);

/// A view of blocks. `second` is null if there is no second plane.
struct BlocksView {
  BlockShape shape;
  const Word* bits = nullptr;
  const Word* second = nullptr;

  /// Word `word` of profile `profile`: where a minor allele was seen, and where the site was called.
  Word bits_word(std::uint64_t profile, std::size_t word) const { return bits[index(profile, word)]; }
  Word called_word(std::uint64_t profile, std::size_t word) const {
    if (second == nullptr) return sites_mask(shape.n_sites, word);
    return second[index(profile, word)] |
           (shape.encoding == Encoding::kAlleles ? bits_word(profile, word) : 0);
  }
  /// Where a major allele was seen. Only for Encoding::kAlleles.
  Word major_word(std::uint64_t profile, std::size_t word) const { return second[index(profile, word)]; }
  /// One block, as a view of its own.
  BlocksView block(std::uint64_t at) const {
    const std::size_t first = static_cast<std::size_t>(at) * shape.block_words();
    return {shape.with(std::min<std::uint64_t>(kLanes, shape.n_profiles - at * kLanes)), bits + first,
            second == nullptr ? nullptr : second + first};
  }
  /// XXH3-64 of a block's first plane, followed by its second where there is one.
  std::uint64_t checksum(std::size_t block) const;

 private:
  std::size_t index(std::uint64_t profile, std::size_t word) const {
    return static_cast<std::size_t>(profile / kLanes) * shape.block_words() + word * kLanes +
           profile % kLanes;
  }
};

/// A zeroed buffer whose address suits every vector unit and direct transfers: it is 4,096-byte aligned.
class WordBuffer {
 public:
  WordBuffer() = default;
  /// \throws Failure where there is not enough memory.
  explicit WordBuffer(std::size_t n_words);

  Word* data() { return words_.get(); }
  const Word* data() const { return words_.get(); }
  std::size_t size() const { return size_; }
  std::span<Word> span() { return {words_.get(), size_}; }
  std::span<const Word> span() const { return {words_.get(), size_}; }

 private:
  struct Free {
    void operator()(Word* words) const noexcept;
  };
  std::unique_ptr<Word[], Free> words_;
  std::size_t size_ = 0;
};

/// Which alleles were seen at a site: bit 0: a major one; bit 1: a minor one; 0: no call.
using Seen = std::uint8_t;
inline constexpr Seen kNoneSeen = 0, kMajorSeen = 1, kMinorSeen = 2, kBothSeen = 3;

/// Blocks that this object owns, for building; all bits are 0 at first. set() sets one site of one profile.
/// Threads may call it at the same time for different profiles. Encoding::kMinor stores kMinorSeen and
/// kBothSeen alike: a minor allele was seen.
class BitBlocks {
 public:
  enum class Start {
    kNothingCalled,
    kAllCalled  ///< Encoding::kMinor only: there is no second plane until clear() is called; only one thread
                ///< at a time may do so
  };

  /// \throws Failure where there is not enough memory.
  explicit BitBlocks(BlockShape shape, Start start = Start::kNothingCalled);

  const BlockShape& shape() const { return shape_; }

  /// Sets site `site` of profile `profile` to called. With `minor`, a minor allele was seen and no major one.
  void set(std::uint64_t profile, std::uint32_t site, bool minor) {
    set_seen(profile, site, minor ? kMinorSeen : kMajorSeen);
  }
  /// Sets site `site` of profile `profile` to what was seen there, at least one allele.
  void set_seen(std::uint64_t profile, std::uint32_t site, Seen seen);
  /// Sets site `site` of profile `profile` to not called.
  void clear(std::uint64_t profile, std::uint32_t site);

  /// Sets site `site` of all profiles. Several times as fast as set_seen() for each profile.
  void set_site(std::uint32_t site, std::span<const Seen> seen);

  /// Word `word` of the 32 profiles of block `block`: sites whose bit of `touched` is set take their values
  /// from `bits` and `second` (null: all are called), which have one word for each lane; the other sites stay
  /// as they are. Unused lanes must be 0.
  void set_word(std::uint64_t block, std::size_t word, Word touched, const Word* bits, const Word* second);

  /// Makes profile `to` a copy of profile `from` of `source`, which must have the same sites, and the same
  /// encoding, unless the source's is kAlleles and this one's kMinor.
  void copy_profile(std::uint64_t to, const BlocksView& source, std::uint64_t from);

  bool bit(std::uint64_t profile, std::uint32_t site) const;
  bool called(std::uint64_t profile, std::uint32_t site) const;

  /// The number of called sites of a profile.
  std::uint32_t called_sites(std::uint64_t profile) const;
  /// True where every site of every profile is called.
  bool all_called() const;

  /// A view of both planes; in Encoding::kMinor, only of the first plane where all_called().
  BlocksView view() const;

 private:
  std::size_t index(std::uint64_t profile, std::uint32_t site) const {
    return static_cast<std::size_t>(profile / kLanes) * shape_.block_words() + (site / kWordBits) * kLanes +
           profile % kLanes;
  }
  std::size_t lanes_of(std::uint64_t block) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, shape_.n_profiles - block * kLanes));
  }
  bool has_second() const { return second_.size() > 0; }
  void start_called();
  Word called_word(std::size_t at) const {
    return second_.data()[at] | (shape_.encoding == Encoding::kAlleles ? bits_.data()[at] : 0);
  }

  BlockShape shape_;
  WordBuffer bits_;
  WordBuffer second_;  ///< empty where every site is called
};

/// A source of blocks: a database or memory. Several threads may read at the same time.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual BlockShape shape() const = 0;
  virtual bool has_second() const = 0;

  /// Reads blocks first .. first + n - 1 into `bits` and, where has_second(), into `second`: n *
  /// block_words() words each. \throws InputError where they cannot be read or fail their checksum.
  virtual void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const = 0;

  /// read(), for callers that compare the checksums themselves: the source need not do it. \throws InputError
  virtual void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
    read(first, n, bits, second);
  }

  /// A view of the same blocks where they are in memory, valid as long as the source; else a view whose bits
  /// are null.
  virtual BlocksView view(std::uint64_t first, std::size_t n) const;

  /// Each block's BlocksView::checksum(). Empty where the source has no checksums, or does not compare them
  /// when it reads.
  virtual std::span<const std::uint64_t> checksums() const;
};

/// Reads a source's blocks one at a time; a block is read once for consecutive rows.
class BlockReader {
 public:
  /// \param source  must outlive this object
  explicit BlockReader(const BlockSource& source) : source_(source) {}

  /// The block of a row, in which the row is profile row % kLanes. Valid until the next call.
  /// \throws InputError
  BlocksView block_of(std::uint64_t row);

 private:
  const BlockSource& source_;
  WordBuffer bits_, second_;
  BlocksView read_;  ///< the last block that was read
  std::uint64_t block_ = UINT64_MAX;
};

/// Blocks in memory as a source; the view's owner must outlive it.
class MemorySource final : public BlockSource {
 public:
  explicit MemorySource(const BlocksView& view) : view_(view) {}
  BlockShape shape() const override { return view_.shape; }
  bool has_second() const override { return view_.second != nullptr; }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;
  BlocksView view(std::uint64_t first, std::size_t n) const override;

 private:
  BlocksView view_;
};

}  // namespace fastid
