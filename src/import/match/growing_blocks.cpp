#include "import/match/growing_blocks.hpp"

#include <algorithm>
#include <utility>

#include "panel/panel.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{1} << 20;  // half of a small second-level cache
constexpr std::size_t kMostBatchWords = 16;
constexpr std::size_t kBytesOfSample = 8;  // two bits at 32 sites

}  // namespace

GrowingBlocks::GrowingBlocks(std::size_t n_samples, Encoding encoding, std::uint64_t most_sites,
                             ThreadPool& pool)
    : n_samples_(n_samples),
      n_blocks_(ceil_div<std::size_t>(n_samples, kLanes)),
      batch_words_(
          std::clamp<std::size_t>(kBatchBytes / (kBytesOfSample * n_samples + 1), 1, kMostBatchWords)),
      encoding_(encoding),
      pool_(pool) {
  if (most_sites > 0 && most_sites <= kMostSites)
    blocks_.emplace(BlockShape{n_samples, static_cast<std::uint32_t>(most_sites), encoding},
                    BitBlocks::Start::kAllCalled);
}

template <class Buffer>
void GrowingBlocks::turn(Batches<Buffer>& batches) {
  wait();
  std::swap(batches.filling, batches.turning);
  const std::size_t first_word = (n_sites_ - 1) / kWordBits / batch_words_ * batch_words_;
  turning_ = pool_.start([this, &batches, first_word] { keep(batches.turning, first_word); });
}

void GrowingBlocks::wait() {
  if (turning_.valid()) turning_.get();
}

template <class Buffer>
void GrowingBlocks::keep(std::vector<Buffer>& batch, std::size_t first_word) {
  const auto used = static_cast<std::size_t>(
      std::ranges::count_if(batch, [](const Buffer& buffer) { return buffer.touched() != 0; }));
  if (!blocks_)
    for (std::size_t w = 0; w < used; ++w) columns_.emplace_back(n_blocks_ * 2 * kLanes);
  Word bits[kMostBatchWords][kBlocksTurned][kLanes], second[kMostBatchWords][kBlocksTurned][kLanes];
  bool all_called[kMostBatchWords] = {};
  for (std::size_t block = 0; block < n_blocks_; block += kBlocksTurned) {
    const std::size_t n = std::min(kBlocksTurned, n_blocks_ - block);
    for (std::size_t w = 0; w < used; ++w) all_called[w] = batch[w].words_of(block, n, bits[w], second[w]);
    for (std::size_t b = 0; b < n; ++b)  // the words of a block are adjacent
      for (std::size_t w = 0; w < used; ++w)
        keep_block(block + b, first_word + w, bits[w][b], all_called[w] ? nullptr : second[w][b]);
  }
  for (Buffer& buffer : batch) buffer.clear();
}

/// \param second  null where everybody is called (Encoding::kMinor)
void GrowingBlocks::keep_block(std::size_t block, std::size_t word, const Word* bits, const Word* second) {
  if (blocks_) return blocks_->set_word(block, word, ~Word{0}, bits, second);
  Word* const to = columns_[word].data() + block * 2 * kLanes;
  std::copy_n(bits, kLanes, to);
  if (second != nullptr)
    std::copy_n(second, kLanes, to + kLanes);
  else
    std::fill_n(to + kLanes, std::min(kLanes, n_samples_ - block * kLanes), ~Word{0});
}

BitBlocks GrowingBlocks::take() {
  if (n_sites_ % (batch_words_ * kWordBits) != 0) codes_.filling.empty() ? turn(rows_) : turn(codes_);
  wait();
  if (!blocks_) return from_columns();
  return blocks_->shape().n_sites == n_sites_ ? std::move(*blocks_) : first_sites();
}

/// Each column is freed once it is copied, so that memory hardly grows.
BitBlocks GrowingBlocks::from_columns() {
  BitBlocks blocks({n_samples_, n_sites_, encoding_}, BitBlocks::Start::kAllCalled);
  for (std::size_t word = 0; !columns_.empty(); ++word) {
    const std::vector<Word>& column = columns_.front();
    for (std::size_t block = 0; block < n_blocks_; ++block) {
      const Word* from = column.data() + block * 2 * kLanes;
      blocks.set_word(block, word, ~Word{0}, from, from + kLanes);
    }
    columns_.pop_front();
  }
  return blocks;
}

/// Copies the sites that were added, which are fewer than most_sites.
BitBlocks GrowingBlocks::first_sites() const {
  BitBlocks blocks({n_samples_, n_sites_, encoding_}, BitBlocks::Start::kAllCalled);
  const BlocksView from = blocks_->view();
  for (std::uint64_t i = 0; i < n_samples_; ++i) blocks.copy_profile(i, from, i);
  return blocks;
}

template void GrowingBlocks::turn(Batches<SiteBuffer>&);
template void GrowingBlocks::turn(Batches<CodeBuffer>&);

}  // namespace fastid::imports
