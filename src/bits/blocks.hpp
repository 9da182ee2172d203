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
/// One plane of bits (1: carries a minor allele), and one of called sites, which is absent while every site
/// of every profile is called. Bits past n_sites and lanes past n_profiles are 0 in both, and a bit is 0
/// where called is 0.
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

/// How many profiles and sites, and what follows from it.
struct BlockShape {
  std::uint64_t n_profiles = 0;
  std::uint32_t n_sites = 0;

  std::uint64_t n_blocks() const { return ceil_div<std::uint64_t>(n_profiles, kLanes); }
  std::size_t n_words() const { return ceil_div<std::size_t>(n_sites, kWordBits); }
  std::size_t block_words() const { return n_words() * kLanes; }
  std::size_t block_bytes() const { return block_words() * sizeof(Word); }

  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// Bit l of word s becomes bit s of word l, for 32 words.
void transpose32(Word* words);

/// Bits that are in use in word `word` of a row of `n_sites` sites: all ones but in the last word.
constexpr Word sites_mask(std::uint32_t n_sites, std::size_t word) {
  const std::size_t first = word * kWordBits;
  if (first + kWordBits <= n_sites) return ~Word{0};
  return first >= n_sites ? 0 : (Word{1} << (n_sites - first)) - 1;
}

/// The words of a block whose first `lanes` profiles are called at every site.
void fill_all_called(std::uint32_t n_sites, std::size_t lanes, Word* block);

/// Blocks that somebody else owns. `called` is null while every site is called.
struct BlocksView {
  BlockShape shape;
  const Word* bits = nullptr;
  const Word* called = nullptr;

  /// Word `word` of profile `profile`; called_word() is the mask of used sites where there is no called
  /// plane.
  Word bits_word(std::uint64_t profile, std::size_t word) const { return bits[index(profile, word)]; }
  Word called_word(std::uint64_t profile, std::size_t word) const {
    return called ? called[index(profile, word)] : sites_mask(shape.n_sites, word);
  }
  /// XXH3-64 of a block's bits, followed by its called plane where there is one.
  std::uint64_t checksum(std::size_t block) const;
  /// A profile is wanted soon. Its words are in cache lines of their own; once some have been read, a CPU
  /// fetches the others by itself.
  void prefetch(std::uint64_t profile) const {
    constexpr std::size_t kSome = 32;
    for (std::size_t word = 0; word < std::min(shape.n_words(), kSome); ++word) {
      __builtin_prefetch(bits + index(profile, word));
      if (called != nullptr) __builtin_prefetch(called + index(profile, word));
    }
  }

 private:
  std::size_t index(std::uint64_t profile, std::size_t word) const {
    return static_cast<std::size_t>(profile / kLanes) * shape.block_words() + word * kLanes +
           profile % kLanes;
  }
};

/// Words at an address that suits every vector unit and direct transfer: 4,096-byte aligned, zeroed.
class WordBuffer {
 public:
  WordBuffer() = default;
  /// \throws Failure where the memory is not to be had.
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

/// Blocks that this object owns, all bits 0 at first. For building: set() one site of one profile at a time,
/// from any thread as long as no two touch the same profile.
class BitBlocks {
 public:
  enum class Start {
    kNothingCalled,
    kAllCalled  ///< there is no called plane until a site is said not to be called, by one thread at a time
  };

  /// \throws Failure where the memory is not to be had.
  explicit BitBlocks(BlockShape shape, Start start = Start::kNothingCalled);

  const BlockShape& shape() const { return shape_; }

  /// Site `site` of profile `profile` is called and carries a minor allele or not.
  void set(std::uint64_t profile, std::uint32_t site, bool minor);
  /// Site `site` of profile `profile` is not called.
  void clear(std::uint64_t profile, std::uint32_t site);

  /// Site `site` of all profiles, one byte each: bit 0 called, bit 1 carries a minor allele (only with bit
  /// 0). Several times as fast as set() for each.
  void set_site(std::uint32_t site, std::span<const std::uint8_t> calls);

  /// Word `word` of the 32 profiles of block `block`: the sites whose bit of `touched` is set become what
  /// `called` (null: by everybody) and `bits` (one word a lane) say; the others stay. Unused lanes must be 0.
  void set_word(std::uint64_t block, std::size_t word, Word touched, const Word* bits, const Word* called);

  /// Profile `to` becomes a copy of profile `from` of `source`, which has the same sites.
  void copy_profile(std::uint64_t to, const BlocksView& source, std::uint64_t from);

  bool bit(std::uint64_t profile, std::uint32_t site) const;
  bool called(std::uint64_t profile, std::uint32_t site) const;

  /// Sites of one profile that are called.
  std::uint32_t called_sites(std::uint64_t profile) const;
  /// True where every site of every profile is called; view() then has no called plane.
  bool all_called() const;

  /// Both planes, or only the bits where all_called().
  BlocksView view() const;

 private:
  std::size_t index(std::uint64_t profile, std::uint32_t site) const {
    return static_cast<std::size_t>(profile / kLanes) * shape_.block_words() + (site / kWordBits) * kLanes +
           profile % kLanes;
  }
  std::size_t lanes_of(std::uint64_t block) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, shape_.n_profiles - block * kLanes));
  }
  bool has_called() const { return called_.size() > 0; }
  void start_called();

  BlockShape shape_;
  WordBuffer bits_;
  WordBuffer called_;  ///< empty while every site is called
};

/// Where blocks come from: a database, or memory. Reads may come from several threads at once.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual BlockShape shape() const = 0;
  virtual bool has_called() const = 0;

  /// Blocks first .. first + n - 1 into `bits` and, where has_called(), into `called`: n * block_words()
  /// words each. \throws InputError where they cannot be read or fail their checksum.
  virtual void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const = 0;

  /// So too, for who compares the checksums himself: the source need not. \throws InputError
  virtual void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* called) const {
    read(first, n, bits, called);
  }

  /// The same blocks where they lie in memory, if they do (bits is null else), for as long as the source
  /// lives.
  virtual BlocksView view(std::uint64_t first, std::size_t n) const;

  /// Each block's BlocksView::checksum(). Empty where the source has none, or does not compare them as it
  /// reads.
  virtual std::span<const std::uint64_t> checksums() const;
};

/// A source's blocks, one at a time, each read once where rows of it follow one another.
class BlockReader {
 public:
  /// \param source  outlives this
  explicit BlockReader(const BlockSource& source) : source_(source) {}

  /// The block of a row, which is its profile row % kLanes, until another row is asked for.
  /// \throws InputError
  BlocksView block_of(std::uint64_t row);

 private:
  const BlockSource& source_;
  WordBuffer bits_, called_;
  BlocksView read_;  ///< last
  std::uint64_t block_ = UINT64_MAX;
};

/// Blocks in memory as a source; the view's owner must outlive it.
class MemorySource final : public BlockSource {
 public:
  explicit MemorySource(const BlocksView& view) : view_(view) {}
  BlockShape shape() const override { return view_.shape; }
  bool has_called() const override { return view_.called != nullptr; }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;
  BlocksView view(std::uint64_t first, std::size_t n) const override;

 private:
  BlocksView view_;
};

}  // namespace fastid
