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

}  // namespace fastid
