#include "bits/turned.hpp"

#include <algorithm>
#include <array>

#include "base/process.hpp"
#include "base/thread_pool.hpp"

namespace fastid {

TurnedBlocks::TurnedBlocks(const BlockShape& shape)
    : shape_(shape),
      minor_(checked_mul(static_cast<std::size_t>(shape.n_blocks()), shape.block_words())),
      major_(minor_.size()) {}

TurnedBlocks::TurnedBlocks(const BlockSource& source, ThreadPool& pool)
    : TurnedBlocks(BlockShape{source.shape().n_sites, static_cast<std::uint32_t>(source.shape().n_profiles),
                              Encoding::kAlleles}) {
  constexpr std::uint64_t kPiece = 8;  // blocks
  const std::uint64_t n = source.shape().n_blocks();
  pool.for_each(static_cast<std::size_t>(ceil_div(n, kPiece)), [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    BlockReader blocks(source);
    for (std::uint64_t block = i * kPiece; block < std::min(n, (i + 1) * kPiece); ++block)
      turn_block(block, blocks.block_of(block * kLanes));
  });
}

void TurnedBlocks::turn_block(std::uint64_t block, const BlocksView& people) {
  std::array<Word, kLanes> minor{}, major{};
  for (std::size_t word = 0; word < people.shape.n_words(); ++word) {
    for (std::size_t lane = 0; lane < people.shape.n_profiles; ++lane) {
      minor[lane] = people.bits_word(lane, word);
      major[lane] = people.shape.encoding == Encoding::kAlleles
                        ? people.major_word(lane, word)
                        : people.called_word(lane, word) & ~minor[lane];
    }
    std::fill(minor.begin() + static_cast<std::ptrdiff_t>(people.shape.n_profiles), minor.end(), 0);
    std::fill(major.begin() + static_cast<std::ptrdiff_t>(people.shape.n_profiles), major.end(), 0);
    transpose32(minor.data());
    transpose32(major.data());
    const std::size_t to = word * shape_.block_words() + static_cast<std::size_t>(block) * kLanes;
    std::ranges::copy(minor, minor_.data() + to);
    std::ranges::copy(major, major_.data() + to);
  }
}

TurnedBlocks TurnedBlocks::chosen(const std::vector<std::uint32_t>& places) const {
  TurnedBlocks made(shape_.with(places.size()));
  const std::size_t n_words = shape_.n_words();
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t word = 0; word < n_words; ++word) {
      made.minor_.data()[made.place_of(i) + word * kLanes] =
          minor_.data()[place_of(places[i]) + word * kLanes];
      made.major_.data()[made.place_of(i) + word * kLanes] =
          major_.data()[place_of(places[i]) + word * kLanes];
    }
  return made;
}

}  // namespace fastid
