/// \file
/// A small database and its queries, for tests of the loop.
#pragma once

#include <atomic>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/progress.hpp"
#include "pipeline/pipeline.hpp"

namespace fastid::testing {

inline BitBlocks random_blocks(BlockShape shape, std::uint32_t seed) {
  BitBlocks blocks(shape);
  std::mt19937 rng(seed);
  for (std::uint64_t i = 0; i < shape.n_profiles; ++i)
    for (std::uint32_t s = 0; s < shape.n_sites; ++s)
      if (rng() % 10 != 0) blocks.set(i, s, rng() % 3 == 0);
  return blocks;
}

// A source that fails at one block, where its checksum is looked at, and counts who reads. Where it `heals`,
// that block is damaged only where its checksum is not looked at.
class Touchy final : public BlockSource {
 public:
  Touchy(const BlocksView& view, std::uint64_t bad) : memory_(view), bad_(bad) {}
  BlockShape shape() const override { return memory_.shape(); }
  bool has_called() const override { return memory_.has_called(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    if (!heals && bad_ >= first && bad_ < first + n)
      throw InputError("some.h5", "block 7", "damaged", "restore it");
    memory_.read(first, n, bits, called);
    ++reads;
    on_read(first, n);
  }
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    memory_.read(first, n, bits, called);
    if (bad_ >= first && bad_ < first + n) bits[(bad_ - first) * shape().block_words()] ^= called[0] & 1;
    ++unhashed_reads;
  }
  std::span<const std::uint64_t> checksums() const override { return sums; }
  mutable std::atomic<int> reads{0}, unhashed_reads{0};
  std::vector<std::uint64_t> sums;  ///< of the blocks; none at first
  bool heals = false;
  std::function<void(std::uint64_t first, std::size_t n)> on_read = [](std::uint64_t, std::size_t) {};

 private:
  MemorySource memory_;
  std::uint64_t bad_;
};

inline constexpr std::uint64_t kNone = UINT64_MAX;

struct Case {
  BitBlocks blocks = random_blocks({100, 50}, 1);
  MemorySource source{blocks.view()};
  std::vector<std::uint64_t> which{3, 77};
  ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  Problem problem{Comparison::kIdentity, &queries, blocks.shape(), true};
  Ranking ranking{Comparison::kIdentity, 2, KeepRule{.top = 3}};
  Progress progress{ProgressMode::kNever, "", "", 100};
};

}  // namespace fastid::testing
