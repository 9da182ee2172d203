#include "bits/selected.hpp"

#include <algorithm>
#include <utility>

namespace fastid {

SelectedRows::SelectedRows(const BlockSource& source, std::vector<std::uint64_t> rows)
    : source_(source), rows_(std::move(rows)) {}

void SelectedRows::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  const std::size_t block_words = source_.shape().block_words(), n_words = source_.shape().n_words();
  std::fill_n(bits, n * block_words, 0);
  if (second != nullptr) std::fill_n(second, n * block_words, 0);
  BlockReader blocks(source_);
  const std::uint64_t end = std::min<std::uint64_t>((first + n) * kLanes, rows_.size());
  for (std::uint64_t i = first * kLanes; i < end; ++i) {
    const auto row = rows_[static_cast<std::size_t>(i)];
    const BlocksView from = blocks.block_of(row);
    const auto lane = static_cast<std::size_t>(row % kLanes);
    const std::size_t to = static_cast<std::size_t>(i / kLanes - first) * block_words + i % kLanes;
    for (std::size_t word = 0; word < n_words; ++word)
      bits[to + word * kLanes] = from.bits[word * kLanes + lane];
    for (std::size_t word = 0; second != nullptr && word < n_words; ++word)
      second[to + word * kLanes] = from.second[word * kLanes + lane];
  }
}

SelectedWords::SelectedWords(const BlockSource& source, const Range& words)
    : source_(source), first_word_(static_cast<std::size_t>(words.first)), shape_(source.shape()) {
  const std::uint64_t end = std::min<std::uint64_t>(shape_.n_sites, words.end * kWordBits);
  shape_.n_sites = narrow<std::uint32_t>(end - words.first * kWordBits);
}

void SelectedWords::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  BlockReader blocks(source_);
  const std::size_t n_words = shape_.block_words(), at = first_word_ * kLanes;
  for (std::size_t i = 0; i < n; ++i) {
    const BlocksView block = blocks.block_of((first + i) * kLanes);
    std::copy_n(block.bits + at, n_words, bits + i * n_words);
    if (second != nullptr) std::copy_n(block.second + at, n_words, second + i * n_words);
  }
}

}  // namespace fastid
