#include "import/match/site_buffer.hpp"

#include <algorithm>

namespace fastid::imports {
namespace {

Word half(std::span<const std::uint64_t> words, std::uint64_t block) {
  return static_cast<Word>(words[block / 2] >> (block % 2 * kWordBits));
}

}  // namespace

SiteBuffer::SiteBuffer(std::size_t n_samples, Encoding encoding) : encoding_(encoding) {
  rows_.fill(CallRow(n_samples));
}

void SiteBuffer::put(std::size_t place, const CallRow& calls) {
  rows_[place] = calls;
  touched_ |= Word{1} << place;
}

void SiteBuffer::words_of(std::uint64_t block, Word* bits, Word* second) const {
  Word all = ~Word{0};
  for (std::size_t site = 0; site < kWordBits; ++site) {
    const bool is_there = (touched_ >> site & 1) != 0;
    bits[site] = is_there ? half(rows_[site].minor.words(), block) : 0;
    second[site] = is_there ? half(rows_[site].major.words(), block) : 0;
    if (encoding_ == Encoding::kMinor) second[site] |= bits[site];
    all &= second[site];
  }
  transpose32(bits);
  if (all != ~Word{0}) transpose32(second);  // else it is its own transpose
}

bool SiteBuffer::words_of(std::uint64_t first_block, std::size_t n, Word (*bits)[kLanes],
                          Word (*second)[kLanes]) const {
  for (std::size_t i = 0; i < n; ++i) words_of(first_block + i, bits[i], second[i]);
  return false;
}

void SiteWriter::put(std::uint32_t site, const CallRow& calls) {
  if (site / kWordBits != word_) flush();
  word_ = site / kWordBits;
  buffer_.put(site % kWordBits, calls);
}

void SiteWriter::flush() {
  if (buffer_.touched() == 0) return;
  std::array<Word, kLanes> bits{}, second{};
  for (std::uint64_t block = 0; block < blocks_.shape().n_blocks(); ++block) {
    buffer_.words_of(block, bits.data(), second.data());
    blocks_.set_word(block, word_, buffer_.touched(), bits.data(), second.data());
  }
  buffer_.clear();
}

}  // namespace fastid::imports
