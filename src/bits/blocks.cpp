#include "bits/blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/hash.hpp"
#include "bits/popcount.hpp"

namespace fastid {
namespace {

constexpr std::size_t kAlignment = 4096;
constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kFewestHugeBytes = 2 * kHugePage;  ///< below this, rounding up would waste much

constexpr Word site_bit(std::uint32_t site) {
  return Word{1} << (site % kWordBits);
}

}  // namespace

void WordBuffer::Free::operator()(Word* words) const noexcept {
  std::free(words);
}

WordBuffer::WordBuffer(std::size_t n_words) : size_(n_words) {
  const std::size_t bytes = checked_mul(n_words, sizeof(Word));
  const std::size_t alignment = bytes < kFewestHugeBytes ? kAlignment : kHugePage;
  const std::size_t padded = checked_mul(ceil_div(bytes, alignment), alignment);
  if (padded == 0) return;
  words_.reset(static_cast<Word*>(std::aligned_alloc(alignment, padded)));
  if (!words_) throw Failure("out of memory: " + std::to_string(padded >> 20) + " MiB are not to be had");
  // A page fault for each 4 KiB takes longer than filling the page, so huge pages are requested. It does not
  // matter if the system has none. Discarded pages (MADV_DONTNEED) read as zeros when a thread next uses
  // them.
  if (alignment == kHugePage) ::madvise(words_.get(), padded, MADV_HUGEPAGE);
  if (alignment != kHugePage || ::madvise(words_.get(), padded, MADV_DONTNEED) != 0)
    std::memset(words_.get(), 0, padded);
}

void fill_all_called(std::uint32_t n_sites, std::size_t lanes, Word* block) {
  const std::size_t n_words = ceil_div<std::size_t>(n_sites, kWordBits);
  for (std::size_t w = 0; w < n_words; ++w)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      block[w * kLanes + lane] = lane < lanes ? sites_mask(n_sites, w) : 0;
}

std::uint64_t BlocksView::checksum(std::size_t block) const {
  const std::size_t at = block * shape.block_words(), bytes = shape.block_bytes();
  return second == nullptr ? xxh3_64(bits + at, bytes) : xxh3_64(bits + at, bytes, second + at, bytes);
}

BitBlocks::BitBlocks(BlockShape shape, Start start)
    : shape_(shape),
      bits_(checked_mul<std::size_t>(shape.n_blocks(), shape.block_words())),
      second_(start == Start::kAllCalled && shape.encoding == Encoding::kMinor ? 0 : bits_.size()) {}

void BitBlocks::start_called() {
  if (has_second()) return;
  second_ = WordBuffer(bits_.size());
  for (std::uint64_t block = 0; block < shape_.n_blocks(); ++block)
    fill_all_called(shape_.n_sites, lanes_of(block), second_.data() + index(block * kLanes, 0));
}

void BitBlocks::set_seen(std::uint64_t profile, std::uint32_t site, Seen seen) {
  const std::size_t at = index(profile, site);
  const auto put = [&](WordBuffer& plane, bool on) {
    Word& word = plane.data()[at];
    word = on ? word | site_bit(site) : word & ~site_bit(site);
  };
  put(bits_, (seen & kMinorSeen) != 0);
  if (has_second()) put(second_, shape_.encoding == Encoding::kMinor || (seen & kMajorSeen) != 0);
}

void BitBlocks::clear(std::uint64_t profile, std::uint32_t site) {
  start_called();
  const std::size_t at = index(profile, site);
  second_.data()[at] &= ~site_bit(site);
  bits_.data()[at] &= ~site_bit(site);
}

void BitBlocks::set_site(std::uint32_t site, std::span<const Seen> seen) {
  if (seen.size() != shape_.n_profiles) throw Failure("set_site: not one call a profile");
  start_called();
  const Word bit = site_bit(site), minor_is_called = shape_.encoding == Encoding::kMinor;
  const unsigned shift = site % kWordBits;
  for (std::uint64_t first = 0; first < seen.size(); first += kLanes) {
    Word* bits = bits_.data() + index(first, site);
    Word* second = second_.data() + index(first, site);
    const std::size_t lanes = std::min<std::size_t>(kLanes, seen.size() - first);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Word minor = seen[first + lane] >> 1 & 1u, major = seen[first + lane] & 1u;
      second[lane] = (second[lane] & ~bit) | ((major | (minor & minor_is_called)) << shift);
      bits[lane] = (bits[lane] & ~bit) | (minor << shift);
    }
  }
}

void BitBlocks::set_word(std::uint64_t block, std::size_t word, Word touched, const Word* bits,
                         const Word* second) {
  const std::size_t at = index(block * kLanes, static_cast<std::uint32_t>(word * kWordBits));
  const auto put = [touched](const Word* from, Word* to) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) to[lane] ^= (to[lane] ^ from[lane]) & touched;
  };
  if (touched == ~Word{0})
    std::copy_n(bits, kLanes, bits_.data() + at);
  else
    put(bits, bits_.data() + at);
  Word by_everybody[kLanes] = {};
  if (second == nullptr) {
    if (!has_second()) return;
    std::fill_n(by_everybody, lanes_of(block), sites_mask(shape_.n_sites, word));
    second = by_everybody;
  }
  if (!has_second()) {
    Word by_all = ~Word{0};
    for (std::size_t lane = 0; lane < lanes_of(block); ++lane) by_all &= second[lane];
    const Word expected = touched & sites_mask(shape_.n_sites, word);
    if ((by_all & expected) == expected) return;
    start_called();
  }
  put(second, second_.data() + at);
}

void BitBlocks::copy_profile(std::uint64_t to, const BlocksView& source, std::uint64_t from) {
  const bool of_major = shape_.encoding == Encoding::kAlleles && source.second != nullptr;
  if (source.second != nullptr) start_called();
  for (std::size_t word = 0; word < shape_.n_words(); ++word) {
    const std::size_t at = index(to, static_cast<std::uint32_t>(word * kWordBits));
    bits_.data()[at] = source.bits_word(from, word);
    if (has_second())
      second_.data()[at] = of_major ? source.major_word(from, word) : source.called_word(from, word);
  }
}

bool BitBlocks::bit(std::uint64_t profile, std::uint32_t site) const {
  return (bits_.data()[index(profile, site)] & site_bit(site)) != 0;
}

bool BitBlocks::called(std::uint64_t profile, std::uint32_t site) const {
  return !has_second() || (called_word(index(profile, site)) & site_bit(site)) != 0;
}

std::uint32_t BitBlocks::called_sites(std::uint64_t profile) const {
  if (!has_second()) return shape_.n_sites;
  std::uint32_t sites = 0;
  for (std::uint32_t site = 0; site < shape_.n_sites; site += kWordBits)
    sites += static_cast<std::uint32_t>(bits_set(called_word(index(profile, site))));
  return sites;
}

bool BitBlocks::all_called() const {
  if (!has_second()) return true;
  for (std::uint64_t first = 0; first < shape_.n_profiles; first += kLanes) {
    const std::size_t lanes = lanes_of(first / kLanes);
    for (std::size_t word = 0; word < shape_.n_words(); ++word) {
      const std::size_t at = index(first, static_cast<std::uint32_t>(word * kWordBits));
      Word by_all = ~Word{0};
      for (std::size_t lane = 0; lane < lanes; ++lane) by_all &= called_word(at + lane);
      if (by_all != sites_mask(shape_.n_sites, word)) return false;
    }
  }
  return true;
}

BlocksView BitBlocks::view() const {
  const bool one_plane = shape_.encoding == Encoding::kMinor && all_called();
  return {shape_, bits_.data(), one_plane ? nullptr : second_.data()};
}

std::span<const std::uint64_t> BlockSource::checksums() const {
  return {};
}

BlocksView BlockSource::view(std::uint64_t, std::size_t) const {
  return {};
}

BlocksView BlockReader::block_of(std::uint64_t row) {
  const std::uint64_t block = row / kLanes;
  if (block == block_) return read_;
  if (const BlocksView lying = source_.view(block, 1); lying.bits != nullptr) {
    block_ = block;
    return read_ = lying;
  }
  const BlockShape shape = source_.shape();
  if (bits_.size() == 0) {
    bits_ = WordBuffer(shape.block_words());
    if (source_.has_second()) second_ = WordBuffer(shape.block_words());
  }
  block_ = UINT64_MAX;  // no block, in case reading fails
  source_.read(block, 1, bits_.data(), second_.data());
  block_ = block;
  const std::uint64_t left = shape.n_profiles - block * kLanes;
  return read_ = {shape.with(std::min<std::uint64_t>(kLanes, left)), bits_.data(), second_.data()};
}

BlocksView MemorySource::view(std::uint64_t first, std::size_t n) const {
  const auto at = static_cast<std::size_t>(first) * view_.shape.block_words();
  const std::uint64_t left = view_.shape.n_profiles - first * kLanes;
  return {view_.shape.with(std::min<std::uint64_t>(n * kLanes, left)), view_.bits + at,
          view_.second == nullptr ? nullptr : view_.second + at};
}

void MemorySource::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  const std::size_t from = static_cast<std::size_t>(first) * view_.shape.block_words();
  const std::size_t bytes = n * view_.shape.block_bytes();
  if (bytes == 0) return;
  std::memcpy(bits, view_.bits + from, bytes);
  if (view_.second) std::memcpy(second, view_.second + from, bytes);
}

}  // namespace fastid
